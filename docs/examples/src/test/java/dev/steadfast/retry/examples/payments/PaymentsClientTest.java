package dev.steadfast.retry.examples.payments;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.DelayReason;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.RetryListener;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.examples.payments.ArmedFaults.Stall;
import dev.steadfast.retry.examples.payments.Faults.Point;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.IdempotencyKeys;
import dev.steadfast.retry.httpclient.JdkReports;
import dev.steadfast.retry.httpclient.RetryingHttpClient;
import dev.steadfast.retry.okhttp.OkHttpReports;
import dev.steadfast.retry.okhttp.RetryingCallFactory;
import dev.steadfast.retry.testkit.FakeTime;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Both clients of Steadfast against the service. */
final class PaymentsClientTest {
  private final FakeTime time = new FakeTime();
  @AutoClose private final Counterpart counterpart;

  PaymentsClientTest() throws IOException, SQLException {
    counterpart = new Counterpart();
  }

  private HttpRetry retry(RetryListener listener) {
    return HttpRetry.builder()
        .idempotencyKeys(IdempotencyKeys.randomUuid())
        .environment(time.environment())
        .listener(listener)
        .listener(time.skipWaits())
        .build();
  }

  private HttpRetry retry() {
    return retry(new RetryListener() {});
  }

  private HttpRequest payment() {
    return counterpart
        .request("alice", "")
        .POST(BodyPublishers.ofString(Counterpart.form("i-1", 100)))
        .build();
  }

  private static void assertPaidOnce(int attempts, RetryReport report) throws Exception {
    assertEquals(attempts, report.attempts());
    assertTrue(report.replayed());
    assertEquals(1, Counterpart.effects("i-1"));
  }

  @Test
  void javaNetHttpPaysOnceThroughAnErrorAfterTheCommit() throws Exception {
    counterpart.status(Point.AFTER_COMMIT, 500);
    HttpResponse<String> answer =
        RetryingHttpClient.wrap(HttpClient.newHttpClient(), retry())
            .send(payment(), BodyHandlers.ofString());
    assertEquals(201, answer.statusCode());
    assertPaidOnce(2, JdkReports.of(answer));
  }

  @Test
  void okHttpPaysOnceThroughALostAnswer() throws Exception {
    counterpart.crash(Point.AFTER_COMMIT);
    OkHttpClient client = new OkHttpClient();
    MediaType form = MediaType.get("application/x-www-form-urlencoded");
    Request request =
        new Request.Builder()
            .url(counterpart.uri().toString())
            .header("Authorization", "Bearer alice")
            .post(RequestBody.create(Counterpart.form("i-1", 100), form))
            .build();
    try (Response answer = RetryingCallFactory.wrap(client, retry()).newCall(request).execute()) {
      assertEquals(201, answer.code());
      assertPaidOnce(2, OkHttpReports.of(answer));
    } finally {
      client.dispatcher().executorService().shutdown();
      client.connectionPool().evictAll();
    }
  }

  /** The first request with the key is still at work, and will answer 500 after its commit. */
  @Test
  void aRequestThatMeetsTheFirstOneWaitsForItsAnswer() throws Exception {
    Stall stall = counterpart.stall(Point.AFTER_KEY);
    counterpart.status(Point.AFTER_COMMIT, 500);
    CompletableFuture<HttpResponse<String>> first = counterpart.paying("order-1", "i-1");
    stall.awaitReached();
    RetryListener letsTheFirstGoOn =
        new RetryListener() {
          @Override
          public void waiting(OperationInfo operation, Duration delay, DelayReason why) {
            assertEquals(Duration.ofSeconds(1), delay);
            stall.letGo();
            assertEquals(500, first.join().statusCode());
          }
        };
    HttpRequest second = counterpart.payment("alice", "order-1", Counterpart.form("i-1", 100));
    HttpResponse<String> answer =
        RetryingHttpClient.wrap(HttpClient.newHttpClient(), retry(letsTheFirstGoOn))
            .send(second, BodyHandlers.ofString());
    assertEquals(201, answer.statusCode());
    assertPaidOnce(2, JdkReports.of(answer));
  }
}
