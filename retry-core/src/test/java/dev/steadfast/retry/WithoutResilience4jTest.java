package dev.steadfast.retry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Everything but its own package loads and runs where resilience4j is absent. */
class WithoutResilience4jTest {
  private static final Path CLASSES = Path.of("target", "classes");

  private static URLClassLoader withoutResilience4j() throws MalformedURLException {
    URL[] path =
        Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
            .filter(each -> !each.contains("resilience4j") && !each.contains("test-classes"))
            .map(WithoutResilience4jTest::url)
            .toArray(URL[]::new);
    return new URLClassLoader(path, ClassLoader.getPlatformClassLoader());
  }

  private static URL url(String file) {
    try {
      return Path.of(file).toUri().toURL();
    } catch (MalformedURLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void allOtherClassesLoad() throws Exception {
    try (URLClassLoader loader = withoutResilience4j();
        Stream<Path> files = Files.walk(CLASSES)) {
      List<String> names =
          files
              .map(file -> CLASSES.relativize(file).toString())
              .filter(file -> file.endsWith(".class") && !file.contains("resilience4j"))
              .map(file -> file.replaceFirst("\\.class$", "").replace(File.separatorChar, '.'))
              .toList();
      for (String name : names) {
        Class<?> loaded = Class.forName(name, true, loader);
        assertEquals(loader, loaded.getClassLoader());
        assertNotNull(loaded.getDeclaredMethods()); // resolves what the signatures name
      }
      assertTrue(names.size() > 100, "classes: " + names.size());
      assertThrows(
          ClassNotFoundException.class,
          () -> loader.loadClass("io.github.resilience4j.circuitbreaker.CircuitBreaker"));
    }
  }

  @Test
  void aRetrierAndAConfigurationWork() throws Exception {
    try (URLClassLoader loader = withoutResilience4j()) {
      Class<?> retrier = loader.loadClass(Retrier.class.getName());
      Object builder = retrier.getMethod("builder").invoke(null);
      Object built = builder.getClass().getMethod("build").invoke(builder);
      Callable<String> work = () -> "done";
      assertEquals("done", retrier.getMethod("call", Callable.class).invoke(built, work));

      Class<?> retry = loader.loadClass("dev.steadfast.retry.http.HttpRetry");
      Object httpBuilder = retry.getMethod("builder").invoke(null);
      httpBuilder.getClass().getMethod("hintGate", boolean.class).invoke(httpBuilder, true);
      assertTrue(
          httpBuilder
              .getClass()
              .getMethod("build")
              .invoke(httpBuilder)
              .toString()
              .startsWith("HttpRetry"));
    }
  }
}
