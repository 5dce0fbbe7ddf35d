package dev.steadfast.retry.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.steadfast.retry.*;
import dev.steadfast.retry.http.*;
import dev.steadfast.retry.scenarios.Reply;
import dev.steadfast.retry.scenarios.ScriptedServer;
import dev.steadfast.retry.testkit.FakeTime;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import okhttp3.*;
import org.junit.jupiter.api.Test;

final class SmokeTest {
  private final FakeTime time = new FakeTime();

  private HttpRetry retry() {
    return HttpRetry.builder()
        .environment(time.environment())
        .listener(time.skipWaits())
        .idempotencyKeys(IdempotencyKeys.randomUuid())
        .build();
  }

  @Test
  void executes() throws Exception {
    try (ScriptedServer server = ScriptedServer.start()) {
      server.enqueue(Reply.status(503), Reply.closeAfterRequest(), Reply.status(200).body("hi"));
      OkHttpClient client = new OkHttpClient();
      Call.Factory calls = RetryingCallFactory.wrap(client, retry());
      Request request =
          new Request.Builder()
              .url(server.uri("/x").toString())
              .post(RequestBody.create("a", null))
              .build();
      try (Response r = calls.newCall(request).execute()) {
        assertEquals(200, r.code());
        assertEquals("hi", r.body().string());
        System.out.println(OkHttpReports.of(r));
        assertEquals(3, OkHttpReports.of(r).attempts());
      }
      assertEquals(
          1, server.requests().stream().map(q -> q.header("Idempotency-Key")).distinct().count());
      server.enqueue(Reply.status(503), Reply.closeAfterRequest(), Reply.status(200).body("hi"));
      CompletableFuture<Response> f = new CompletableFuture<>();
      calls
          .newCall(request)
          .enqueue(
              new Callback() {
                public void onFailure(Call c, IOException e) {
                  f.completeExceptionally(e);
                }

                public void onResponse(Call c, Response r) {
                  f.complete(r);
                }
              });
      try (Response r = f.get()) {
        assertEquals("hi", r.body().string());
        System.out.println(OkHttpReports.of(r));
      }
      server.enqueue(
          Reply.status(503).header("Retry-After", "0"),
          Reply.status(408).header("Retry-After", "12345678901"));
      OkHttpClient c2 = RetryInterceptor.addTo(new OkHttpClient.Builder(), retry()).build();
      try (Response r = c2.newCall(request).execute()) {
        System.out.println(OkHttpReports.of(r));
        assertEquals(408, r.code());
        assertEquals("12345678901", r.header("Retry-After"));
      }
      server.enqueue(Reply.closeAfterRequest());
      Call.Factory plain = RetryingCallFactory.wrap(client, HttpRetry.defaults());
      IOException e = assertThrows(IOException.class, () -> plain.newCall(request).execute());
      System.out.println(e + " " + RetryReport.of(e));
      client.connectionPool().evictAll();
      c2.connectionPool().evictAll();
      server.awaitNoOpenConnections(java.time.Duration.ofSeconds(5));
    }
    assertEquals(0, time.pending());
  }
}
