package dev.steadfast.retry.effects;

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
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** An application has one of the two clients. The helpers for the other are then never loaded. */
class WithoutOneClientTest {
  private static final Path CLASSES = Path.of("target", "classes");

  /** The platform without some of its packages. */
  private static final class Hiding extends ClassLoader {
    private final String hidden;

    Hiding(String hidden) {
      super(ClassLoader.getPlatformClassLoader());
      this.hidden = hidden;
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (name.startsWith(hidden)) {
        throw new ClassNotFoundException(name);
      }
      return super.loadClass(name, resolve);
    }
  }

  private static URLClassLoader without(String jars, String packages) {
    URL[] path =
        Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
            .filter(each -> !each.matches(jars) && !each.contains("test-classes"))
            .map(WithoutOneClientTest::url)
            .toArray(URL[]::new);
    return new URLClassLoader(path, new Hiding(packages));
  }

  private static URL url(String file) {
    try {
      return Path.of(file).toUri().toURL();
    } catch (MalformedURLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Loads all classes but some, with the types of their members. Returns how many. */
  private static int load(URLClassLoader loader, String except) throws Exception {
    List<String> names;
    try (Stream<Path> files = Files.walk(CLASSES)) {
      names =
          files
              .map(file -> CLASSES.relativize(file).toString())
              .filter(file -> file.endsWith(".class") && !file.endsWith("-info.class"))
              .map(file -> file.replaceFirst("\\.class$", "").replace(File.separatorChar, '.'))
              .filter(name -> !name.matches(except))
              .toList();
    }
    for (String name : names) {
      Class<?> loaded = Class.forName(name, true, loader);
      assertNotNull(loaded.getDeclaredMethods(), name); // needs the types of all members
      assertEquals(loader, loaded.getClassLoader());
    }
    return names.size();
  }

  @Test
  void withoutOkHttp_theRestLoads() throws Exception {
    try (URLClassLoader loader = without(".*(okhttp|okio|kotlin).*", "okhttp3.")) {
      assertTrue(load(loader, ".*\\.OkHttp.*") > 10);
      assertThrows(
          NoClassDefFoundError.class,
          () -> Class.forName(OkHttpEffects.class.getName(), true, loader).getDeclaredMethods());
    }
  }

  @Test
  void withoutJavaNetHttp_theRestLoads() throws Exception {
    try (URLClassLoader loader = without(".*retry-java-httpclient.*", "java.net.http.")) {
      assertTrue(load(loader, ".*\\.Jdk.*") > 10);
      assertThrows(
          NoClassDefFoundError.class,
          () -> Class.forName(JdkEffects.class.getName(), true, loader).getDeclaredMethods());
    }
  }
}
