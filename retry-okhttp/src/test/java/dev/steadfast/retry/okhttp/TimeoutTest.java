package dev.steadfast.retry.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.AttemptReport;
import dev.steadfast.retry.Disposition;
import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import okhttp3.Call;
import okhttp3.Dns;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import okhttp3.ResponseBody;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Timeouts of attempts and of operations, ours and OkHttp's. */
class TimeoutTest {
  private static final Duration ATTEMPT = Duration.ofSeconds(2);

  @RegisterExtension private final Rig rig = new Rig();
  private final ScriptedServer server = rig.server();

  private HttpRetry bounded() {
    return rig.retry()
        .policy(
            Calls.seconds().attemptTimeout(ATTEMPT).totalTimeout(Duration.ofSeconds(10)).build())
        .build();
  }

  private void assertTimeout(Entry.Outcome got) {
    assertEquals(InterruptedIOException.class, got.failure().getClass(), got.toString());
    assertTrue(got.failure().getMessage().startsWith("timeout"), got::toString);
  }

  /** Advances the time when the given number of requests has arrived. */
  private void afterRequests(int requests, Duration time) {
    AtomicInteger left = new AtomicInteger(requests);
    server.whenRequest(request -> {
      if (left.getAndDecrement() > 0) {
        rig.time.advance(time);
      }
    });
  }

  // ---- in virtual time

  /** Time is up while the host is looked up, the first time. */
  @ParameterizedTest
  @EnumSource(names = {"FACTORY_EXECUTE", "NETWORK_EXECUTE", "NETWORK_ENQUEUE"})
  void aKeylessPostThatWasNotSentInTimeIs(Spot spot) {
    Entry.Outcome got = madeWithASlowLookup(spot);

    assertEquals(200, got.status(), got.toString());
    assertEquals(1, server.requests().size());
    assertEquals(Disposition.UNSENT, got.report().attemptReports().get(0).disposition());
    assertFalse(got.report().earlierAttemptMayHaveActed());
  }

  /** The interceptor gets the exception only then, and may send by other means. */
  @Test
  void aKeylessPostThatAnInterceptorMayStillSendIsNot() {
    Entry.Outcome got = madeWithASlowLookup(Spot.FACTORY_ENQUEUE);

    assertTimeout(got);
    assertEquals(StopReason.NOT_REPLAYABLE, got.report().reason());
    assertEquals(0, server.requests().size());
    assertEquals(Disposition.UNKNOWN, got.report().attemptReports().get(0).disposition());
  }

  private Entry.Outcome madeWithASlowLookup(Spot spot) {
    AtomicInteger lookups = new AtomicInteger();
    Dns slow =
        host -> {
          if (lookups.incrementAndGet() == 1) {
            rig.time.advance(ATTEMPT);
          }
          return List.of(InetAddress.getLoopbackAddress());
        };
    OkHttpClient.Builder builder = Rig.builder().dns(slow);
    Call.Factory calls =
        spot.calls(rig, bounded(), builder, chain -> chain.proceed(chain.request()));
    Request post = Calls.post(server);
    Request named =
        post.newBuilder().url(post.url().newBuilder().host("service.test").build()).build();

    return spot.make(calls.newCall(named));
  }

  /** The attempt's time begins when it leaves the queue. */
  @Test
  void theQueueDoesNotUseUpTheAttempt() throws Exception {
    OkHttpClient client = rig.client(Rig.builder());
    client.dispatcher().setMaxRequests(1);
    RetryingCallFactory calls =
        rig.factory(
            client, rig.frozen().policy(Calls.seconds().attemptTimeout(ATTEMPT).build()).build());
    CountDownLatch held = new CountDownLatch(1);
    CountDownLatch ended = new CountDownLatch(1);
    OkHttpClient.Builder other = client.newBuilder();
    server.enqueue(Reply.status(200).delayUntil(held));
    Entry.Answers first = new Entry.Answers();
    other.build().newCall(Calls.get(server)).enqueue(first); // plain: has no timer
    server.awaitRequests(1, Calls.SOON);
    Entry.Answers second = new Entry.Answers();
    calls.newCall(Calls.get(server)).enqueue(second);
    rig.time.advance(ATTEMPT.plusSeconds(5));
    server.whenRequest(request -> {
      rig.time.advance(ATTEMPT.minusMillis(1));
      ended.countDown();
    });
    held.countDown();
    first.get().close();
    try (Response response = second.get()) {
      assertEquals(200, response.code());
    }
    assertEquals(0, ended.getCount());
    assertEquals(ATTEMPT.minusMillis(1), rig.recorder.attempts().get(0).took());
  }

  // ---- the timeout of the call

  @Test
  void theCallTimeoutOfTheClientIsTheDefault() {
    OkHttpClient client = rig.client(Rig.builder().callTimeout(Duration.ofSeconds(7)));
    Call call = rig.factory(client, rig.once()).newCall(Calls.get(server));
    assertEquals(7_000_000_000L, call.timeout().timeoutNanos());
    assertEquals(0, rig.factory(rig.once()).newCall(Calls.get(server)).timeout().timeoutNanos());
  }

  /** No wait is begun that the call timeout would end. */
  @ParameterizedTest
  @EnumSource
  void theCallTimeoutBoundsWaits(Entry entry) {
    OkHttpClient.Builder builder = Rig.builder().callTimeout(Duration.ofSeconds(60));
    Call.Factory calls =
        rig.calls(
            entry, builder, rig.retry().policy(Calls.seconds().noTotalTimeout().build()).build());
    Call call = calls.newCall(Calls.get(server));
    call.timeout().timeout(20, TimeUnit.SECONDS);
    server.enqueue(Reply.status(503).header("Retry-After", "30").body("later"));

    Entry.Outcome got = entry.make(call);

    assertEquals(503, got.status());
    assertEquals("later", got.body());
    assertEquals(StopReason.DEADLINE, got.report().reason());
    assertEquals(Duration.ofSeconds(30), got.report().serverDelay().orElseThrow());
  }

  @ParameterizedTest
  @EnumSource
  void soDoesItsDeadline(Entry entry) {
    Call.Factory calls =
        rig.calls(
            entry,
            Rig.builder(),
            rig.retry().policy(Calls.seconds().noTotalTimeout().build()).build());
    Call call = calls.newCall(Calls.get(server));
    call.timeout().deadline(20, TimeUnit.SECONDS);
    server.enqueue(Reply.status(503).header("Retry-After", "30"));

    Entry.Outcome got = entry.make(call);

    assertEquals(503, got.status());
    assertEquals(StopReason.DEADLINE, got.report().reason());
  }

  @ParameterizedTest
  @EnumSource(names = {"EXECUTE", "ENQUEUE"})
  void theCallTimeoutEndsTheOperationInVirtualTime(Entry entry) {
    OkHttpClient.Builder builder = Rig.builder().callTimeout(Duration.ofSeconds(3));
    Call.Factory calls =
        rig.calls(entry, builder, rig.retry().policy(Calls.seconds().build()).build());
    server.enqueue(Reply.status(503), Reply.stallAfterRequest());
    AtomicInteger requests = new AtomicInteger();
    server.whenRequest(request -> {
      if (requests.incrementAndGet() == 2) {
        rig.time.advance(Duration.ofSeconds(2));
      }
    });

    Entry.Outcome got = entry.make(calls.newCall(Calls.get(server)));

    assertTimeout(got);
    assertEquals(StopReason.DEADLINE, got.report().reason());
  }

  /**
   * Virtual time stands still, so it is OkHttp's timer that ends the call. It has longer and
   * longer, until it was not due before the server had the request.
   */
  private Entry.Outcome endedByOkHttp(Entry entry, HttpRetry retry, Request request) {
    server.defaultReply(Reply.stallAfterRequest());
    for (long millis = 50; ; millis *= 2) {
      String path = "/" + millis;
      OkHttpClient.Builder builder = Rig.builder().callTimeout(Duration.ofMillis(millis));
      Request own = request.newBuilder().url(server.uri(path).toString()).build();
      Entry.Outcome got = entry.make(rig.calls(entry, builder, retry).newCall(own));
      long arrived = server.requests().stream().filter(each -> each.target().equals(path)).count();
      if (arrived > 0) {
        assertEquals(1, arrived);
        return got;
      }
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"EXECUTE", "ENQUEUE"})
  void okHttpsOwnTimerIsADeadlineToo(Entry entry) {
    Entry.Outcome got = endedByOkHttp(entry, rig.keyed(), Calls.post(server));

    assertTimeout(got);
    assertEquals(StopReason.DEADLINE, got.report().reason());
    assertEquals(FailureKind.TIMEOUT, got.report().last().orElseThrow().kind().orElseThrow());
  }

  /**
   * The interceptor cannot tell the call's timer from a cancellation; the caller can. It reads with
   * the same timeout, so in virtual time the first attempt could end by that one, with time left.
   */
  @Test
  void okHttpsOwnTimerEndsTheInterceptor() {
    Entry.Outcome got =
        endedByOkHttp(Entry.INTERCEPTOR, HttpRetry.builder().build(), Calls.get(server));

    assertInstanceOf(InterruptedIOException.class, got.failure());
    assertTrue(List.of(StopReason.CANCELLED, StopReason.DEADLINE).contains(got.report().reason()));
  }

  /** As long as it takes for the head to come in time. */
  @ParameterizedTest
  @EnumSource
  void theCallTimeoutGoesOnWhileTheBodyIsRead(Entry entry) throws Exception {
    server.defaultReply(Reply.stalledBody(200, 100, "some"));
    for (long millis = 100; ; millis *= 2) {
      OkHttpClient.Builder builder = Rig.builder().callTimeout(Duration.ofMillis(millis));
      Call call = rig.calls(entry, builder, rig.once()).newCall(Calls.get(server));
      Response response;
      try {
        response = entry == Entry.ENQUEUE ? Entry.enqueued(call) : call.execute();
      } catch (InterruptedIOException tooEarly) {
        continue;
      }
      try (response) {
        IOException thrown = assertThrows(IOException.class, () -> response.body().string());
        assertEquals("timeout", thrown.getMessage());
        return;
      }
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"EXECUTE", "ENQUEUE"})
  void aTimeoutThatIsTakenBackHoldsNoMore(Entry entry) {
    List<Long> left = new CopyOnWriteArrayList<>();
    OkHttpClient.Builder builder = Rig.builder().callTimeout(Duration.ofSeconds(100));
    builder.addInterceptor(chain -> {
      left.add(chain.call().timeout().timeoutNanos());
      return chain.proceed(chain.request());
    });
    Call.Factory calls =
        rig.calls(entry, builder, rig.retry().policy(Calls.seconds().build()).build());
    server.enqueue(Reply.status(503));
    assertEquals(200, entry.make(calls.newCall(Calls.get(server))).status());
    assertEquals(List.of(100_000_000_000L, 99_000_000_000L), left); // the wait took one second
    left.clear();
    Call call = calls.newCall(Calls.get(server));
    call.timeout().clearTimeout();
    assertEquals(200, entry.make(call).status());
    assertEquals(List.of(0L), left);
  }

  /** The same with OkHttp's timer first and with ours first. */
  @ParameterizedTest
  @EnumSource
  void aCallThatTimedOutIsCanceled(Entry entry) {
    HttpRetry retry = HttpRetry.builder().build();
    Call.Factory calls = rig.calls(entry, Rig.builder().callTimeout(Duration.ofMillis(100)), retry);
    server.defaultReply(Reply.stallAfterRequest());
    // OkHttp reports the timeout of a call slightly before it cancels the call. A thread that waits
    // for the answer sees both, so the timeout leaves enough time for the request to go out.
    for (int i = 0; i < 5; i++) {
      Call call = calls.newCall(Calls.get(server));
      assertTimeout(entry.make(call));
      assertTrue(call.isCanceled());
    }
  }

  /** So is one that our deadline ended before an attempt. */
  @ParameterizedTest
  @EnumSource(names = {"EXECUTE", "ENQUEUE"})
  void soIsOneWhoseTotalTimeoutPassed(Entry entry) {
    HttpRetry retry = rig.retry().policy(Calls.seconds().build()).build();
    Call call = rig.calls(entry, Rig.builder(), retry).newCall(Calls.post(server));
    server.defaultReply(Reply.stallAfterRequest());
    afterRequests(1, Duration.ofSeconds(30));
    assertTimeout(entry.make(call));
    assertTrue(call.isCanceled());
  }

  @ParameterizedTest
  @EnumSource(names = {"EXECUTE", "ENQUEUE"})
  void anAttemptThatTookTooLongDoesNotCancelTheCall(Entry entry) {
    Call call = rig.calls(entry, Rig.builder(), bounded()).newCall(Calls.get(server));
    server.enqueue(Reply.stallAfterRequest());
    afterRequests(1, ATTEMPT);
    assertEquals(200, entry.make(call).status());
    assertFalse(call.isCanceled());
  }

  // ---- the interceptor bounds an attempt by OkHttp's timeouts

  @Test
  void theInterceptorLowersTheTimeouts() {
    List<String> seen = new CopyOnWriteArrayList<>();
    OkHttpClient.Builder builder =
        Rig.builder()
            .connectTimeout(Duration.ofSeconds(1))
            .readTimeout(Duration.ofSeconds(30))
            .writeTimeout(Duration.ZERO);
    HttpRetry retry =
        rig.retry()
            .policy(Calls.seconds().attemptTimeouts(List.of(ATTEMPT, Duration.ofNanos(1))).build())
            .build();
    RetryInterceptor.addTo(builder, retry);
    builder.addInterceptor(chain -> {
      seen.add(
          chain.connectTimeoutMillis()
              + " "
              + chain.readTimeoutMillis()
              + " "
              + chain.writeTimeoutMillis());
      if (seen.size() == 2) {
        throw new SocketTimeoutException("of the test's own");
      }
      return chain.proceed(chain.request());
    });
    server.enqueue(Reply.status(503));
    Call call = rig.client(builder).newCall(Calls.get(server));

    assertEquals(3, Entry.INTERCEPTOR.make(call).report().attempts());

    assertEquals(List.of("1000 2000 2000", "1 1 1"), seen.subList(0, 2));
  }

  @Test
  void theInterceptorLeavesTheBodyToTheClientsOwnTimeout() throws Exception {
    List<Socket> sockets = new CopyOnWriteArrayList<>();
    List<Integer> atTheHead = new CopyOnWriteArrayList<>();
    OkHttpClient.Builder builder = Rig.builder().readTimeout(Duration.ofSeconds(60));
    builder.addNetworkInterceptor(chain -> {
      sockets.add(chain.connection().socket());
      Response response = chain.proceed(chain.request());
      atTheHead.add(sockets.get(0).getSoTimeout());
      return response;
    });
    HttpRetry retry = rig.retry().policy(Calls.seconds().attemptTimeout(ATTEMPT).build()).build();
    Call.Factory calls = rig.calls(Entry.INTERCEPTOR, builder, retry);
    server.enqueue(Reply.stalledBody(200, 100, "some"));
    Call call = calls.newCall(Calls.get(server));
    try (Response response = call.execute()) {
      assertEquals(List.of((int) ATTEMPT.toMillis()), atTheHead);
      assertEquals(60_000, sockets.get(0).getSoTimeout());
      assertEquals(TimeUnit.SECONDS.toNanos(60), response.body().source().timeout().timeoutNanos());
      call.cancel();
    }
  }

  /**
   * An interceptor that reads the body has given its connection back: it may serve another call.
   */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void theInterceptorLeavesAConnectionAloneWhoseBodyHasBeenRead(boolean copied) throws Exception {
    List<Socket> sockets = new CopyOnWriteArrayList<>();
    OkHttpClient.Builder builder = Rig.builder().readTimeout(Duration.ofSeconds(60));
    HttpRetry retry = rig.retry().policy(Calls.seconds().attemptTimeout(ATTEMPT).build()).build();
    RetryInterceptor.addTo(
        builder.addNetworkInterceptor(chain -> {
          sockets.add(chain.connection().socket());
          return chain.proceed(chain.request());
        }),
        retry);
    builder.addInterceptor(chain -> {
      Response response = chain.proceed(chain.request());
      if (copied) {
        byte[] bytes = response.body().bytes();
        return response.newBuilder().body(ResponseBody.create(bytes, null)).build();
      }
      response.body().source().request(Long.MAX_VALUE);
      return response;
    });
    server.enqueue(Reply.status(200).body("some"));
    try (Response response = rig.client(builder).newCall(Calls.get(server)).execute()) {
      assertEquals((int) ATTEMPT.toMillis(), sockets.get(0).getSoTimeout());
      assertEquals("some", response.body().string());
    }
  }

  /** As long as it takes for the first attempt to reach the server in time. */
  @Test
  void theInterceptorRetriesAReadTimeout() {
    server.route(request ->
        request.header("X-Attempt").equals(Optional.of("1")) ? Reply.stallAfterRequest() : null);
    for (long millis = 50; ; millis *= 2) {
      RetryPolicy policy =
          Calls.seconds()
              .attemptTimeouts(List.of(Duration.ofMillis(millis), Duration.ofSeconds(20)))
              .build();
      HttpRetry retry =
          rig.retry()
              .policy(policy)
              .oncePerAttempt(
                  "X-Attempt", (operation, number) -> Optional.of(Integer.toString(number)))
              .build();
      Call.Factory calls = rig.calls(Entry.INTERCEPTOR, Rig.builder(), retry);
      rig.recorder.forget();

      Entry.Outcome got = Entry.INTERCEPTOR.make(calls.newCall(Calls.get(server)));

      assertEquals(200, got.status());
      AttemptReport first = rig.recorder.attempts().get(0);
      if (first.disposition() != Disposition.UNSENT) {
        assertEquals(FailureKind.TIMEOUT, first.kind().orElseThrow());
        assertInstanceOf(SocketTimeoutException.class, first.failure().orElseThrow());
        return;
      }
    }
  }
}
