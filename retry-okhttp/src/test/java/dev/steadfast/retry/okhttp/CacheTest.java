package dev.steadfast.retry.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.AttemptReport;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.RequestView;
import dev.steadfast.retry.limit.QuotaPacing;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import okhttp3.Cache;
import okhttp3.CacheControl;
import okhttp3.Call;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** An answer without the server teaches nothing about it. */
class CacheTest {
  private final Rig rig = new Rig();
  private final Books books = new Books();
  private final ScriptedServer server = ScriptedServer.start();
  private Cache cache;

  @BeforeEach
  void open(@TempDir Path directory) {
    cache = new Cache(directory.toFile(), 1 << 20);
  }

  @AfterEach
  void leavesNothing() throws InterruptedException, IOException {
    rig.close();
    books.assertBalanced();
    server.assertNoLeaks();
    server.close();
    cache.close();
  }

  private Call.Factory calls(Entry entry) {
    HttpRetry retry = rig.retry().budget(books).guard(books).build();
    OkHttpClient.Builder builder = Rig.builder().cache(cache);
    return rig.calls(entry, builder, retry);
  }

  @ParameterizedTest
  @EnumSource
  void aMissThatMayNotAskIsAccepted(Entry entry) {
    Request request = Calls.get(server).newBuilder().cacheControl(CacheControl.FORCE_CACHE).build();

    Entry.Outcome got = entry.make(calls(entry).newCall(request));

    assertEquals(504, got.status());
    assertEquals(StopReason.ACCEPTED, rig.recorder.report().reason());
    assertEquals(0, rig.recorder.report().attempts());
    assertEquals(0, server.connectionsAccepted());
    assertEquals(1, books.endedUnknown.get()); // no deposit
    assertEquals(1, books.released.get()); // no record
  }

  @ParameterizedTest
  @EnumSource
  void aHitIsAccepted(Entry entry) {
    server.enqueue(Reply.status(200).header("Cache-Control", "max-age=1000").body("kept"));
    Call.Factory calls = calls(entry);
    assertEquals("kept", entry.make(calls.newCall(Calls.get(server))).body());
    rig.recorder.forget();

    assertEquals("kept", entry.make(calls.newCall(Calls.get(server))).body());

    assertEquals(1, server.requests().size());
    RetryReport report = rig.recorder.report();
    assertEquals(0, report.attempts());
    assertTrue(report.toString().contains("answered by a cache or an interceptor"));
    assertEquals(List.of(1), rig.recorder.attempts().stream().map(AttemptReport::number).toList());
    assertEquals(1, books.endedSucceeded.get());
    assertEquals(1, books.endedUnknown.get());
  }

  /** The server was asked before, and the report says so. */
  @ParameterizedTest
  @EnumSource(names = {"FACTORY_EXECUTE", "FACTORY_ENQUEUE", "AFTER_ADD_TO"})
  void aHitAfterAFailureIsTheSecondAttempt(Spot spot) {
    AtomicInteger attempts = new AtomicInteger();
    Interceptor thenFromTheCache =
        chain -> {
          Request.Builder request = chain.request().newBuilder();
          if (attempts.incrementAndGet() == 2) {
            request.cacheControl(CacheControl.FORCE_NETWORK);
          }
          return chain.proceed(request.build());
        };
    server.enqueue(
        Reply.status(200).header("Cache-Control", "max-age=1000").body("kept"), Reply.status(503));
    Call.Factory calls =
        spot.calls(rig, rig.retry().build(), Rig.builder().cache(cache), thenFromTheCache);
    assertEquals("kept", spot.make(calls.newCall(Calls.get(server))).body());
    rig.recorder.forget();

    Entry.Outcome got = spot.make(calls.newCall(Calls.get(server)));

    assertEquals("kept", got.body());
    assertEquals(2, got.report().attempts(), got.toString());
    assertTrue(got.report().earlierAttemptMayHaveActed());
    assertEquals(
        List.of(1, 2), got.report().attemptReports().stream().map(AttemptReport::number).toList());
    assertEquals(2, server.requests().size());
  }

  @ParameterizedTest
  @EnumSource
  void aRevalidationIsAnAttempt(Entry entry) throws Exception {
    server.enqueue(
        Reply.status(200).header("ETag", "\"1\"").header("Cache-Control", "no-cache").body("old"),
        Reply.status(503),
        Reply.status(304).header("ETag", "\"1\""));
    Call.Factory calls = calls(entry);
    assertEquals("old", entry.make(calls.newCall(Calls.get(server))).body());
    rig.recorder.forget();

    Call call = calls.newCall(Calls.get(server));
    try (Response response = entry == Entry.ENQUEUE ? Entry.enqueued(call) : call.execute()) {
      assertEquals(200, response.code());
      assertEquals("old", response.body().string());
      assertEquals(304, response.networkResponse().code());
      assertNotNull(response.cacheResponse());
    }

    assertEquals(3, server.requests().size());
    assertEquals("\"1\"", server.requests().get(2).header("If-None-Match").orElseThrow());
    assertEquals(2, rig.recorder.report().attempts());
    assertEquals(2, rig.recorder.deliveries());
    assertEquals(2, books.endedSucceeded.get());
  }

  /** What its cache kept of the quotas was true at that time. */
  @ParameterizedTest
  @EnumSource
  void aRevalidationTellsOfTheQuotasThatItNames(Entry entry) {
    server.enqueue(
        Reply.status(200)
            .header("ETag", "\"1\"")
            .header("Cache-Control", "no-cache")
            .header("RateLimit", "\"d\";r=0;t=5")
            .body("old"),
        Reply.status(304).header("ETag", "\"1\""),
        Reply.status(304).header("ETag", "\"1\"").header("RateLimit", "\"d\";r=7;t=5"));
    QuotaPacing pacing = QuotaPacing.perOrigin();
    OkHttpClient.Builder builder = Rig.builder().cache(cache);
    Call.Factory calls = rig.calls(entry, builder, rig.retry().guard(pacing).build());
    String origin = RequestView.origin(server.uri("/"));
    assertEquals("old", entry.make(calls.newCall(Calls.get(server))).body());
    assertEquals(0, pacing.state(origin).remaining());
    rig.time.advance(Duration.ofSeconds(6));
    assertEquals("old", entry.make(calls.newCall(Calls.get(server))).body());
    assertEquals(1, pacing.state(origin).remaining(), "it is whole again");
    assertEquals("old", entry.make(calls.newCall(Calls.get(server))).body());
    assertEquals(7, pacing.state(origin).remaining());
  }

  @ParameterizedTest
  @EnumSource
  void whatIsRetriedIsNotKept(Entry entry) throws Exception {
    server.enqueue(
        Reply.status(503).header("Cache-Control", "max-age=1000").body("busy"),
        Reply.status(200).header("Cache-Control", "max-age=1000").body("kept"));
    Call.Factory calls = calls(entry);
    for (int i = 0; i < 2; i++) {
      Call call = calls.newCall(Calls.get(server));
      try (Response response = entry == Entry.ENQUEUE ? Entry.enqueued(call) : call.execute()) {
        assertEquals("kept", response.body().string());
        assertTrue(i == 0 ? response.cacheResponse() == null : response.networkResponse() == null);
      }
    }
    assertEquals(2, server.requests().size());
    assertNull(server.requests().get(1).header("If-None-Match").orElse(null));
  }
}
