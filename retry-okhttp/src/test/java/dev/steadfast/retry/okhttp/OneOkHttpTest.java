package dev.steadfast.retry.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.testsupport.CapturedLog;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import okhttp3.OkHttpClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Class paths that have an OkHttp too many, or one that is too old. */
class OneOkHttpTest {
  @TempDir Path directory;

  private URL jar(String name, String... entries) throws IOException {
    Path jar = directory.resolve(name);
    try (OutputStream file = Files.newOutputStream(jar);
        ZipOutputStream zip = new ZipOutputStream(file)) {
      for (String entry : entries) {
        zip.putNextEntry(new ZipEntry(entry));
      }
    }
    return jar.toUri().toURL();
  }

  private static List<String> warnings(URL... jars) throws IOException {
    try (URLClassLoader loader = new URLClassLoader(jars, null)) {
      return CapturedLog.warningsOf(() -> OneOkHttp.warnOfSeveral(loader));
    }
  }

  @Test
  void twoAreNamed() throws IOException {
    URL four = jar("okhttp-4.12.0.jar", "okhttp3/OkHttpClient.class");
    URL five = jar("okhttp-jvm-5.5.1.jar", "okhttp3/OkHttpClient.class");

    List<String> warnings = warnings(four, five);

    assertEquals(1, warnings.size());
    String said = warnings.get(0);
    assertTrue(said.contains("2 times"), said);
    assertTrue(said.contains("okhttp-4.12.0.jar, okhttp-jvm-5.5.1.jar"), said);
    assertTrue(said.contains("dependencyManagement"), said);
  }

  /** Under Maven the artifact okhttp 5 is a jar without classes. */
  @Test
  void oneIsFine() throws IOException {
    URL empty = jar("okhttp-5.5.1.jar", "META-INF/okhttp.kotlin_module");
    URL five = jar("okhttp-jvm-5.5.1.jar", "okhttp3/OkHttpClient.class");

    assertEquals(List.of(), warnings(empty, five));
  }

  @Test
  void oldOneIsRefused() throws IOException {
    URL three = jar("okhttp-3.14.9.jar", "okhttp3/OkHttpClient.class");
    try (URLClassLoader loader = new URLClassLoader(new URL[] {three}, null)) {
      String said =
          assertThrows(IllegalStateException.class, () -> OneOkHttp.requireKotlins(loader))
              .getMessage();
      assertTrue(said.startsWith("OkHttp: 3, in okhttp-3.14.9.jar (expected: 4.12 or 5"), said);
    }
  }

  @Test
  void thisClassPathIsInOrder() {
    ClassLoader loader = OkHttpClient.class.getClassLoader();
    OneOkHttp.require();
    OneOkHttp.requireKotlins(loader);
    assertEquals(List.of(), CapturedLog.warningsOf(() -> OneOkHttp.warnOfSeveral(loader)));
  }
}
