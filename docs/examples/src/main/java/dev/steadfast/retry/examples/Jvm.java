package dev.steadfast.retry.examples;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Java processes with the class path of this one, which can be killed. */
public final class Jvm {
  private Jvm() {}

  /** Starts a main class. What it prints to its error output appears in that of this process. */
  public static Process start(Class<?> main, String... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx128m", "-XX:TieredStopAtLevel=1", "-Xshare:auto"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
  }

  /** Ends a process as {@code kill -9} does, and waits for its end. */
  public static void kill(Process process) {
    process.destroyForcibly().onExit().join();
  }

  /** Has this process end, as by a kill, when the one that has started it ends. */
  public static void endWithParent() {
    Thread watch =
        new Thread(() -> {
          try {
            System.in.readAllBytes();
          } catch (IOException closed) {
            // the same
          }
          Runtime.getRuntime().halt(1);
        });
    watch.setDaemon(true);
    watch.start();
  }
}
