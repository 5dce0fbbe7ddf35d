package dev.steadfast.retry.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.scope.RetryScope;
import dev.steadfast.retry.scope.ScopeOptions;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import okhttp3.Call;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import okio.AsyncTimeout;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Clients of event streams take the call timeout back when the stream has begun. */
class LiftedTimeoutTest {
  @RegisterExtension private final Rig rig = new Rig();
  private final ScriptedServer server = rig.server();

  @BeforeEach
  void okHttp5() {
    Calls.assumeOkHttp5(); // the Okio of OkHttp 4 has no Timeout.cancel
  }

  /**
   * Returns when a timeout that began now has run out and the call that it ends has learned of it.
   */
  private static void awaitTimeout(long millis) throws InterruptedException {
    CountDownLatch over = new CountDownLatch(1);
    AsyncTimeout timeout =
        new AsyncTimeout() {
          @Override
          protected void timedOut() {
            over.countDown();
          }
        };
    timeout.timeout(millis, TimeUnit.MILLISECONDS);
    timeout.enter();
    over.await();
    timeout.exit();
  }

  /** As long as it takes for the head to come, and the timeout to be taken back, in time. */
  @ParameterizedTest
  @EnumSource
  void theBodyIsReadWithoutIt(Entry entry) throws Exception {
    HttpRetry retry = HttpRetry.builder().build();
    for (long millis = 100; ; millis *= 2) {
      OkHttpClient.Builder builder = Rig.builder().callTimeout(Duration.ofMillis(millis));
      server.enqueue(Reply.stalledBody(200, 100, "data: 1\n"));
      Call call = rig.calls(entry, builder, retry).newCall(Calls.get(server));
      long due = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
      Response response;
      try {
        response = entry == Entry.ENQUEUE ? Entry.enqueued(call) : call.execute();
      } catch (InterruptedIOException tooEarly) {
        continue;
      }
      try (response) {
        call.timeout().cancel();
        if (System.nanoTime() - due >= 0) {
          call.cancel();
          continue; // too late
        }
        awaitTimeout(2 * millis);
        assertFalse(call.isCanceled());
        assertEquals("data: 1", response.body().source().readUtf8Line());
        call.cancel();
        return;
      }
    }
  }

  // ---- before the head, in virtual time: the call timeout is 20 s

  private Call call(Entry entry, RetryPolicy policy, RetryOptions options) {
    OkHttpClient.Builder builder = Rig.builder().callTimeout(Duration.ofSeconds(20));
    HttpRetry retry = rig.frozen().policy(policy).build();
    Request get = Calls.get(server).newBuilder().tag(RetryOptions.class, options).build();
    return rig.calls(entry, builder, retry).newCall(get);
  }

  private static RetryPolicy policy() {
    return RetryPolicy.builder()
        .backoff(Backoff.fixed(Duration.ofSeconds(15)))
        .noTotalTimeout()
        .build();
  }

  private void advance(int seconds) {
    rig.time.advance(Duration.ofSeconds(seconds));
  }

  /** The server's thread takes it back, and holds the answer until the timeout has passed. */
  @ParameterizedTest
  @EnumSource
  void anAttemptGoesOnWithoutIt(Entry entry) {
    Call call = call(entry, policy(), RetryOptions.none());
    server.whenRequest(request -> {
      call.timeout().cancel();
      advance(30);
    });
    assertEquals(200, entry.make(call).status());
    assertFalse(call.isCanceled());
  }

  /** So does the wait that follows, and the next attempt. */
  @ParameterizedTest
  @EnumSource
  void soDoTheNext(Entry entry) throws Exception {
    Call call = call(entry, policy(), RetryOptions.none());
    server.enqueue(Reply.status(503));
    server.whenRequest(request -> {
      call.timeout().cancel();
      advance(30);
    });
    CompletableFuture<Entry.Outcome> made = CompletableFuture.supplyAsync(() -> entry.make(call));
    while (rig.recorder.waits().isEmpty() && !made.isDone()) {
      Thread.onSpinWait();
    }
    rig.time.awaitPending(1);
    advance(15);
    assertEquals(200, made.get(20, TimeUnit.SECONDS).status());
  }

  /** The wait begins within the timeout; the second attempt ends after it would have passed. */
  @ParameterizedTest
  @EnumSource
  void itIsTakenBackDuringTheWait(Entry entry) throws Exception {
    Call call = call(entry, policy(), RetryOptions.none());
    server.enqueue(Reply.status(503));
    AtomicInteger requests = new AtomicInteger();
    server.whenRequest(request -> {
      if (requests.incrementAndGet() == 2) {
        advance(10);
      }
    });
    CompletableFuture<Entry.Outcome> made = CompletableFuture.supplyAsync(() -> entry.make(call));
    while (rig.recorder.waits().isEmpty() && !made.isDone()) {
      Thread.onSpinWait();
    }
    rig.time.awaitPending(1);
    call.timeout().cancel();
    advance(15);
    assertEquals(200, made.get(20, TimeUnit.SECONDS).status());
  }

  /** Later attempts begin without it, so that OkHttp does not end them either. */
  @ParameterizedTest
  @EnumSource(names = {"EXECUTE", "ENQUEUE"})
  void theNextCallHasNone(Entry entry) {
    List<Long> left = new CopyOnWriteArrayList<>();
    Call[] made = new Call[1];
    OkHttpClient.Builder builder = Rig.builder().callTimeout(Duration.ofSeconds(20));
    builder.addInterceptor(chain -> {
      left.add(chain.call().timeout().timeoutNanos());
      made[0].timeout().cancel();
      return chain.proceed(chain.request());
    });
    HttpRetry retry = rig.retry().policy(Calls.seconds().build()).build();
    made[0] = rig.calls(entry, builder, retry).newCall(Calls.get(server));
    server.enqueue(Reply.status(503));
    assertEquals(200, entry.make(made[0]).status());
    assertEquals(List.of(20_000_000_000L, 0L), left);
  }

  /** What else bounds the operation goes on. */
  enum Other {
    OPTIONS,
    POLICY,
    SCOPE
  }

  static Stream<Arguments> entriesAndOthers() {
    return Arrays.stream(Entry.values())
        .flatMap(entry -> Arrays.stream(Other.values()).map(other -> Arguments.of(entry, other)));
  }

  private RetryScope scope(Duration deadline) {
    Map<String, String> headers = Map.of("grpc-timeout", deadline.toSeconds() + "S");
    ScopeOptions options = ScopeOptions.builder().environment(rig.time.environment()).build();
    return RetryScope.enter(headers::get, null, options);
  }

  /** The other bound is 25 s after the beginning, no matter how late the timeout is cancelled. */
  @ParameterizedTest
  @MethodSource("entriesAndOthers")
  void theOtherBoundsHoldAtTheirTime(Entry entry, Other other) throws Exception {
    Duration bound = Duration.ofSeconds(25);
    RetryPolicy policy = policy();
    RetryOptions options = RetryOptions.none();
    if (other == Other.POLICY) {
      policy = Calls.seconds().totalTimeout(bound).build();
    } else if (other == Other.OPTIONS) {
      options = RetryOptions.builder().deadline(bound).build();
    }
    Call call = call(entry, policy, options);
    List<Boolean> canceled = new CopyOnWriteArrayList<>();
    server.defaultReply(Reply.stallAfterRequest());
    server.whenRequest(request -> {
      advance(10);
      call.timeout().cancel();
      advance(14);
      canceled.add(call.isCanceled());
      advance(1);
    });

    Entry.Outcome got;
    try (RetryScope scope = other == Other.SCOPE ? scope(bound) : null) {
      got = entry.make(call);
    }

    assertInstanceOf(InterruptedIOException.class, got.failure());
    assertEquals(StopReason.DEADLINE, got.report().reason());
    assertEquals(List.of(false), canceled);
  }

  /** As long as it takes for the head to come in time. */
  @ParameterizedTest
  @EnumSource
  void theDeadlineOfTheOptionsEndsTheBody(Entry entry) throws Exception {
    server.defaultReply(Reply.stalledBody(200, 100, "data: 1\n"));
    for (long millis = 100; ; millis *= 2) {
      OkHttpClient.Builder builder = Rig.builder().callTimeout(Duration.ofMillis(millis));
      RetryOptions options = RetryOptions.builder().deadline(Duration.ofMillis(2 * millis)).build();
      Request get = Calls.get(server).newBuilder().tag(RetryOptions.class, options).build();
      Call call = rig.calls(entry, builder, HttpRetry.builder().build()).newCall(get);
      Response response;
      try {
        response = entry == Entry.ENQUEUE ? Entry.enqueued(call) : call.execute();
      } catch (InterruptedIOException tooEarly) {
        continue;
      }
      try (response) {
        call.timeout().cancel();
        assertThrows(InterruptedIOException.class, () -> response.body().string());
        return;
      }
    }
  }
}
