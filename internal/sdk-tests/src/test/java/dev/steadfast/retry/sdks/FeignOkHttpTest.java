package dev.steadfast.retry.sdks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.okhttp.RetryInterceptor;
import dev.steadfast.retry.tck.Reply;
import feign.Feign;
import feign.FeignException;
import feign.Retryer;
import feign.okhttp.OkHttpClient;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

final class FeignOkHttpTest {
  private static final String SDK = "feign-okhttp";
  @AutoClose private final CountingServer server = new CountingServer();
  private final HttpRetry retry = server.retry();

  static FeignPayments payments(String url, HttpRetry retry) {
    okhttp3.OkHttpClient http =
        RetryInterceptor.addTo(new okhttp3.OkHttpClient.Builder(), retry).build();
    FeignPayments payments =
        Feign.builder()
            .client(new OkHttpClient(http)) // feign.okhttp.OkHttpClient
            .retryer(Retryer.NEVER_RETRY) // Steadfast retries
            .target(FeignPayments.class, url);
    return payments;
  }

  @Test
  void steadfastAlone() {
    server.recovers("{}");
    assertEquals("{}", payments(server.url(), retry).pay("{}"));
    server.assertAlone(SDK, 3, 1);
  }

  @Test
  void steadfastAlone_whileTheServerIsDown() {
    server.answers(Reply.closeAfterRequest());
    FeignPayments payments = payments(server.url(), retry);
    assertThrows(FeignException.class, () -> payments.pay("{}"));
    server.assertAlone(SDK, 3, 1);
  }

  /** Feign retries a broken connection, and a 503 only if it says Retry-After. */
  @Test
  void bothRetry() {
    server.answers(Reply.status(503).header("Retry-After", "0"));
    okhttp3.OkHttpClient http =
        RetryInterceptor.addTo(new okhttp3.OkHttpClient.Builder(), retry).build();
    FeignPayments payments =
        Feign.builder().client(new OkHttpClient(http)).target(FeignPayments.class, server.url());
    assertThrows(FeignException.class, () -> payments.pay("{}"));
    server.assertBoth(SDK, 15, 5);
  }
}
