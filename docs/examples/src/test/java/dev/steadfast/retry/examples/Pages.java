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

  /** The decisions, without their index. */
  static List<Path> decisions() throws IOException {
    return all().stream()
        .filter(
            page -> page.startsWith(ROOT.resolve("docs/decisions")) && !page.endsWith("README.md"))
        .toList();
  }

  /** The Java sources of the published modules. */
  static List<Path> sources() throws IOException {
    List<Path> sources = new ArrayList<>();
    try (Stream<Path> modules = Files.list(ROOT)) {
      for (Path module :
          modules.filter(each -> each.getFileName().toString().startsWith("retry-")).toList()) {
        Path main = module.resolve("src/main/java");
        if (Files.exists(main)) {
          try (Stream<Path> files = Files.walk(main)) {
            files.filter(each -> each.toString().endsWith(".java")).forEach(sources::add);
          }
        }
      }
    }
    return sources;
  }
}
