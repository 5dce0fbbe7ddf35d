package dev.steadfast.retry.torture;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Starts, kills and freezes Java processes. */
final class Jvm {
  private static final List<String> OPTIONS =
      List.of("-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto");

  private Jvm() {}

  /** The class path of this process. */
  static String classPath() {
    return System.getProperty("java.class.path");
  }

  /** Starts a main class, and appends its error output to a file. */
  static Process start(String classPath, Class<?> main, Path errors, String... arguments)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(OPTIONS);
    command.addAll(List.of("-cp", classPath, main.getName()));
    command.addAll(List.of(arguments));
    Process process =
        new ProcessBuilder(command)
            .redirectError(ProcessBuilder.Redirect.appendTo(errors.toFile()))
            .start();
    try {
      Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
    } catch (IllegalStateException shuttingDown) {
      process.destroyForcibly();
      throw new IOException("this process is ending", shuttingDown);
    }
    return process;
  }

  /** Ends a process as kill -9 does, and waits for its end. */
  static void kill(Process process) {
    process.destroyForcibly();
    boolean interrupted = Thread.interrupted();
    while (process.isAlive()) {
      try {
        process.waitFor();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Sends a signal such as STOP to a process of ours. */
  static void signal(Process process, String name) throws IOException {
    Process kill =
        new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
            .redirectError(ProcessBuilder.Redirect.DISCARD) // the process may have just ended
            .start();
    try {
      kill.waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Freezes this process until every lease that was taken before has ended. */
  static void freeze() throws IOException {
    long pid = ProcessHandle.current().pid();
    String commands =
        "kill -STOP %d; sleep %d; kill -CONT %d"
            .formatted(pid, Payments.PAST_LEASE.plusMillis(999).toSeconds(), pid);
    Process shell =
        new ProcessBuilder("sh", "-c", commands)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    try {
      shell.waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
