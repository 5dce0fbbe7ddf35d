package dev.steadfast.retry.sdks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.steadfast.retry.apache5.Apache5Retry;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.tck.Reply;
import feign.Feign;
import feign.FeignException;
import feign.Retryer;
import feign.hc5.ApacheHttp5Client;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

final class FeignApacheTest {
  private static final String SDK = "feign-hc5";
  @AutoClose private final CountingServer server = new CountingServer();
  private final HttpRetry retry = server.retry();

  private static FeignPayments payments(String url, HttpRetry retry) {
    CloseableHttpClient http = Apache5Retry.addTo(HttpClients.custom(), retry).build();
    FeignPayments payments =
        Feign.builder()
            .client(new ApacheHttp5Client(http))
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

  @Test
  void withoutKeys_aPostIsSentOnceAfter503() {
    server.isDown();
    FeignPayments payments = payments(server.url(), HttpRetry.defaults());
    assertThrows(FeignException.class, () -> payments.pay("{}"));
    server.assertCounted(1, 0);
  }

  /** Feign retries a broken connection, and a 503 only if it says Retry-After. */
  @Test
  void bothRetry() {
    server.answers(Reply.status(503).header("Retry-After", "0"));
    CloseableHttpClient http = Apache5Retry.addTo(HttpClients.custom(), retry).build();
    FeignPayments payments =
        Feign.builder()
            .client(new ApacheHttp5Client(http))
            .target(FeignPayments.class, server.url());
    assertThrows(FeignException.class, () -> payments.pay("{}"));
    server.assertBoth(SDK, 15, 5);
  }
}
