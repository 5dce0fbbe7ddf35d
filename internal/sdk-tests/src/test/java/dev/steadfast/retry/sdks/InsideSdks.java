package dev.steadfast.retry.sdks;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The table of {@code docs/inside-sdks.md}, whose cells the tests compare with what they count. */
final class InsideSdks {
  private static final Path PAGE = Path.of("../../docs/inside-sdks.md");

  private InsideSdks() {}

  /** Fails unless the row of this SDK has this text in the column of this name. */
  static void assertSays(String sdk, String column, String text) {
    int index = row("SDK").indexOf(column);
    assertEquals(text, row(sdk).get(index), sdk + ", " + column);
  }

  private static List<String> row(String first) {
    List<List<String>> rows =
        lines().stream()
            .filter(line -> line.startsWith("| " + first + " |"))
            .map(line -> List.of(line.substring(2, line.length() - 2).split(" \\| ")))
            .toList();
    assertEquals(1, rows.size(), "rows of " + first);
    return rows.get(0);
  }

  private static List<String> lines() {
    try {
      return Files.readAllLines(PAGE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
