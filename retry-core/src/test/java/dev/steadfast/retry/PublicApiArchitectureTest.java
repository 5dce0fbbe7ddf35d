package dev.steadfast.retry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What is public names nothing that is not: the internal package is no part of the API. */
class PublicApiArchitectureTest {
  private static final Path CLASSES = Path.of("target", "classes");
  private static final String INTERNAL = "dev.steadfast.retry.internal";

  @Test
  void nothingPublicNamesAnInternalType() throws IOException {
    List<String> declarations =
        publicTypes().flatMap(PublicApiArchitectureTest::declarations).toList();
    String seen = "RetryPolicy$Builder.attemptTimeouts(java.util.List<java.time.Duration>)";
    assertTrue(declarations.stream().anyMatch(each -> each.endsWith(seen)), "type arguments too");
    assertEquals(
        List.of(), declarations.stream().filter(each -> each.contains(INTERNAL + ".")).toList());
  }

  /** The type's parents, and its public and protected members with all types that they name. */
  private static Stream<String> declarations(Class<?> type) {
    Stream<Type> parents =
        Stream.concat(
            Stream.ofNullable(type.getGenericSuperclass()), Stream.of(type.getGenericInterfaces()));
    return Stream.of(
            parents.map(Type::getTypeName),
            Stream.of(type.getDeclaredFields())
                .filter(each -> shown(each.getModifiers()))
                .map(Field::toGenericString),
            Stream.of(type.getDeclaredConstructors())
                .filter(each -> shown(each.getModifiers()))
                .map(Constructor::toGenericString),
            Stream.of(type.getDeclaredMethods())
                .filter(each -> shown(each.getModifiers()))
                .map(Method::toGenericString))
        .flatMap(each -> each);
  }

  private static Stream<Class<?>> publicTypes() throws IOException {
    try (Stream<Path> files = Files.walk(CLASSES)) {
      List<Class<?>> types = new ArrayList<>();
      files
          .map(file -> CLASSES.relativize(file).toString())
          .filter(file -> file.endsWith(".class") && !file.endsWith("-info.class"))
          .map(PublicApiArchitectureTest::load)
          .filter(PublicApiArchitectureTest::visible)
          .filter(type -> !type.getPackageName().equals(INTERNAL))
          .forEach(types::add);
      return types.stream();
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
    Class<?> around = type.getDeclaringClass();
    return shown(type.getModifiers()) && (around == null || visible(around));
  }

  private static boolean shown(int modifiers) {
    return Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers);
  }
}
