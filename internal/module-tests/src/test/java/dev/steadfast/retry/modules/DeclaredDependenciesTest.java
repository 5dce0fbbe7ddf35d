package dev.steadfast.retry.modules;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * A module that logs declares SLF4J itself. Otherwise Maven may take SLF4J 1.7 from a dependency of
 * resilience4j's that is nearer, and a logging backend for SLF4J 2 writes nothing.
 */
class DeclaredDependenciesTest {
  private static final Path ROOT = Path.of("..", "..");

  @Test
  void aModuleThatLogs_declaresSlf4j() throws IOException {
    List<String> missing = new ArrayList<>();
    try (Stream<Path> modules = Files.list(ROOT)) {
      for (Path module : modules.sorted().toList()) {
        if (module.getFileName().toString().startsWith("retry-") && logs(module)) {
          String pom = Files.readString(module.resolve("pom.xml"));
          if (!pom.contains("<artifactId>slf4j-api</artifactId>")) {
            missing.add(module.getFileName().toString());
          }
        }
      }
    }
    assertEquals(List.of(), missing);
  }

  private static boolean logs(Path module) throws IOException {
    Path sources = module.resolve(Path.of("src", "main", "java"));
    if (!Files.isDirectory(sources)) {
      return false;
    }
    try (Stream<Path> files = Files.walk(sources)) {
      for (Path file : files.filter(each -> each.toString().endsWith(".java")).toList()) {
        if (Files.readString(file).contains("import org.slf4j.")) {
          return true;
        }
      }
    }
    return false;
  }
}
