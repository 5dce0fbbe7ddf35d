package dev.steadfast.retry.examples;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import okhttp3.Call;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import org.apache.hc.client5.http.async.methods.SimpleHttpRequest;
import org.apache.hc.client5.http.async.methods.SimpleHttpResponse;
import org.apache.hc.client5.http.classic.methods.HttpPost;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.impl.async.CloseableHttpAsyncClient;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.core5.http.HttpResponse;

/**
 * The loop that everybody writes first. It has everything one thinks of at first: all transient
 * failures, a random pause that grows, a limit, a timeout per attempt.
 */
final class NaiveLoop {

  private final Sender sender;
  private final boolean keyed;

  /** Sends a payment once and returns the status. */
  interface Sender {
    int send(Payment payment, URI address, Map<String, String> headers, Duration timeout)
        throws IOException, InterruptedException;
  }

  /** Told after each attempt. */
  interface Watcher {
    void attempted(URI address, boolean failed);
  }

  private NaiveLoop(Sender sender, boolean keyed) {
    this.sender = sender;
    this.keyed = keyed;
  }

  static NaiveLoop over(OkHttpClient client) {
    return new NaiveLoop(
        (payment, address, headers, timeout) -> {
          Request.Builder request = OkHttpPayments.request(payment, address).newBuilder();
          headers.forEach(request::header);
          Call call = client.newCall(request.build());
          call.timeout().timeout(timeout.toNanos(), TimeUnit.NANOSECONDS);
          try (Response response = call.execute()) {
            return response.code();
          }
        },
        false);
  }

  static NaiveLoop over(HttpClient client) {
    return new NaiveLoop(
        (payment, address, headers, timeout) -> {
          HttpRequest.Builder request = JdkPayments.request(payment, address);
          headers.forEach(request::header);
          request.timeout(timeout);
          return client.send(request.build(), BodyHandlers.discarding()).statusCode();
        },
        false);
  }

  static NaiveLoop over(CloseableHttpClient client) {
    return new NaiveLoop(
        (payment, address, headers, timeout) -> {
          HttpPost request = ApachePayments.post(payment, address);
          headers.forEach(request::setHeader);
          request.setConfig(
              RequestConfig.custom()
                  .setResponseTimeout(timeout.toMillis(), TimeUnit.MILLISECONDS)
                  .build());
          return client.execute(request, HttpResponse::getCode);
        },
        false);
  }

  static NaiveLoop over(CloseableHttpAsyncClient client) {
    return new NaiveLoop(
        (payment, address, headers, timeout) -> {
          SimpleHttpRequest request = ApachePayments.simple(payment, address);
          headers.forEach(request::setHeader);
          Future<SimpleHttpResponse> sent = client.execute(request, null);
          try {
            return sent.get(timeout.toMillis(), TimeUnit.MILLISECONDS).getCode();
          } catch (ExecutionException | TimeoutException failure) {
            sent.cancel(true);
            throw new IOException(failure);
          }
        },
        false);
  }

  /** The same loop, which has heard of idempotency keys. */
  NaiveLoop withKey() {
    return new NaiveLoop(sender, true);
  }

  /** Returns whether the payment was made, as far as the loop knows. */
  boolean pay(Payment payment, URI address, Watcher watcher) throws InterruptedException {
    Map<String, String> headers = new HashMap<>();
    if (keyed) {
      headers.put("Idempotency-Key", "payment-" + payment.number());
    }
    for (int attempt = 1; attempt <= DemoRetry.TRIES; attempt++) {
      headers.put(DemoRetry.ATTEMPT_HEADER, Integer.toString(attempt));
      try {
        int status = sender.send(payment, address, headers, DemoRetry.attemptTimeout(attempt));
        watcher.attempted(address, false);
        if (status < 500 && status != 429) {
          return status == 201;
        }
      } catch (IOException failure) {
        watcher.attempted(address, true);
      }
      Thread.sleep(DemoRetry.pause(attempt).toMillis());
    }
    return false;
  }
}
