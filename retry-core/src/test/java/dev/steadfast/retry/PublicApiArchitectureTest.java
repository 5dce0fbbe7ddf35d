package dev.steadfast.retry;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The public types of this module are those of {@code public-api.txt}: a type that becomes public,
 * or ceases to be, shows in a review.
 */
class PublicApiArchitectureTest {
  private static final Path CLASSES = Path.of("target", "classes");
  private static final String LIST = "/public-api.txt";

  @Test
  void publicTypesAreThoseOfTheList() throws IOException {
    assertEquals(
        String.join("\n", listed()),
        String.join("\n", publicTypes()),
        "the list is in src/test/resources" + LIST);
  }

  private static List<String> listed() throws IOException {
    try (InputStream in =
        Objects.requireNonNull(PublicApiArchitectureTest.class.getResourceAsStream(LIST), LIST)) {
      String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      return text.lines().filter(line -> !line.isBlank() && !line.startsWith("#")).toList();
    }
  }

  private static List<String> publicTypes() throws IOException {
    try (Stream<Path> files = Files.walk(CLASSES)) {
      return files
          .map(file -> CLASSES.relativize(file).toString())
          .filter(file -> file.endsWith(".class") && !file.endsWith("-info.class"))
          .map(PublicApiArchitectureTest::load)
          .filter(PublicApiArchitectureTest::visible)
          .map(Class::getName)
          .sorted()
          .toList();
    }
  }

  private static Class<?> load(String file) {
    String name = file.substring(0, file.length() - ".class".length()).replace('/', '.');
    try {
      return Class.forName(
          name.replace('\\', '.'), false, PublicApiArchitectureTest.class.getClassLoader());
    } catch (ClassNotFoundException e) {
      throw new IllegalStateException(e);
    }
  }

  // A nested type is as visible as the least visible of the types around it.
  private static boolean visible(Class<?> type) {
    if (type.isAnonymousClass() || type.isLocalClass() || type.isSynthetic()) {
      return false;
    }
    int modifiers = type.getModifiers();
    boolean here = Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers);
    Class<?> around = type.getDeclaringClass();
    return here && (around == null || visible(around));
  }
}
