package dev.steadfast.retry.postgres;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Set;

/** Makes the data directory of a standby: a copy of a server that runs, and which it follows. */
final class Standby {
  private static final Path LOG_OF_CHANGES = Path.of("pg_wal"); // the standby asks for it
  private static final Set<String> OF_THE_SERVER =
      Set.of("postmaster.pid", "postmaster.opts", "server.log", "standby.signal");

  private Standby() {}

  /**
   * Copies the data of a server, and has the copy follow it.
   *
   * @param from the data directory of the server
   * @param to a directory that is missing
   */
  static void copy(PostgresServer primary, Path from, Path to) throws IOException {
    try (Connection connection = primary.dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("select pg_backup_start('standby', true)");
      copy(from, to);
      try (ResultSet stopped =
          statement.executeQuery("select labelfile from pg_backup_stop(false)")) {
        stopped.next();
        Files.writeString(to.resolve("backup_label"), stopped.getString(1));
      }
    } catch (SQLException e) {
      throw new IOException("no copy of the server on port " + primary.port(), e);
    }
    Files.createFile(to.resolve("standby.signal"));
    Files.writeString(
        to.resolve("postgresql.auto.conf"),
        "\nprimary_conninfo = 'host=127.0.0.1 port=%d user=postgres'\n".formatted(primary.port())
            + "wal_retrieve_retry_interval = '100ms'\n"
            + "synchronous_standby_names = ''\n",
        StandardOpenOption.CREATE,
        StandardOpenOption.APPEND);
    // PostgreSQL does not start on a directory that others may read.
    Files.setPosixFilePermissions(to, PosixFilePermissions.fromString("rwx------"));
  }

  private static void copy(Path from, Path to) throws IOException {
    Files.walkFileTree(
        from,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes)
              throws IOException {
            Files.createDirectories(to.resolve(from.relativize(directory).toString()));
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Path name = from.relativize(file);
            boolean skipped =
                name.startsWith(LOG_OF_CHANGES) || OF_THE_SERVER.contains(name.toString());
            if (!skipped) {
              copyIfThere(file, to.resolve(name.toString()));
            }
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path file, IOException failed) throws IOException {
            if (failed instanceof NoSuchFileException) {
              return FileVisitResult.CONTINUE; // the server has deleted it meanwhile
            }
            throw failed;
          }
        });
  }

  private static void copyIfThere(Path file, Path copy) throws IOException {
    try {
      Files.copy(file, copy);
    } catch (NoSuchFileException deleted) {
      // The server needs it no more, and neither does the copy.
    }
  }
}
