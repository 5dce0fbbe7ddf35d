package dev.steadfast.retry.examples;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The README and the guides. */
final class Pages {
  static final Path ROOT = Path.of("../..");

  private Pages() {}

  static List<Path> all() throws IOException {
    List<Path> pages = new ArrayList<>(List.of(ROOT.resolve("README.md")));
    try (Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
      docs.filter(path -> path.toString().endsWith(".md"))
          .filter(path -> !path.startsWith(ROOT.resolve("docs/examples")))
          .sorted()
          .forEach(pages::add);
    }
    return pages;
  }
}
