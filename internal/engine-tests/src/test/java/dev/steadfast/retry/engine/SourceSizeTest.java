package dev.steadfast.retry.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** No source file of a shipped module has more than 300 lines of code. */
class SourceSizeTest {
  private static final Path ROOT = Path.of("..", "..");
  private static final int MOST_LINES = 300;

  /** Lines that hold more than comments and blanks. */
  static long codeLines(String source) {
    StringBuilder code = new StringBuilder();
    int at = 0;
    while (at < source.length()) {
      int end = endOfPart(source, at);
      boolean comment = source.startsWith("/*", at) || source.startsWith("//", at);
      code.append(comment ? "" : source.substring(at, end));
      at = end;
    }
    return code.toString().lines().filter(line -> !line.isBlank()).count();
  }

  // A comment, a literal, or one character.
  private static int endOfPart(String source, int at) {
    if (source.startsWith("/*", at)) {
      return after(source, source.indexOf("*/", at + 2), 2);
    }
    if (source.startsWith("//", at)) {
      return after(source, source.indexOf('\n', at), 0);
    }
    if (source.startsWith("\"\"\"", at)) {
      return after(source, source.indexOf("\"\"\"", at + 3), 3);
    }
    char first = source.charAt(at);
    if (first != '"' && first != '\'') {
      return at + 1;
    }
    int end = at + 1;
    while (end < source.length() && source.charAt(end) != first) {
      end += source.charAt(end) == '\\' ? 2 : 1;
    }
    return Math.min(source.length(), end + 1);
  }

  private static int after(String source, int found, int length) {
    return found < 0 ? source.length() : found + length;
  }

  private static Map<Path, Long> sizes() throws IOException {
    Map<Path, Long> sizes = new TreeMap<>();
    try (Stream<Path> modules = Files.list(ROOT)) {
      for (Path module : modules.sorted().toList()) {
        Path sources = module.resolve(Path.of("src", "main", "java"));
        if (module.getFileName().toString().startsWith("retry-") && Files.isDirectory(sources)) {
          try (Stream<Path> files = Files.walk(sources)) {
            for (Path file : files.filter(each -> each.toString().endsWith(".java")).toList()) {
              sizes.put(ROOT.relativize(file), codeLines(Files.readString(file)));
            }
          }
        }
      }
    }
    return sizes;
  }

  @Test
  void shippedFilesAreShort() throws IOException {
    List<String> tooLong =
        sizes().entrySet().stream()
            .filter(each -> each.getValue() > MOST_LINES)
            .map(each -> each.getValue() + " " + each.getKey())
            .toList();
    assertEquals(List.of(), tooLong);
  }

  @Test
  void eachShippedModuleIsLookedAt() throws IOException {
    List<String> modules =
        sizes().keySet().stream().map(each -> each.getName(0).toString()).distinct().toList();
    assertEquals(
        List.of(
            "retry-adapter-tck",
            "retry-apache-httpclient5",
            "retry-core",
            "retry-effects",
            "retry-java-httpclient",
            "retry-jfr",
            "retry-journal-cli",
            "retry-journal-db-scheduler",
            "retry-journal",
            "retry-micrometer",
            "retry-okhttp",
            "retry-opentelemetry",
            "retry-operations",
            "retry-resilience4j",
            "retry-server",
            "retry-simulator",
            "retry-spring-boot-starter",
            "retry-spring",
            "retry-testkit"),
        modules);
    assertTrue(sizes().size() > 200, () -> "too few files");
  }

  @Test
  void commentsAndBlanksAreNoCode() {
    String source =
        """
        /* a
           b */ package p;

        // c
        class A { // d
          String s = "// no comment", t = "/*", u = "\\"";
          /** e */
          char c = '"'; /* f */
        }
        """;
    assertEquals(5, codeLines(source));
    assertEquals(301, codeLines("int x;\n".repeat(MOST_LINES + 1)));
  }
}
