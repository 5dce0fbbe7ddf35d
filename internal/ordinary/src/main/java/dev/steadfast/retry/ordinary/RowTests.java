package dev.steadfast.retry.ordinary;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.DynamicTest;

/** Makes a test of each row. Safe for use by many threads. */
public final class RowTests {
  private static final AtomicInteger ROWS = new AtomicInteger();
  private static final AtomicInteger RUNS = new AtomicInteger();
  private static final AtomicInteger DECLARED = new AtomicInteger();
  private static final AtomicInteger DEFECTS = new AtomicInteger();

  private RowTests() {}

  /** Whether the full matrix runs, with the rows that take long. */
  public static boolean full() {
    return Boolean.getBoolean("ordinary.full");
  }

  /** A test for each row that has something to run here. */
  public static Stream<DynamicTest> of(List<Row> rows) {
    return rows.stream()
        .filter(row -> full() || !row.isSlow())
        .filter(row -> !row.entries().isEmpty())
        .map(row -> DynamicTest.dynamicTest(row.name(), () -> check(row)));
  }

  private static void check(Row row) throws Exception {
    RowCheck check = new RowCheck(row);
    List<String> differences = check.differences();
    ROWS.incrementAndGet();
    RUNS.addAndGet(check.runs());
    DECLARED.addAndGet(row.declared().size());
    DEFECTS.addAndGet(row.defects().size());
    if (!differences.isEmpty()) {
      Assertions.fail(row.name() + ":\n  " + String.join("\n  ", differences));
    }
  }

  /** One line on what ran so far. */
  public static String summary() {
    return "Ordinary programs on OkHttp "
        + OkHttpVersion.text()
        + " and JDK "
        + Runtime.version().feature()
        + ": "
        + ROWS
        + " rows, "
        + RUNS
        + " runs, "
        + DECLARED
        + " differences declared, "
        + DEFECTS
        + " known defects";
  }

  /** A line for each row, and beneath it one for each declared difference and known defect. */
  public static Stream<String> table(List<Row> rows) {
    return rows.stream()
        .flatMap(row ->
            Stream.of(
                    Stream.of(row.name()),
                    row.declared().stream()
                        .map(each -> "    differs in " + each.section() + ": " + each.why()),
                    row.defects().stream().map(each -> "    known defect: " + each.what()))
                .flatMap(lines -> lines));
  }
}
