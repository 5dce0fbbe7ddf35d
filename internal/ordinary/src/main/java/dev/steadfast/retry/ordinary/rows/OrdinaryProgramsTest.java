package dev.steadfast.retry.ordinary.rows;

import dev.steadfast.retry.ordinary.Row;
import dev.steadfast.retry.ordinary.RowTests;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Wrapped clients do what plain clients do. */
public final class OrdinaryProgramsTest {
  private static final String ONLY = System.getProperty("ordinary.only", ".*");

  /** With a small heap those alone that send more than fits into it. */
  private static final String SENT = Boolean.getBoolean("ordinary.smallHeap") ? "200 MiB" : "";

  private static List<Row> rows() {
    return OrdinaryTable.rows().stream()
        .filter(row -> row.name().matches(ONLY) && row.name().contains(SENT))
        .toList();
  }

  @TestFactory
  Stream<DynamicTest> rowsOfTheTable() {
    return RowTests.of(rows());
  }

  @AfterAll
  static void print() {
    if (RowTests.full()) {
      RowTests.table(rows()).forEach(System.out::println);
    }
    System.out.println(RowTests.summary());
  }
}
