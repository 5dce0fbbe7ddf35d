package dev.steadfast.retry.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.engine.CallContext;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.IdempotencyKeys;
import dev.steadfast.retry.http.Propagation;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.scope.RetryScope;
import dev.steadfast.retry.scope.ScopeOptions;
import dev.steadfast.retry.tck.Received;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import okhttp3.Call;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Calls that are made for a request which imposes something. */
class ScopeTest {
  private final Rig rig = new Rig();
  private final ScriptedServer server = ScriptedServer.start();

  @AfterEach
  void leavesNothing() throws InterruptedException {
    assertNull(CallContext.current());
    rig.close();
    server.assertNoLeaks();
    server.close();
  }

  private RetryScope scope(Map<String, String> headers) {
    ScopeOptions options = ScopeOptions.builder().environment(rig.time.environment()).build();
    return RetryScope.enter(headers::get, null, options);
  }

  private RetryScope told() {
    return scope(Map.of("Do-Not-Retry", "true"));
  }

  // What is imposed.

  /** An interceptor around ours may proceed twice, and each time is a request of its own will. */
  @ParameterizedTest
  @EnumSource(names = {"INTERCEPTOR", "INTERCEPTOR_ENQUEUE"})
  void theSecondPassOfACallIsBoundToo(Way way) {
    OkHttpClient.Builder builder =
        Rig.builder()
            .addInterceptor(chain -> {
              chain.proceed(chain.request()).close();
              return chain.proceed(chain.request());
            });
    Call.Factory calls = way.calls(rig, builder, rig.retry().build());
    server.defaultReply(Reply.status(503));
    try (RetryScope scope = told()) {
      assertEquals(503, way.make(calls.newCall(Calls.get(server))).status());
      assertFalse(scope.gaveUp());
    }
    assertEquals(2, server.requests().size());
  }

  @ParameterizedTest
  @EnumSource
  void theSameNameForAnotherRequestIsRefusedBeforeAnythingIsSent(Way way) {
    Call.Factory calls = way.calls(rig, rig.keyed());
    RetryOptions named = RetryOptions.builder().derivedKey("charge").build();
    Request one = Calls.post(server).newBuilder().tag(RetryOptions.class, named).build();
    Request other = one.newBuilder().url(server.uri("/other").toString()).build();
    try (RetryScope scope =
        RetryScope.enter(
            Map.of("Idempotency-Key", "k")::get,
            "acme",
            ScopeOptions.defaults().withOperation("POST /in"))) {
      assertEquals(200, way.make(calls.newCall(one)).status());
      Exception refused =
          way == Way.INTERCEPTOR || way == Way.INTERCEPTOR_ENQUEUE
              ? way.make(calls.newCall(other)).failure()
              : assertThrows(IllegalArgumentException.class, () -> way.make(calls.newCall(other)));
      assertTrue(refused.getMessage().startsWith("derivedKey: \"charge\""), refused.getMessage());
      assertTrue(scope.parentKey().isPresent());
    }
    assertEquals(1, server.requests().size());
  }

  // Which scope.

  @ParameterizedTest
  @EnumSource
  void aCallIsOfTheScopeThatItIsMadeIn(Way way) throws Exception {
    Call.Factory calls = way.calls(rig, rig.retry().build());
    server.defaultReply(Reply.status(503));
    Call call;
    try (RetryScope scope = told()) {
      call = calls.newCall(Calls.get(server));
      assertTrue(scope.doNotRetry());
    }
    Entry.Outcome[] got = {null};
    Thread elsewhere = new Thread(() -> got[0] = way.make(call));
    elsewhere.start();
    elsewhere.join();
    assertEquals(StopReason.DO_NOT_RETRY, got[0].report().reason());
    assertEquals(1, server.requests().size());
  }

  /** An interceptor meets an enqueued call on another thread, and knows where it was made only. */
  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "INTERCEPTOR_ENQUEUE")
  void theScopeThatItIsExecutedInWins(Way way) {
    Call.Factory calls = way.calls(rig, rig.retry().build());
    server.defaultReply(Reply.status(503));
    Call madeOutside = calls.newCall(Calls.get(server));
    Call madeFreely;
    try (RetryScope free = scope(Map.of())) {
      madeFreely = calls.newCall(Calls.get(server));
      assertFalse(free.doNotRetry());
    }
    Call madeTold;
    try (RetryScope scope = told()) {
      madeTold = calls.newCall(Calls.get(server));
      assertEquals(1, way.make(madeOutside).report().attempts());
      assertEquals(1, way.make(madeFreely).report().attempts());
      assertFalse(scope.gaveUp());
    }
    try (RetryScope free = scope(Map.of())) {
      assertEquals(3, way.make(madeTold).report().attempts());
      assertTrue(free.gaveUp());
    }
  }

  @ParameterizedTest
  @EnumSource
  void aCloneIsOfTheScopeThatItIsMadeIn(Way way) {
    Call.Factory calls = way.calls(rig, rig.retry().build());
    server.defaultReply(Reply.status(503));
    Call call = calls.newCall(Calls.get(server));
    Call clone;
    try (RetryScope scope = told()) {
      clone = call.clone();
      assertTrue(scope.doNotRetry());
    }
    assertEquals(1, way.make(clone).report().attempts());
    assertEquals(3, way.make(call).report().attempts());
  }

  /** What the dispatcher's threads did for one request, they do not do for the next. */
  @ParameterizedTest
  @EnumSource
  void threadsOfTheDispatcherAreInNoScopeAfterwards(Way way) {
    Call.Factory calls = way.calls(rig, rig.retry().build());
    server.defaultReply(Reply.status(503));
    for (int request = 0; request < 3; request++) {
      try (RetryScope scope = told()) {
        assertEquals(1, way.make(calls.newCall(Calls.get(server))).report().attempts());
        assertFalse(scope.gaveUp());
      }
      assertEquals(3, way.make(calls.newCall(Calls.get(server))).report().attempts());
    }
  }

  // The time that is left, in the dispatcher's queue.

  @Test
  void theTimeInTheQueueIsNotPromised() throws Exception {
    HttpRetry retry =
        rig.frozen()
            .policy(RetryPolicy.builder().totalTimeout(Duration.ofSeconds(30)).build())
            .idempotencyKeys(IdempotencyKeys.randomUuid())
            .propagation(Propagation.to(server.uri("/").resolve("/").toString()))
            .build();
    RetryingCallFactory calls = rig.factory(retry);
    calls.client().dispatcher().setMaxRequestsPerHost(1);
    CountDownLatch gate = new CountDownLatch(1);
    CountDownLatch arrived = new CountDownLatch(1);
    server.whenRequest(request -> arrived.countDown());
    server.enqueue(Reply.status(200).delayUntil(gate));
    Entry.Answers first = new Entry.Answers();
    calls.newCall(Calls.post(server)).enqueue(first);
    arrived.await();
    Entry.Answers queued = new Entry.Answers();
    calls.newCall(Calls.post(server)).enqueue(queued);
    rig.time.advance(Duration.ofSeconds(12));
    gate.countDown();
    first.get().close();
    queued.get().close();

    List<Received> requests = server.requests();
    assertEquals("30000", requests.get(0).header("X-Request-Timeout-Ms").orElseThrow());
    assertEquals("18000", requests.get(1).header("X-Request-Timeout-Ms").orElseThrow());
    assertEquals(1, requests.get(1).headerValues("Idempotency-Key").size());
    Request shown = (Request) rig.recorder.requests().get(1);
    assertEquals("18000", shown.header("X-Request-Timeout-Ms"));
  }
}
