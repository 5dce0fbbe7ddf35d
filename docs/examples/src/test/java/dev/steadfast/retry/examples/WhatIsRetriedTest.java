package dev.steadfast.retry.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.steadfast.retry.Disposition;
import dev.steadfast.retry.Verdict;
import dev.steadfast.retry.engine.AnswerProof;
import dev.steadfast.retry.engine.Evidence;
import dev.steadfast.retry.engine.Outcome;
import dev.steadfast.retry.http.HttpOperation;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.RequestView;
import dev.steadfast.retry.http.ResponseView;
import dev.steadfast.retry.http.RetryOptions;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The table of statuses in the guide says what the rules do. */
final class WhatIsRetriedTest {
  private static final Pattern ROW = Pattern.compile("\\| ([^|]*\\d{3}[^|]*) \\| ([^|]*) \\|");
  private static final Pattern STATUSES = Pattern.compile("(\\d{3})(?:–(\\d{3}))?");

  private static final String WITH_RETRY_AFTER = "with Retry-After: ";

  private final HttpRetry defaults = HttpRetry.defaults();

  @Test
  void theTableOfAnswersIsTrue() throws IOException {
    Map<Integer, String> table = table();
    for (int status = 400; status <= 599; status++) {
      boolean withDelay = table.getOrDefault(status, "").startsWith(WITH_RETRY_AFTER);
      String said = table.getOrDefault(status, "never").replace(WITH_RETRY_AFTER, "");
      assertEquals(said, retried(status, withDelay), "status " + status);
      assertEquals(
          withDelay ? "never" : said, retried(status, false), status + " without Retry-After");
    }
  }

  private static Map<Integer, String> table() throws IOException {
    String page = Files.readString(Path.of("../../docs/what-is-retried.md"));
    String answers =
        page.substring(page.indexOf("## Answers"), page.indexOf("### Notes on the table"));
    Map<Integer, String> table = new HashMap<>();
    for (Matcher row = ROW.matcher(answers); row.find(); ) {
      String condition = row.group(1).endsWith(" with `Retry-After`") ? WITH_RETRY_AFTER : "";
      String retried = condition + row.group(2).split(",", 2)[0];
      STATUSES.matcher(row.group(1)).results().forEach(range -> fill(table, range, retried));
    }
    return table;
  }

  private static void fill(Map<Integer, String> table, MatchResult range, String retried) {
    int first = Integer.parseInt(range.group(1));
    int last = range.group(2) == null ? first : Integer.parseInt(range.group(2));
    for (int status = first; status <= last; status++) {
      table.put(status, retried);
    }
  }

  private String retried(int status, boolean withDelay) {
    if (!retried("GET", status, withDelay)) {
      return "never";
    }
    return retried("POST", status, withDelay) ? "always" : "if replayable";
  }

  private boolean retried(String method, int status, boolean withDelay) {
    HttpOperation operation = defaults.operation(new Request(method), RetryOptions.none());
    Disposition last = AnswerProof.of(status).disposition();
    Evidence wire = Evidence.of(last, operation.safety(), status, 1);
    Outcome outcome =
        operation.outcome(new Response(status, withDelay ? List.of("1") : List.of()), wire);
    return outcome.verdict() instanceof Verdict.Retryable
        && outcome.evidence().safety() != Evidence.Safety.UNSAFE;
  }

  private record Request(String method) implements RequestView {
    @Override
    public URI uri() {
      return URI.create("https://api.example.com/");
    }

    @Override
    public List<String> headers(String name) {
      return List.of();
    }

    @Override
    public Optional<byte[]> body(int limit) {
      return Optional.empty();
    }
  }

  private record Response(int status, List<String> retryAfter) implements ResponseView {
    @Override
    public List<String> headers(String name) {
      return name.equalsIgnoreCase("Retry-After") ? retryAfter : List.of();
    }

    @Override
    public Map<String, List<String>> headerMap() {
      return Map.of("Retry-After", retryAfter);
    }
  }
}
