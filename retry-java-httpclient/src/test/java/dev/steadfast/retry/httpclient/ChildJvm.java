package dev.steadfast.retry.httpclient;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Runs a program in a JVM of its own, where the test may break what the whole process shares. */
final class ChildJvm {
  private static final long PATIENCE_SECONDS = 60;

  private ChildJvm() {}

  /**
   * What a program prints. One that has not ended after 60 s is stopped; what it printed by then
   * tells how far it came.
   */
  static List<String> run(List<String> flags, Class<?> program, String... arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(System.getProperty("java.home") + "/bin/java");
    command.add("-Xshare:auto");
    command.addAll(flags);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), program.getName()));
    command.addAll(List.of(arguments));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    CompletableFuture<String> printed = new CompletableFuture<>();
    Thread reader = new Thread(() -> printed.complete(read(process.getInputStream())), "child");
    reader.start();
    try {
      if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } finally {
      process.destroyForcibly();
      reader.join();
    }
    return printed.join().lines().toList();
  }

  private static String read(InputStream stream) {
    try {
      return new String(stream.readAllBytes(), UTF_8);
    } catch (IOException closed) {
      return "output of the program could not be read: " + closed;
    }
  }
}
