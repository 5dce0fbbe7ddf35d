package dev.steadfast.retry.httpclient;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Where the JDK looks for the setting; see {@code sun.net.NetProperties}. */
class AllMethodRetryTest {
  private static final String OTHERS = "http.nonProxyHosts=localhost\n";

  @TempDir Path folder;

  @AfterEach
  void clear() {
    System.clearProperty(AllMethodRetry.NAME);
  }

  private Path file(String lines) throws Exception {
    return Files.writeString(folder.resolve("net.properties"), OTHERS + lines);
  }

  private static Path with(Path file, String systemProperty) {
    if (systemProperty != null) {
      System.setProperty(AllMethodRetry.NAME, systemProperty);
    }
    return file;
  }

  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      value = {
        // in the file, system property
        "jdk.httpclient.enableAllMethodRetry=true, -",
        "jdk.httpclient.enableAllMethodRetry = TRUE, -",
        "jdk.httpclient.enableAllMethodRetry: true, -",
        "jdk.httpclient.enableAllMethodRetry, -",
        "jdk.httpclient.enableAllMethodRetry=, -",
        "jdk.httpclient.enableAllMethodRetry=false, true",
        "'', ''",
      })
  void isOn(String line, String systemProperty) throws Exception {
    Path file = with(file(line), systemProperty);
    Throwable thrown =
        assertThrows(IllegalArgumentException.class, () -> AllMethodRetry.refuse(file));
    assertTrue(thrown.getMessage().contains(AllMethodRetry.NAME), thrown.getMessage());
  }

  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      value = {
        "'', -",
        "# jdk.httpclient.enableAllMethodRetry=true, -",
        "jdk.httpclient.enableAllMethodRetry=false, -",
        "jdk.httpclient.enableAllMethodRetry=1, -",
        "jdk.httpclient.enableAllMethodRetry=true, false",
      })
  void isOff(String line, String systemProperty) throws Exception {
    Path file = with(file(line), systemProperty);
    assertDoesNotThrow(() -> AllMethodRetry.refuse(file));
  }

  @Test
  void aFileThatIsMissingSaysNothing() {
    assertDoesNotThrow(() -> AllMethodRetry.refuse(folder.resolve("none")));
  }

  @Test
  void whatStandsBeforeABrokenLineCounts() throws Exception {
    Path file = file(AllMethodRetry.NAME + "=true\nbroken=\\u00zz\n");
    assertThrows(IllegalArgumentException.class, () -> AllMethodRetry.refuse(file));
  }

  @Test
  void theFileOfThisJdkIsThere() {
    assertTrue(Files.isReadable(AllMethodRetry.OF_THIS_JDK), AllMethodRetry.OF_THIS_JDK.toString());
  }
}
