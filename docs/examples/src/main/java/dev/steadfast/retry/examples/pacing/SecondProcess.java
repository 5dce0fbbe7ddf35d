package dev.steadfast.retry.examples.pacing;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Another process that spends from the same quotas, until the first one ends. */
public final class SecondProcess {
  private SecondProcess() {}

  /**
   * Calls servers with pacing.
   *
   * @param arguments a client and an address in turn
   * @throws IOException if it is not told when to end
   */
  public static void main(String[] arguments) throws IOException {
    for (int i = 0; i < arguments.length; i += 2) {
      LimitedClient.Kind kind = LimitedClient.Kind.valueOf(arguments[i]);
      LimitedClient.start(kind, URI.create(arguments[i + 1]), true);
    }
    int end = System.in.read(); // the first process has closed it, or is gone
    System.exit(end < 0 ? 0 : 1);
  }

  static Process start(List<String> arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-XX:+UseSerialGC");
    command.add("-classpath");
    command.add(System.getProperty("java.class.path"));
    command.add(SecondProcess.class.getName());
    command.addAll(arguments);
    return new ProcessBuilder(command)
        .redirectOutput(ProcessBuilder.Redirect.INHERIT)
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }
}
