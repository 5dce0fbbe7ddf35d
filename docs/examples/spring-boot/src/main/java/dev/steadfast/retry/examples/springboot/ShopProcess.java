package dev.steadfast.retry.examples.springboot;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The application in a process of its own. */
final class ShopProcess implements AutoCloseable {
  private final Process process;
  private final Customer customer;

  private ShopProcess(Process process, Customer customer) {
    this.process = process;
    this.customer = customer;
  }

  /**
   * Starts the application and waits until it serves.
   *
   * @param withHttp5 whether Apache HttpClient 5 is on its class path
   */
  static ShopProcess start(FaultyPayments payments, String library, boolean withHttp5)
      throws IOException {
    List<String> command =
        List.of(
            System.getProperty("java.home") + "/bin/java",
            "-XX:TieredStopAtLevel=1",
            "-Xshare:auto",
            "-cp",
            classPath(withHttp5),
            Shop.class.getName(),
            "--payments.url=" + payments.url(),
            "--steadfast.clients.payments.library=" + library);
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    return new ShopProcess(process, new Customer(port(process)));
  }

  private static String classPath(boolean withHttp5) {
    return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
        .filter(each -> withHttp5 || !new File(each).getName().startsWith("http"))
        .collect(Collectors.joining(File.pathSeparator));
  }

  private static String port(Process process) throws IOException {
    BufferedReader output =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    StringBuilder before = new StringBuilder();
    for (String line = output.readLine(); line != null; line = output.readLine()) {
      if (line.startsWith("port ")) {
        return line.substring("port ".length());
      }
      before.append(line).append('\n');
    }
    throw new IOException("the application did not start:\n" + before);
  }

  Customer customer() {
    return customer;
  }

  @Override
  public void close() {
    process.destroy();
  }
}
