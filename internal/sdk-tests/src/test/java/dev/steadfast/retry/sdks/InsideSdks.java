package dev.steadfast.retry.sdks;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The table of {@code docs/inside-sdks.md}, whose cells the tests compare with what they count. */
enum InsideSdks {
  SDK,
  VERSION,
  TAKES,
  OWN_RETRIES_OFF,
  STEADFAST_ALONE,
  BOTH_RETRY;

  private static final Path PAGE = Path.of("../../docs/inside-sdks.md");

  /** Fails unless the row of this SDK has this text in this column. */
  void assertSays(String sdk, String text) {
    List<List<String>> rows = rows().filter(row -> row.get(SDK.ordinal()).equals(sdk)).toList();
    assertEquals(1, rows.size(), "rows of " + sdk);
    assertEquals(text, rows.get(0).get(ordinal()), sdk + ", " + this);
  }

  private static Stream<List<String>> rows() {
    try {
      return Files.readAllLines(PAGE).stream()
          .filter(line -> line.startsWith("| "))
          .map(line -> List.of(line.substring(2, line.length() - 2).split(" \\| ")))
          .filter(cells -> cells.size() == values().length);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
