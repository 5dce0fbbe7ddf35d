package dev.steadfast.retry.tck;

import static dev.steadfast.retry.tck.Reply.status;
import static dev.steadfast.retry.tck.Scenario.row;
import static dev.steadfast.retry.tck.StatusRows.OK;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.http.StandardRules;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.zip.GZIPOutputStream;

/** Event streams of the status 200, which are judged by their first event. */
final class FirstEventRows {
  private static final String START =
      """
      : hello

      event: message_start
      data: {"type":"message_start"}

      event: ping
      data: {"type":"ping"}

      """;
  private static final String TEXT = "event: content_block_delta\ndata: {\"text\":\"Hi\"}\n\n";
  private static final String OVERLOADED = error("overloaded_error");
  private static final String REFUSED = "200 THROTTLED refused";
  private static final String ANSWERED = "200 ERROR_STATUS answered";

  private FirstEventRows() {}

  private static String error(String type) {
    return "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"" + type + "\"}}\n\n";
  }

  private static Reply stream(String body) {
    return status(200).header("Content-Type", "text/event-stream; charset=utf-8").body(body);
  }

  private static byte[] gzip(String body) {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(packed)) {
      gzip.write(body.getBytes(UTF_8));
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
    return packed.toByteArray();
  }

  private static Scenario post(String name) {
    return ruled(row("POST without a key, waits for the first event, " + name).post("/p", "text"));
  }

  private static Scenario get(String name) {
    return ruled(row("GET, waits for the first event, " + name).get("/a"));
  }

  private static Scenario ruled(Scenario row) {
    StandardRules rules =
        StandardRules.builder()
            .refusedBy(200, "overloaded_error")
            .neverRetry(200, "invalid_request_error")
            .build();
    return row.retry(b -> b.classifier(rules))
        .notFor(Trait.GIVES_RULES_NO_BODY, "the rules see no body");
  }

  private static Scenario accepted(Scenario row, String body) {
    return row.answers(200, body).requests(1).trace("attempt 1: 200", "done ACCEPTED 1");
  }

  static List<Scenario> rows() {
    String long64 = ":\n".repeat(32 * 1024);
    return List.of(
        accepted(post("content").replies(stream(START + TEXT)), START + TEXT),
        accepted(post("content in chunks").replies(stream(START + TEXT).chunked()), START + TEXT),
        accepted(
            post("an error after content: the caller gets it")
                .replies(stream(TEXT + OVERLOADED).chunked()),
            TEXT + OVERLOADED),
        accepted(post("no event at all").replies(stream(START).chunked()), START),
        accepted(post("nothing at all").replies(stream("")), ""),
        accepted(
            post("an error behind 64 KiB of comments").replies(stream(long64 + OVERLOADED)),
            long64 + OVERLOADED),
        accepted(
            post("an error in another type of body")
                .replies(status(200).header("Content-Type", "application/json").body(OVERLOADED)),
            OVERLOADED),
        post("an error that is a refusal: retried")
            .replies(stream(OVERLOADED), OK)
            .retriedAfter(REFUSED),
        post("a refusal in chunks, after what is no event: retried")
            .replies(stream(START + OVERLOADED).chunked(), OK)
            .retriedAfter(REFUSED),
        post("a refusal in gzip: retried")
            .header("Accept-Encoding", "gzip")
            .replies(
                stream("").header("Content-Encoding", "gzip").body(gzip(START + OVERLOADED)), OK)
            .retriedAfter(REFUSED),
        post("a refusal each time: the caller gets the whole stream")
            .replies(stream(START + OVERLOADED), stream(OVERLOADED), stream(START + OVERLOADED))
            .answers(200, START + OVERLOADED)
            .endsAfter(REFUSED, REFUSED, REFUSED, "ATTEMPTS_EXHAUSTED 3"),
        post("an error that is not known: perhaps done, so never sent again")
            .replies(stream(error("api_error")))
            .answers(200, error("api_error"))
            .endsAfter(ANSWERED, "NOT_REPLAYABLE 1"),
        post("an error that is final")
            .replies(stream(error("invalid_request_error")))
            .answers(200, error("invalid_request_error"))
            .endsAfter(ANSWERED, "NOT_RETRYABLE 1"),
        post("an error that is not known, and the caller's word: repeated once")
            .options(RetryOptions.builder().replayable(true))
            .replies(stream(error("api_error")), stream(error("api_error")))
            .answers(200, error("api_error"))
            .endsAfter(ANSWERED, ANSWERED, "ATTEMPTS_EXHAUSTED 2"),
        get("an error that is not known: retried")
            .replies(stream(error("api_error")), OK)
            .retriedAfter(ANSWERED),
        get("a stream that breaks before its first event: retried")
            .replies(
                Reply.truncatedBody(200, 1000, START + "event: error\ndata: {\"err")
                    .header("Content-Type", "text/event-stream"),
                OK)
            .retriedAfter("BROKEN_BODY answered"),
        post("a stream that breaks before its first event: never sent again")
            .replies(
                Reply.truncatedBody(200, 1000, START).header("Content-Type", "text/event-stream"))
            .fails(ScenarioOutcome.Category.BROKEN_ANSWER)
            .endsAfter("BROKEN_BODY answered", "NOT_REPLAYABLE 1"));
  }
}
