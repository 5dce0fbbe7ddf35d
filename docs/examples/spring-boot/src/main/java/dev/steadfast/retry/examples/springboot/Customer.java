package dev.steadfast.retry.examples.springboot;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A customer of the running application, who also asks for its counts. */
final class Customer {
  private static final Pattern COUNT =
      Pattern.compile("\"statistic\":\"COUNT\",\"value\":([0-9.]+)");

  private final URI shop;
  private final HttpClient http = HttpClient.newHttpClient();

  Customer(String port) {
    this.shop = URI.create("http://127.0.0.1:" + port);
  }

  /** Orders something; the status of the answer. */
  int order(String order) throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(shop.resolve("/orders/" + order))
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
            HttpRequest.newBuilder(shop.resolve(path)).build(),
            HttpResponse.BodyHandlers.ofString())
        .body();
  }
}
