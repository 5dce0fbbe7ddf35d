package dev.steadfast.retry.postgres;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;

/** The data directory of a new server. It is made once and copied, as initdb takes long. */
final class FreshData {
  private static Path made;

  private FreshData() {}

  /** Fills a directory, which is empty or missing. */
  static void copyTo(Path data) throws IOException {
    Files.createDirectories(data);
    try (Stream<Path> there = Files.list(data)) {
      if (there.findAny().isPresent()) {
        throw new IOException(data + " exists but is not empty");
      }
    }
    Path whole = made();
    try (Stream<Path> paths = Files.walk(whole)) {
      for (Path path : paths.toList()) {
        Path copy = data.resolve(whole.relativize(path).toString());
        if (Files.isDirectory(path)) {
          Files.createDirectories(copy);
        } else {
          Files.copy(path, copy, StandardCopyOption.COPY_ATTRIBUTES);
        }
      }
    }
    // PostgreSQL does not start on a directory that others may read.
    Files.setPosixFilePermissions(data, PosixFilePermissions.fromString("rwx------"));
  }

  private static synchronized Path made() throws IOException {
    if (made == null) {
      made = PostgresBinaries.once(PostgresBinaries.home(), "data", FreshData::initialize);
    }
    return made;
  }

  // Only a machine that dies within these seconds could lose anything by --no-sync.
  private static void initialize(Path data) throws IOException {
    List<String> arguments =
        List.of("-D", data.toString(), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync");
    Programs.runPostgres("initdb", arguments);
  }
}
