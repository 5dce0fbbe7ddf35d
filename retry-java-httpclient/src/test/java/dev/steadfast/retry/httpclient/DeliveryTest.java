package dev.steadfast.retry.httpclient;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.http.HttpOperation;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.httpclient.FailureContext.Progress;
import dev.steadfast.retry.testkit.FakeTime;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import org.junit.jupiter.api.Test;

/** What is said of an attempt, and what its thread does afterwards. */
class DeliveryTest {
  private final HttpClient client = HttpClient.newHttpClient();
  private final BodyHandler<String> handler = BodyHandlers.ofString();
  private final HttpRequest request = HttpRequest.newBuilder(URI.create("http://a.test/")).build();
  private final JdkRequest ask =
      new JdkRequest(request, RequestBody.of(request, RetryOptions.none()));
  private final HttpOperation operation =
      HttpRetry.builder()
          .environment(new FakeTime().environment())
          .build()
          .operation(ask, RetryOptions.none());
  private final AttemptBodyHandler<String> delivery =
      new AttemptBodyHandler<>(
          null, ask.body().forAttempt(null, () -> 0, false), handler, operation);

  private Progress progress() {
    return FailureContext.of(client, ask, delivery).progress();
  }

  @Test
  void whatWasGivenUpAsNotSentIsNotSent() {
    assertEquals(Progress.NOT_TAKEN, progress());

    assertFalse(delivery.handOver());
    assertEquals(Progress.NOT_TAKEN, progress());
  }

  @Test
  void whatTheClientHasMayHaveBeenSent() {
    assertTrue(delivery.handOver());

    assertEquals(Progress.TAKEN, progress());
  }

  @Test
  void whatTheClientThrewBackWasNotSent() {
    assertTrue(delivery.handOver());
    delivery.notTakenByClient();

    assertEquals(Progress.NOT_TAKEN, progress());
  }
}
