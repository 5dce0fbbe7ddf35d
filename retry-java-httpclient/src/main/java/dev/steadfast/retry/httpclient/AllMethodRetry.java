package dev.steadfast.retry.httpclient;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;

/**
 * The setting that has the JDK send a request of any method again when a connection breaks. A
 * system property sets it, or else a file of the JDK. The JDK reads both once, when the first
 * request is sent.
 */
final class AllMethodRetry {
  static final String NAME = "jdk.httpclient.enableAllMethodRetry";
  static final Path OF_THIS_JDK =
      Path.of(System.getProperty("java.home", ""), "conf", "net.properties");

  private AllMethodRetry() {}

  /**
   * Checks that the setting is off.
   *
   * @param netProperties the file of the JDK
   * @throws IllegalArgumentException if it is on
   */
  static void refuse(Path netProperties) {
    String value = System.getProperty(NAME);
    if (value == null) {
      value = read(netProperties).getProperty(NAME);
    }
    if (value != null && (value.isEmpty() || Boolean.parseBoolean(value))) {
      throw new IllegalArgumentException(
          NAME + ": on (expected: off, as the JDK would resend any POST by itself)");
    }
  }

  private static Properties read(Path file) {
    Properties properties = new Properties();
    try (InputStream in = Files.newInputStream(file)) {
      properties.load(in);
    } catch (IOException | IllegalArgumentException unreadable) {
      // As in the JDK: the lines that were read count, and the file may be missing.
    }
    return properties;
  }
}
