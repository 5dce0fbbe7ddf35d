package dev.steadfast.retry.examples;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import okhttp3.OkHttpClient;
import okhttp3.Response;

/**
 * The loop that everybody writes first. It has everything one thinks of at first: all transient
 * failures, a pause, a limit, a timeout per attempt.
 */
final class NaiveLoop {
  static final int ATTEMPTS = 5;
  static final Duration PAUSE = Duration.ofMillis(100);

  private final Sender sender;

  /** Sends a payment once and returns the status. */
  interface Sender {
    int send(Payment payment, URI address, int attempt) throws IOException, InterruptedException;
  }

  /** Told after each attempt. */
  interface Watcher {
    void attempted(URI address, boolean failed);
  }

  private NaiveLoop(Sender sender) {
    this.sender = sender;
  }

  static NaiveLoop over(OkHttpClient plain) {
    OkHttpClient client = plain.newBuilder().callTimeout(DemoRetry.ATTEMPT_TIMEOUT).build();
    return new NaiveLoop((payment, address, attempt) -> {
      try (Response response =
          client
              .newCall(
                  OkHttpPayments.request(payment, address)
                      .newBuilder()
                      .header(DemoRetry.ATTEMPT_HEADER, "" + attempt)
                      .build())
              .execute()) {
        return response.code();
      }
    });
  }

  static NaiveLoop over(HttpClient client) {
    return new NaiveLoop((payment, address, attempt) ->
        client
            .send(
                JdkPayments.request(payment, address)
                    .timeout(DemoRetry.ATTEMPT_TIMEOUT)
                    .header(DemoRetry.ATTEMPT_HEADER, "" + attempt)
                    .build(),
                BodyHandlers.discarding())
            .statusCode());
  }

  /** Returns whether the payment was made, as far as the loop knows. */
  boolean pay(Payment payment, URI address, Watcher watcher) throws InterruptedException {
    for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
      try {
        int status = sender.send(payment, address, attempt);
        watcher.attempted(address, false);
        if (status < 500 && status != 429) {
          return status == 201;
        }
      } catch (IOException failure) {
        watcher.attempted(address, true);
      }
      Thread.sleep(PAUSE.toMillis());
    }
    return false;
  }
}
