package dev.steadfast.retry.examples;

import static dev.steadfast.retry.engine.AnswerProof.DONE;
import static dev.steadfast.retry.engine.AnswerProof.NOT_DONE;
import static dev.steadfast.retry.engine.AnswerProof.NOT_HERE;
import static dev.steadfast.retry.engine.AnswerProof.PERHAPS_DONE;
import static dev.steadfast.retry.engine.AnswerProof.REDIRECTED;
import static dev.steadfast.retry.engine.AnswerProof.REFUSED;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.Disposition;
import dev.steadfast.retry.engine.AnswerProof;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The tables of what a status proves, in the guides and in Javadoc, say what the class says. */
final class AnswerProofTablesTest {
  private static final Path DOCS = Path.of("../../docs");
  private static final Path CORE = Path.of("../../retry-core/src/main/java/dev/steadfast/retry");

  private static final Pattern ROW = Pattern.compile("(?m)^\\| ([^|]*) \\| ([^|]*) \\|");
  private static final Pattern JAVADOC_ROW =
      Pattern.compile("<tr><td>([^<]*)</td><td>\\{@link #(\\w+)}</td></tr>");
  private static final Pattern STATUSES =
      Pattern.compile("\\b(?:(\\d{3})(?: to (\\d{3}))?|(\\d)xx)\\b");

  /** One row: which statuses it names, under which condition, and what it says. */
  private record Row(String what, Set<Integer> statuses, String says) {
    static Row of(String what, String says) {
      Set<Integer> statuses = new TreeSet<>();
      STATUSES
          .matcher(what)
          .results()
          .forEach(each -> {
            boolean range = each.group(3) != null;
            int first = Integer.parseInt(range ? each.group(3) + "00" : each.group(1));
            int last =
                range
                    ? first + 99
                    : each.group(2) == null ? first : Integer.parseInt(each.group(2));
            IntStream.rangeClosed(first, last).forEach(statuses::add);
          });
      return new Row(what, statuses, says);
    }

    boolean holds(boolean reads, boolean asksToWait) {
      boolean onlyReads = what.contains("to a GET") || what.contains("only reads");
      boolean onlyWrites = what.contains("to a POST");
      return (!onlyReads || reads)
          && (!onlyWrites || !reads)
          && (!what.contains("asks to wait") || asksToWait);
    }
  }

  private static List<Row> rows(Pattern pattern, String text) {
    List<Row> rows = new ArrayList<>();
    for (Matcher row = pattern.matcher(text); row.find(); ) {
      Row read = Row.of(row.group(1), row.group(2));
      if (!read.statuses.isEmpty()) {
        rows.add(read);
      }
    }
    return rows;
  }

  /** What the first row says that holds for an answer; rows with "other" come last. */
  private static String said(List<Row> rows, int status, boolean reads, boolean asksToWait) {
    for (boolean other : new boolean[] {false, true}) {
      for (Row row : rows) {
        if (row.what.contains("other") == other
            && row.statuses.contains(status)
            && row.holds(reads, asksToWait)) {
          return row.says;
        }
      }
    }
    throw new AssertionError("no row for " + status);
  }

  private static final List<String> ALL = List.of("GET", "POST");

  private interface Saying {
    String of(int status, String method, boolean asksToWait);
  }

  private static void assertTable(List<Row> rows, List<String> methods, Saying expected) {
    assertTrue(rows.size() >= 6, rows::toString);
    for (int status = 100; status <= 599; status++) {
      for (String method : methods) {
        for (boolean asks : new boolean[] {false, true}) {
          assertEquals(
              expected.of(status, method, asks),
              said(rows, status, method.equals("GET"), asks),
              status + " to a " + method + ", asks to wait: " + asks);
        }
      }
    }
  }

  private static String section(Path file, String from, String to) throws IOException {
    String text = Files.readString(file);
    int start = text.indexOf(from);
    assertTrue(start >= 0, () -> file + " lacks: " + from);
    return text.substring(start, text.indexOf(to, start));
  }

  @Test
  void theTableOfTheGuide() throws IOException {
    String table = section(DOCS.resolve("effectively-once.md"), "<!-- This table", "If your rules");
    Map<AnswerProof, String> words =
        Map.of(
            DONE, "done",
            REDIRECTED, "perhaps done",
            NOT_HERE, "not done",
            REFUSED, "refused, so not done",
            NOT_DONE, "not done",
            PERHAPS_DONE, "perhaps done");
    List<Row> rows =
        rows(ROW, table).stream()
            .map(row -> new Row(row.what, row.statuses, row.says.split(":", 2)[0]))
            .toList();
    assertTable(
        rows, ALL, (status, method, asks) -> words.get(AnswerProof.of(status, method, asks)));
  }

  @Test
  void theTableOfTheJournal() throws IOException {
    String table =
        section(DOCS.resolve("journaled-operations.md"), "<!-- This table", "An earlier attempt");
    assertTable(
        rows(ROW, table),
        List.of("POST"),
        (status, method, asks) ->
            switch (AnswerProof.of(status, method, asks)) {
              case DONE -> "succeeded";
              case REFUSED -> "failed; may begin again";
              case NOT_DONE ->
                  status == 403 || status == 429 ? "failed; may begin again" : "failed";
              case NOT_HERE -> "failed";
              case REDIRECTED, PERHAPS_DONE -> "unknown";
            });
  }

  @Test
  void theTableInJavadoc() throws IOException {
    String table = section(CORE.resolve("engine/AnswerProof.java"), "<table>", "</table>");
    assertTable(
        rows(JAVADOC_ROW, table),
        ALL,
        (status, method, asks) -> AnswerProof.of(status, method, asks).name());
  }

  /** Each page that names the statuses with which a server refuses a request names these. */
  @Test
  void theRefusals() throws IOException {
    Set<Integer> refusals = new TreeSet<>();
    for (int status = 100; status <= 599; status++) {
      if (AnswerProof.of(status).disposition() == Disposition.REFUSED) {
        refusals.add(status);
      }
    }
    String guide = section(DOCS.resolve("what-is-retried.md"), "| refused |", "HTTP/2");
    assertEquals(refusals, Row.of(guide, "").statuses);
    String javadoc = section(CORE.resolve("Disposition.java"), "did nothing:", "HTTP/2");
    assertEquals(refusals, Row.of(javadoc, "").statuses);
  }

  /** The function of the caller's is asked after an answer that says no. */
  @Test
  void theStatusesThatTheCallersFunctionGets() throws IOException {
    String guide =
        section(DOCS.resolve("effectively-once.md"), "status from 400", "It may look things up");
    String javadoc =
        section(CORE.resolve("RetryReport.java"), "status is 400 to 499", "not called");
    Set<Integer> not = new TreeSet<>();
    for (int status = 400; status <= 499; status++) {
      if (!AnswerProof.of(status, "POST", false).saysNo()) {
        not.add(status);
      }
    }
    for (String text : List.of(guide, javadoc)) {
      String exceptions = text.substring(text.indexOf("499") + 3);
      assertEquals(not, Row.of(exceptions, "").statuses, text);
    }
  }
}
