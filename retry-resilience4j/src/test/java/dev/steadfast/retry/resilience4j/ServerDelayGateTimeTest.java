package dev.steadfast.retry.resilience4j;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.AttemptRefusedException;
import dev.steadfast.retry.DelayReason;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.RetryListener;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.internal.ServerDelayPendingException;
import dev.steadfast.retry.resilience4j.ScriptedCalls.Status;
import dev.steadfast.retry.testkit.FakeTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;

/** Operations that are held back because the server asked another one to wait. */
class ServerDelayGateTimeTest {
  private static final String A = "https://a.example/x";
  private static final String B = "https://b.example/x";
  private static final Status WAIT_7_S = Status.of(429, "Retry-After", "7");

  private final FakeTime time = new FakeTime();
  private final Map<OperationInfo, Duration> sentAt = new ConcurrentHashMap<>();
  private final AtomicInteger waits = new AtomicInteger();

  private ScriptedCalls calls(LongSupplier random, boolean gate) {
    return new ScriptedCalls(
        HttpRetry.builder()
            .environment(time.environment(random))
            .policy(
                RetryPolicy.builder().maxAttempts(1).totalTimeout(Duration.ofSeconds(30)).build())
            .serverDelayGate(gate)
            .listener(
                new RetryListener() {
                  @Override
                  public void attemptStarted(OperationInfo operation, int attempt, Object request) {
                    sentAt.put(operation, Duration.ofNanos(time.nanos()));
                  }

                  @Override
                  public void waiting(OperationInfo operation, Duration delay, DelayReason why) {
                    waits.incrementAndGet();
                  }
                })
            .build());
  }

  private ScriptedCalls calls() {
    return calls(() -> 0, true);
  }

  @Test
  void otherOperationsToTheOriginWait_thoseToOthersDoNot() throws Throwable {
    ScriptedCalls calls = calls();
    assertEquals(429, calls.call(A, WAIT_7_S).status());
    assertEquals(200, calls.call(B).status());
    CompletableFuture<Status> held = calls.start(A);
    time.advance(Duration.ofMillis(6_999));
    assertFalse(held.isDone());
    assertEquals(2, sentAt.size());
    time.advance(Duration.ofMillis(1));
    assertEquals(200, held.join().status());
    assertEquals(200, calls.call(A).status());
  }

  @Test
  void offByDefault() throws Throwable {
    ScriptedCalls calls = calls(() -> 0, false);
    calls.call(A, WAIT_7_S);
    assertEquals(200, calls.call(A).status());
    assertEquals(0, waits.get());
  }

  @Test
  void aDeadlineThatIsTooNear_refusesAtOnce_andTellsTheServerDelay() throws Throwable {
    ScriptedCalls calls = calls();
    calls.call(A, Status.of(503, "Retry-After", "7"));
    time.advance(Duration.ofSeconds(1));
    RetryOptions brief = RetryOptions.builder().deadline(Duration.ofSeconds(3)).build();
    AttemptRefusedException refused =
        assertThrows(AttemptRefusedException.class, () -> calls.call(A, brief));
    assertEquals(Duration.ofSeconds(6), refused.serverDelay().orElseThrow());
    assertTrue(refused.status().isEmpty());
    assertInstanceOf(ServerDelayPendingException.class, refused.getCause());
    RetryReport report = RetryReport.of(refused).orElseThrow();
    assertEquals(StopReason.GUARD_REFUSED, report.reason());
    assertEquals(0, report.attempts());
  }

  @Test
  void theSpreadUsesTheRoomBeforeTheDeadline_andNoMore() throws Throwable {
    ScriptedCalls calls = calls(() -> -1, true); // draws the longest
    calls.call(A, WAIT_7_S);
    CompletableFuture<Status> free = calls.start(A);
    time.advance(Duration.ofSeconds(14).minusNanos(1));
    assertFalse(free.isDone());
    time.advance(Duration.ofNanos(1));
    assertTrue(free.isDone());

    calls.call(A, WAIT_7_S);
    RetryOptions brief = RetryOptions.builder().deadline(Duration.ofSeconds(9)).build();
    sentAt.clear();
    Duration before = Duration.ofNanos(time.nanos());
    CompletableFuture<Status> pressed = calls.start(A, brief);
    time.advance(Duration.ofSeconds(9));
    assertEquals(200, pressed.join().status());
    Duration waited = sentAt.values().iterator().next().minus(before);
    assertEquals(Duration.ofSeconds(9).minus(RetryPolicy.defaults().minimumAttempt()), waited);
  }

  @Test
  void aServerDelayAboveTheCeiling_holdsForTheCeiling() throws Throwable {
    ScriptedCalls calls =
        new ScriptedCalls(
            HttpRetry.builder()
                .environment(time.environment())
                .policy(RetryPolicy.builder().maxAttempts(1).noTotalTimeout().build())
                .serverDelayGate(true)
                .build());
    calls.call(A, Status.of(429, "Retry-After", "86400"));
    CompletableFuture<Status> held = calls.start(A);
    time.advance(Duration.ofMillis(59_999));
    assertFalse(held.isDone());
    time.advance(Duration.ofMillis(1));
    assertTrue(held.isDone());
  }

  @Test
  void aWaitCanBeCancelled_andNothingIsSent() throws Throwable {
    ScriptedCalls calls = calls();
    calls.call(A, WAIT_7_S);
    CompletableFuture<Status> held = calls.start(A);
    assertEquals(1, time.pending());
    held.cancel(true);
    time.advance(Duration.ofSeconds(30));
    assertTrue(held.isCancelled());
    assertEquals(1, sentAt.size());
  }

  @Test
  void theRetryOfTheOperationItself_isNotHeldBackTwice() throws Throwable {
    ScriptedCalls calls =
        new ScriptedCalls(
            HttpRetry.builder()
                .environment(time.environment())
                .listener(time.skipWaits())
                .serverDelayGate(true)
                .build());
    assertEquals(200, calls.call(A, WAIT_7_S).status());
    assertEquals(Duration.ofSeconds(7), Duration.ofNanos(time.nanos()));
  }

  @Test
  void aHerdIsLetGoOverTime_neverAtOnce_andNeverEarly() throws Throwable {
    SplittableRandom random = new SplittableRandom(4);
    ScriptedCalls calls = calls(random::nextLong, true);
    calls.call(A, WAIT_7_S);
    sentAt.clear();
    List<CompletableFuture<Status>> herd = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      herd.add(calls.start(A));
    }
    time.advance(Duration.ofSeconds(30));
    for (CompletableFuture<Status> each : herd) {
      assertEquals(200, each.join().status());
    }
    int[] perTenth = new int[300];
    for (Duration at : sentAt.values()) {
      perTenth[(int) (at.toMillis() / 100)]++;
    }
    int most = 0;
    for (int tenth = 0; tenth < perTenth.length; tenth++) {
      most = Math.max(most, perTenth[tenth]);
      assertTrue(tenth >= 70 || perTenth[tenth] == 0, "early: " + tenth);
    }
    // 1,000 over 7 s are 14 in each tenth of a second.
    assertTrue(most < 45, "at once: " + most);
  }
}
