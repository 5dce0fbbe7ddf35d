package dev.steadfast.retry.postgres;

import com.sun.security.auth.module.UnixSystem;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Runs programs to their end. */
final class Programs {
  private Programs() {}

  /**
   * Runs one of PostgreSQL's programs.
   *
   * <p>They refuse to run as root. For root they run in a user namespace of their own, in which the
   * same user has another number: the files that they write still belong to root.
   */
  static void runPostgres(String program, List<String> arguments) throws IOException {
    List<String> command = new ArrayList<>();
    if (new UnixSystem().getUid() == 0) {
      command.addAll(List.of("unshare", "--user"));
    }
    command.add(PostgresBinaries.program(program));
    command.addAll(arguments);
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    process.getOutputStream().close();
    await(process, command);
  }

  /** Waits for the end of a process; throws with what it printed unless it ended well. */
  static void await(Process process, List<String> command) throws IOException {
    String printed =
        new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    try {
      if (process.waitFor() != 0) {
        throw new IOException(
            String.join(" ", command) + " ended with " + process.exitValue() + ": " + printed);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted during " + command.get(0));
    }
  }
}
