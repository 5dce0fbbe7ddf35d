package dev.steadfast.retry.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.Filter;
import java.io.File;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Everything but what is for servlets loads and runs where they are absent. */
class WithoutOptionalLibrariesTest {
  private static final Path CLASSES = Path.of("target", "classes");

  // Our classes that are for servlets.
  private static final Pattern FOR_OPTIONAL =
      Pattern.compile("server.(ServletScope|ScopedResponse)\\b");

  private static URLClassLoader withoutOptional() throws MalformedURLException {
    URL[] path =
        Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
            .filter(each -> !each.matches(".*(servlet-api|test-classes).*"))
            .map(WithoutOptionalLibrariesTest::url)
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
    try (URLClassLoader loader = withoutOptional();
        Stream<Path> files = Files.walk(CLASSES)) {
      List<String> names =
          files
              .map(file -> CLASSES.relativize(file).toString())
              .filter(file ->
                  file.endsWith(".class")
                      && !file.endsWith("module-info.class")
                      && !FOR_OPTIONAL.matcher(file).find())
              .map(file -> file.replaceFirst("\\.class$", "").replace(File.separatorChar, '.'))
              .toList();
      for (String name : names) {
        Class<?> loaded = Class.forName(name, true, loader);
        assertEquals(loader, loaded.getClassLoader());
        assertNotNull(loaded.getDeclaredMethods()); // resolves what the signatures name
      }
      assertTrue(names.size() > 4, "classes: " + names.size());
      assertThrows(ClassNotFoundException.class, () -> loader.loadClass("jakarta.servlet.Filter"));
    }
  }

  @Test
  void aScopeAndItsFilterForTheJdksServerWork() throws Exception {
    try (URLClassLoader loader = withoutOptional()) {
      Class<?> scope = loader.loadClass("dev.steadfast.retry.scope.RetryScope");
      Function<String, String> headers = Map.of("Do-Not-Retry", "true")::get;
      try (AutoCloseable entered =
          (AutoCloseable) scope.getMethod("enter", Function.class).invoke(null, headers)) {
        assertEquals(true, scope.getMethod("doNotRetry").invoke(entered));
      }
      Class<?> server = loader.loadClass("dev.steadfast.retry.server.HttpServerScope");
      assertInstanceOf(Filter.class, server.getMethod("filter").invoke(null));
      // What is for servlets says so, when it is used.
      assertThrows(
          NoClassDefFoundError.class,
          () -> loader.loadClass("dev.steadfast.retry.server.ServletScope"));
    }
  }
}
