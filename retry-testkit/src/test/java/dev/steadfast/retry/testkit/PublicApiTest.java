package dev.steadfast.retry.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.lang.reflect.Modifier;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What users of the test kit may hold on to: a type more is a promise more. */
class PublicApiTest {

  @Test
  void publicTypesAreFew() throws IOException, URISyntaxException, ClassNotFoundException {
    Path classes =
        Path.of(FakeTime.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    List<String> published = new ArrayList<>();
    try (Stream<Path> files = Files.walk(classes)) {
      for (Path file : files.filter(each -> each.toString().endsWith(".class")).toList()) {
        String path = classes.relativize(file).toString();
        String name = path.substring(0, path.length() - ".class".length()).replace('/', '.');
        if (name.endsWith("-info")) {
          continue;
        }
        Class<?> type = Class.forName(name, false, FakeTime.class.getClassLoader());
        if (Modifier.isPublic(type.getModifiers())) {
          published.add(type.getSimpleName());
        }
      }
    }
    assertEquals(List.of("FakeTime"), published);
  }
}
