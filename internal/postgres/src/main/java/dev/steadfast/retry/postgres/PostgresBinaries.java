package dev.steadfast.retry.postgres;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.tukaani.xz.XZInputStream;

/**
 * PostgreSQL's programs, unpacked from the class path into a temporary directory.
 *
 * <p>They are unpacked once per JVM, and not into a directory with a known name: on a shared
 * machine somebody else could have put other programs there.
 */
final class PostgresBinaries {
  private static Path home;

  private PostgresBinaries() {}

  /** Returns the path of a program such as {@code initdb}. */
  static String program(String name) throws IOException {
    return home().resolve("bin").resolve(name).toString();
  }

  /** Returns the directory of the programs, which is deleted when the JVM ends. */
  static synchronized Path home() throws IOException {
    if (home == null) {
      Path directory = Files.createTempDirectory("steadfast-postgres-programs-");
      Runtime.getRuntime().addShutdownHook(new Thread(() -> atExit(directory)));
      unpack(directory);
      home = directory;
    }
    return home;
  }

  private static void atExit(Path directory) {
    PostgresServer.closeAll(); // with the programs that are deleted next
    delete(directory);
  }

  private static void unpack(Path directory) throws IOException {
    String resource = "/" + archive();
    try (InputStream packed = PostgresBinaries.class.getResourceAsStream(resource)) {
      if (packed == null) {
        throw new IOException("no PostgreSQL for this system on the class path: " + resource);
      }
      List<String> command =
          List.of("tar", "-x", "--no-same-owner", "-f", "-", "-C", directory.toString());
      Process tar = new ProcessBuilder(command).redirectErrorStream(true).start();
      try (InputStream unpacked = new XZInputStream(packed);
          OutputStream in = tar.getOutputStream()) {
        unpacked.transferTo(in);
      }
      Programs.await(tar, command);
    }
  }

  private static String archive() {
    String os = System.getProperty("os.name").toLowerCase(Locale.ROOT);
    String arch = System.getProperty("os.arch");
    return "postgres-"
        + (os.startsWith("mac") ? "darwin" : "linux")
        + (arch.equals("aarch64") ? "-arm_64" : "-x86_64")
        + ".txz";
  }

  /** Deletes a directory with all that is in it. */
  static void delete(Path directory) {
    try (Stream<Path> paths = Files.walk(directory)) {
      for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(path);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
