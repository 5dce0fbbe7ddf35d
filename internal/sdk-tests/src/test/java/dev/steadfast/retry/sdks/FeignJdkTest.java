package dev.steadfast.retry.sdks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.httpclient.RetryingHttpClient;
import dev.steadfast.retry.tck.Reply;
import feign.Feign;
import feign.FeignException;
import feign.Request;
import feign.Retryer;
import feign.http2client.Http2Client;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

final class FeignJdkTest {
  private static final String SDK = "feign-java11";
  @AutoClose private final CountingServer server = new CountingServer();
  private final HttpRetry retry = server.retry();

  static FeignPayments payments(String url, HttpRetry retry) {
    // region sdk-feign-jdk
    HttpClient plain = HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build();
    Request.Options same = // the connect timeout of the client, and as it follows no redirects
        new Request.Options(5, TimeUnit.SECONDS, 60, TimeUnit.SECONDS, false);
    FeignPayments payments =
        Feign.builder()
            .client(new Http2Client(RetryingHttpClient.wrap(plain, retry)))
            .options(same)
            .retryer(Retryer.NEVER_RETRY) // Steadfast retries
            .target(FeignPayments.class, url);
    // endregion
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
    server.isDown();
    FeignPayments payments = payments(server.url(), retry);
    assertThrows(FeignException.class, () -> payments.pay("{}"));
    server.assertAlone(SDK, 3, 1);
  }

  /** Feign makes a client of its own where its options differ, and nothing of ours is in it. */
  @Test
  void otherOptions_passUsBy() {
    server.isDown();
    FeignPayments payments =
        Feign.builder()
            .client(new Http2Client(RetryingHttpClient.wrap(HttpClient.newHttpClient(), retry)))
            .retryer(Retryer.NEVER_RETRY)
            .target(FeignPayments.class, server.url());
    assertThrows(FeignException.class, () -> payments.pay("{}"));
    server.assertCounted(1, 0);
  }

  @Test
  void bothRetry() {
    server.answers(Reply.status(503).header("Retry-After", "0"));
    HttpClient plain = HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build();
    FeignPayments payments =
        Feign.builder()
            .client(new Http2Client(RetryingHttpClient.wrap(plain, retry)))
            .options(new Request.Options(5, TimeUnit.SECONDS, 60, TimeUnit.SECONDS, false))
            .target(FeignPayments.class, server.url());
    assertThrows(FeignException.class, () -> payments.pay("{}"));
    server.assertBoth(SDK, 15, 5);
  }
}
