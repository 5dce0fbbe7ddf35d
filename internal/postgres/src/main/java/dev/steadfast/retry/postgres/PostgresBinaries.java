package dev.steadfast.retry.postgres;

import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.URL;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.tukaani.xz.XZInputStream;

/**
 * PostgreSQL's programs, unpacked from the class path.
 *
 * <p>That takes many seconds. So a build names a directory of its own, in which the first JVM
 * unpacks them for all. Without one they are unpacked into a new temporary directory, and not into
 * one with a known name: on a shared machine somebody else could have put other programs there.
 */
final class PostgresBinaries {
  /** The directory of the build's, if there is one. */
  private static final String DIRECTORY = "steadfast.postgres.directory";

  private static Path home;

  private PostgresBinaries() {}

  /** Returns the path of a program such as {@code initdb}. */
  static String program(String name) throws IOException {
    return home().resolve("bin").resolve(name).toString();
  }

  /** Returns the directory of the programs. */
  static synchronized Path home() throws IOException {
    if (home == null) {
      String ofBuild = System.getProperty(DIRECTORY, "");
      boolean temporary = ofBuild.isEmpty();
      Path directory =
          temporary ? Files.createTempDirectory("steadfast-postgres-") : Path.of(ofBuild);
      Runtime.getRuntime().addShutdownHook(new Thread(() -> atExit(directory, temporary)));
      home = once(directory, version(), PostgresBinaries::unpack);
    }
    return home;
  }

  private static void atExit(Path directory, boolean temporary) {
    PostgresServer.closeAll(); // with the programs that may be deleted next
    if (temporary) {
      delete(directory);
    }
  }

  /** Fills a directory. */
  interface Filling {
    void of(Path directory) throws IOException;
  }

  /** Makes a directory that others see when it is whole, unless it is there. */
  static Path once(Path parent, String name, Filling filling) throws IOException {
    Path made = Files.createDirectories(parent).resolve(name);
    try (FileChannel lock = FileChannel.open(parent.resolve("lock"), CREATE, WRITE)) {
      lock.lock(); // until it is closed
      if (!Files.exists(made)) {
        Path part = Files.createTempDirectory(parent, "part-");
        filling.of(part);
        Files.move(part, made, ATOMIC_MOVE);
      }
    }
    return made;
  }

  /** Another version of the programs is in another file. */
  private static String version() throws IOException {
    return "programs-" + Integer.toHexString(packed().toString().hashCode());
  }

  private static void unpack(Path directory) throws IOException {
    try (InputStream packed = packed().openStream()) {
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

  private static URL packed() throws IOException {
    URL packed = PostgresBinaries.class.getResource("/" + archive());
    if (packed == null) {
      throw new IOException("no PostgreSQL for this system on the class path: " + archive());
    }
    return packed;
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
