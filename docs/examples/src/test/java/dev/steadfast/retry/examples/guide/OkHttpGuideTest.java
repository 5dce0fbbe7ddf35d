package dev.steadfast.retry.examples.guide;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.okhttp.RetryingCallFactory;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import dev.steadfast.retry.testkit.FakeTime;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import okhttp3.Call;
import okhttp3.Callback;
import okhttp3.HttpUrl;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class OkHttpGuideTest {
  private final FakeTime time = new FakeTime();
  private final ScriptedServer server = ScriptedServer.start();
  private final OkHttpClient client = new OkHttpClient();
  private final RetryingCallFactory calls = RetryingCallFactory.wrap(client, retry());

  private HttpRetry retry() {
    return HttpRetry.builder().environment(time.environment()).listener(time.skipWaits()).build();
  }

  @AfterEach
  void close() {
    client.dispatcher().executorService().shutdown();
    server.close();
  }

  @Test
  void ownCalls_areMadeForEachAttempt() throws IOException {
    server.enqueue(Reply.status(503));
    AtomicInteger made = new AtomicInteger();
    Call.Factory own =
        OkHttpGuide.ownCalls(
            client,
            ours ->
                request -> {
                  made.incrementAndGet();
                  return ours.newCall(request);
                },
            retry());
    try (Response response = own.newCall(new Request.Builder().url(url()).build()).execute()) {
      assertEquals(200, response.code());
    }
    assertEquals(2, made.get());
  }

  private Request post() {
    return new Request.Builder().url(url()).post(RequestBody.create("a", null)).build();
  }

  private HttpUrl url() {
    return HttpUrl.get(server.uri("/payments"));
  }

  @Test
  void quickstart_retriesWithOneKey() throws Exception {
    server.enqueue(Reply.closeAfterRequest(), Reply.status(201));
    OkHttpGuide.quickstart(url());
    assertEquals(2, server.requests().size());
    Optional<String> key = server.requests().get(0).header("Idempotency-Key");
    assertTrue(key.isPresent());
    assertEquals(key, server.requests().get(1).header("Idempotency-Key"));
  }

  @Test
  void enqueue_callsBack() throws Exception {
    server.enqueue(Reply.status(503));
    CountDownLatch done = new CountDownLatch(1);
    Request get = new Request.Builder().url(url()).build();
    OkHttpGuide.enqueue(calls, get, done::countDown);
    assertTrue(done.await(10, TimeUnit.SECONDS));
    assertEquals(2, server.requests().size());
  }

  @Test
  void interceptor_retries() throws Exception {
    server.enqueue(Reply.status(503));
    OkHttpClient intercepted = OkHttpGuide.interceptor(retry());
    try (Response response =
        intercepted.newCall(new Request.Builder().url(url()).build()).execute()) {
      assertEquals(200, response.code());
    }
  }

  @Test
  void options_giveTheKey() throws Exception {
    server.enqueue(Reply.status(503));
    try (Response response = OkHttpGuide.options(calls, post()).execute()) {
      assertEquals(200, response.code());
    }
    assertEquals(
        List.of("order-12345-payment", "order-12345-payment"),
        server.requests().stream()
            .map(each -> each.header("Idempotency-Key").orElse("none"))
            .toList());
  }

  @Test
  void report_comesWithTheResponseOrTheException() {
    server.enqueue(Reply.status(503));
    Request get = new Request.Builder().url(url()).build();
    assertEquals(2, reportOf(get).attempts());
    server.enqueue(Reply.closeAfterRequest());
    RetryReport lost = reportOf(post());
    assertEquals(StopReason.NOT_REPLAYABLE, lost.reason());
    assertTrue(lost.outcomeUnknown());
  }

  @Test
  void report_isThatOfTheResponseIfTheBodyBreaks() {
    server.enqueue(Reply.truncatedBody(200, 10, "abc"));
    assertEquals(StopReason.ACCEPTED, reportOf(post()).reason());
  }

  /** The only report that the guide's code is given. */
  private RetryReport reportOf(Request request) {
    List<RetryReport> reports = new ArrayList<>();
    OkHttpGuide.report(calls.newCall(request), reports::add);
    assertEquals(1, reports.size());
    OkHttpGuide.show(reports.get(0));
    return reports.get(0);
  }

  @Test
  void bufferedBodies_areRetriedWhenTheyBreak() throws Exception {
    server.enqueue(Reply.truncatedBody(200, 10, "abc"), Reply.status(200).body("whole"));
    Call.Factory buffering = RetryingCallFactory.wrap(client, OkHttpGuide.bufferedBodies());
    try (Response response =
        buffering.newCall(new Request.Builder().url(url()).build()).execute()) {
      assertEquals("whole", response.body().string());
    }
  }

  @Test
  void cancel_endsTheOperation() throws Exception {
    server.defaultReply(Reply.stallAfterRequest());
    CompletableFuture<IOException> failure = new CompletableFuture<>();
    OkHttpGuide.cancel(
        calls,
        post(),
        new Callback() {
          @Override
          public void onResponse(Call call, Response response) {
            response.close();
            failure.completeExceptionally(new AssertionError("answered"));
          }

          @Override
          public void onFailure(Call call, IOException thrown) {
            failure.complete(thrown);
          }
        });
    assertEquals("Canceled", failure.get(10, TimeUnit.SECONDS).getMessage());
  }
}
