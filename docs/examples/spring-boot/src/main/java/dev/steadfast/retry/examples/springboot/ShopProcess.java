package dev.steadfast.retry.examples.springboot;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The application in a process of its own. */
final class ShopProcess implements AutoCloseable {
  private static final Pattern COUNT =
      Pattern.compile("\"statistic\":\"COUNT\",\"value\":([0-9.]+)");

  private final Process process;
  private final URI url;
  private final HttpClient http = HttpClient.newHttpClient();

  private ShopProcess(Process process, URI url) {
    this.process = process;
    this.url = url;
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
    return new ShopProcess(process, URI.create("http://127.0.0.1:" + port(process)));
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

  /** Orders something; the status of the answer. */
  int order(String order) throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(url.resolve("/orders/" + order))
            .POST(HttpRequest.BodyPublishers.noBody())
            .build();
    return http.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
  }

  /** The attempts that the reports of all operations have. */
  int reported() throws IOException, InterruptedException {
    return Integer.parseInt(get("/attempts"));
  }

  /** The attempts that the meters have counted. */
  int metered() throws IOException, InterruptedException {
    String meter = get("/actuator/metrics/steadfast.attempts");
    Matcher count = COUNT.matcher(meter);
    if (!count.find()) {
      throw new IOException("no count in " + meter);
    }
    return (int) Double.parseDouble(count.group(1));
  }

  /** The spans of attempts. */
  int traced() throws IOException, InterruptedException {
    return Integer.parseInt(get("/spans"));
  }

  private String get(String path) throws IOException, InterruptedException {
    return http.send(
            HttpRequest.newBuilder(url.resolve(path)).build(), HttpResponse.BodyHandlers.ofString())
        .body();
  }

  @Override
  public void close() {
    process.destroy();
  }
}
