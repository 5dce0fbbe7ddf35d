package dev.steadfast.retry.soak;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/** The server, in a process of its own, so that its threads and sockets are not counted here. */
final class SecondJvm implements AutoCloseable {
  private final Process process;
  private final BufferedReader answers;
  private final int port;

  private SecondJvm(Process process) throws IOException {
    this.process = process;
    this.answers =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    this.port = Integer.parseInt(answers.readLine());
  }

  static SecondJvm start() throws IOException {
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx128m",
            "-XX:+UseSerialGC",
            "-cp",
            System.getProperty("java.class.path"),
            FaultServer.class.getName());
    return new SecondJvm(
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start());
  }

  String url(String path) {
    return "http://127.0.0.1:" + port + path;
  }

  /** How many connections the server has. */
  synchronized int connections() throws IOException {
    process.getOutputStream().write('\n');
    process.getOutputStream().flush();
    return Integer.parseInt(answers.readLine());
  }

  @Override
  public void close() {
    process.destroy(); // its input ends with this process in any case, and then it ends
  }
}
