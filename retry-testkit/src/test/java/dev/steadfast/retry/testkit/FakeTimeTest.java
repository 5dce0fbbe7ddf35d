package dev.steadfast.retry.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.DelayReason;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.RetryEnvironment;
import dev.steadfast.retry.RetryListener;
import dev.steadfast.retry.RetryScheduler;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Time that moves only when a test advances it. */
class FakeTimeTest {
  private static final OperationInfo INFO = OperationInfo.of("origin", "label");
  private static final long SECOND = Duration.ofSeconds(1).toNanos();

  private final FakeTime time = new FakeTime();
  private final List<String> ran = new ArrayList<>();

  private Runnable note(String name) {
    return () -> ran.add(name + "@" + Duration.ofNanos(time.nanos()).toMillis());
  }

  @Test
  void standsStillUntilItIsMoved() {
    assertEquals(0, time.nanos());
    assertEquals(Instant.parse("2014-06-06T12:30:00Z"), time.instant());
    time.advance(Duration.ofMillis(1500));
    assertEquals(1_500_000_000, time.nanos());
    assertEquals(Instant.parse("2014-06-06T12:30:01.500Z"), time.instant());
    time.advance(Duration.ZERO);
    assertEquals(1_500_000_000, time.nanos());
  }

  @Test
  void doesNotGoBack() {
    Exception thrown =
        assertThrows(IllegalArgumentException.class, () -> time.advance(Duration.ofNanos(-1)));
    assertEquals("duration: PT-0.000000001S (expected: zero or more)", thrown.getMessage());
  }

  @Test
  void endsWhereALongEnds() {
    FakeTime time = new FakeTime();
    time.advance(Duration.ofSeconds(5));
    time.advance(Duration.ofNanos(Long.MAX_VALUE));
    assertEquals(Long.MAX_VALUE, time.nanos());
    time.advance(Duration.ofSeconds(Long.MAX_VALUE));
    assertEquals(Long.MAX_VALUE, time.nanos());
  }

  @Test
  void theEnvironmentShowsThisTime_andDrawsTheLowest() {
    RetryEnvironment environment = time.environment();
    time.advance(Duration.ofSeconds(3));
    assertEquals(3 * SECOND, environment.ticker().getAsLong());
    assertEquals(time.instant(), environment.clock().get());
    assertEquals(0, environment.random().getAsLong());
    assertSame(time, environment.scheduler());
    assertEquals(7, time.environment(() -> 7).random().getAsLong());
  }

  @Test
  void runsTasksInTheOrderOfTheirTimes_eachAtItsOwn() {
    time.schedule(3 * SECOND, note("late"));
    time.schedule(SECOND, note("early"));
    time.schedule(SECOND, note("second early"));
    time.schedule(0, note("now"));
    assertEquals(List.of(), ran);
    assertEquals(4, time.pending());
    time.advance(Duration.ofSeconds(2));
    assertEquals(List.of("now@0", "early@1000", "second early@1000"), ran);
    assertEquals(2 * SECOND, time.nanos());
    time.advance(Duration.ofNanos(SECOND - 1));
    assertEquals(3, ran.size());
    time.advance(Duration.ofNanos(1));
    assertEquals("late@3000", ran.get(3));
    assertEquals(0, time.pending());
  }

  @Test
  void runsWhatATaskSchedules_ifItIsDueToo() {
    time.schedule(
        SECOND,
        () -> {
          note("first").run();
          time.schedule(SECOND, note("second"));
          time.schedule(5 * SECOND, note("third"));
        });
    time.advance(Duration.ofSeconds(4));
    assertEquals(List.of("first@1000", "second@2000"), ran);
    assertEquals(1, time.pending());
  }

  @Test
  void aTaskMayMoveTheTimeItself() {
    time.schedule(SECOND, () -> time.advance(Duration.ofSeconds(9)));
    time.schedule(2 * SECOND, note("inner"));
    time.advance(Duration.ofSeconds(3));
    assertEquals(List.of("inner@2000"), ran);
    assertEquals(10 * SECOND, time.nanos());
  }

  @Test
  void aTaskThatIsTakenBackDoesNotRun() {
    RetryScheduler.Task task = time.schedule(SECOND, note("never"));
    RetryScheduler.Task other = time.schedule(SECOND, note("other"));
    task.cancel();
    task.cancel();
    assertEquals(1, time.pending());
    time.advance(Duration.ofSeconds(2));
    assertEquals(List.of("other@1000"), ran);
    other.cancel(); // ran already
  }

  @Test
  void aDelayBeyondAllTimeIsNeverDue() {
    time.advance(Duration.ofSeconds(1));
    time.schedule(Long.MAX_VALUE, note("never"));
    time.advance(Duration.ofDays(365 * 200));
    assertEquals(List.of(), ran);
    assertEquals(1, time.pending());
  }

  @Test
  void await_endsAtOnce_ifTheTimeHasPassedSinceTheThreadReadIt() throws Exception {
    CountDownLatch read = new CountDownLatch(1);
    CountDownLatch moved = new CountDownLatch(1);
    FutureTask<Boolean> sleeper =
        started(() -> {
          long due = time.environment().ticker().getAsLong() + SECOND;
          read.countDown();
          moved.await();
          return time.await(new CountDownLatch(1), due);
        });
    read.await();
    time.advance(Duration.ofSeconds(1));
    moved.countDown();
    assertFalse(sleeper.get(10, TimeUnit.SECONDS));
    assertEquals(0, time.pending());
  }

  @Test
  void aTaskRunsAtOnce_ifTheTimeHasPassedSinceItsThreadReadIt() throws Exception {
    CountDownLatch due = new CountDownLatch(1);
    scheduledAfterTheTimeMoved(Duration.ofSeconds(1), due);
    assertTrue(due.await(10, TimeUnit.SECONDS));
    assertEquals(0, time.pending());
  }

  @Test
  void aDelayCountsFromWhatItsThreadReadLast() throws Exception {
    CountDownLatch due = new CountDownLatch(1);
    scheduledAfterTheTimeMoved(Duration.ofNanos(SECOND - 1), due);
    assertEquals(1, due.getCount());
    time.advance(Duration.ofNanos(1));
    assertEquals(0, due.getCount());
  }

  /** A task that is due a second after the start; its thread reads the start, not the move. */
  private void scheduledAfterTheTimeMoved(Duration move, CountDownLatch due) throws Exception {
    CountDownLatch read = new CountDownLatch(1);
    CountDownLatch moved = new CountDownLatch(1);
    FutureTask<RetryScheduler.Task> scheduled =
        started(() -> {
          long now = time.environment().ticker().getAsLong();
          read.countDown();
          moved.await();
          return time.schedule(SECOND - now, due::countDown);
        });
    read.await();
    time.advance(move);
    moved.countDown();
    scheduled.get(10, TimeUnit.SECONDS);
  }

  @Test
  void await_blocksUntilTheTimeHasPassed() throws Exception {
    FutureTask<Boolean> sleeper = started(() -> time.await(new CountDownLatch(1), SECOND));
    time.awaitPending(1);
    time.advance(Duration.ofNanos(SECOND - 1));
    assertEquals(1, time.pending());
    assertFalse(sleeper.isDone());
    time.advance(Duration.ofNanos(1));
    assertFalse(sleeper.get(10, TimeUnit.SECONDS));
    assertEquals(0, time.pending());
  }

  @Test
  void await_endsWhenItIsWoken() throws Exception {
    CountDownLatch wake = new CountDownLatch(1);
    FutureTask<Boolean> sleeper = started(() -> time.await(wake, SECOND));
    time.awaitPending(1);
    wake.countDown();
    assertTrue(sleeper.get(10, TimeUnit.SECONDS));
    assertEquals(0, time.pending());
    assertEquals(0, time.nanos());
  }

  @Test
  void await_endsOnAnInterrupt_andLeavesNothingBehind() {
    Thread.currentThread().interrupt();
    assertThrows(InterruptedException.class, () -> time.await(new CountDownLatch(1), SECOND));
    assertEquals(0, time.pending());
  }

  @Test
  void await_ofNoTime_returnsAtOnce() throws Exception {
    assertFalse(time.await(new CountDownLatch(1), 0));
    assertTrue(time.await(new CountDownLatch(0), 0));
    assertEquals(0, time.pending());
  }

  private static <T> FutureTask<T> started(Callable<T> work) {
    FutureTask<T> task = new FutureTask<>(work);
    Thread thread = new Thread(task, "sleeper");
    thread.setDaemon(true);
    thread.start();
    return task;
  }

  @Test
  void awaitPending_returnsAtOnceIfSoManyWait() throws Exception {
    time.schedule(1, note("a"));
    time.schedule(1, note("b"));
    time.awaitPending(2);
    time.awaitPending(1);
    time.awaitPending(0);
  }

  @Test
  void awaitPending_waitsForAnotherThread() throws Exception {
    FutureTask<Integer> waiting =
        waiting(() -> {
          time.awaitPending(2);
          return time.pending();
        });
    time.schedule(1, note("a"));
    time.schedule(1, note("b"));
    assertEquals(2, waiting.get(10, TimeUnit.SECONDS));
  }

  /** Has begun to wait, without a timeout or with one; or has ended, if it does not wait. */
  private static <T> FutureTask<T> waiting(Callable<T> work) {
    FutureTask<T> task = new FutureTask<>(work);
    Thread thread = new Thread(task, "waiting");
    thread.setDaemon(true);
    thread.start();
    while (!task.isDone() && !thread.getState().toString().endsWith("WAITING")) {
      Thread.onSpinWait();
    }
    return task;
  }

  @Test
  void skipWaits_endsAnAnnouncedWaitAtOnce_byMovingTheTime() throws Exception {
    time.skipWaits().waiting(INFO, Duration.ofSeconds(5), DelayReason.BACKOFF);
    assertFalse(time.await(new CountDownLatch(1), 5 * SECOND));
    assertEquals(5 * SECOND, time.nanos());

    time.skipWaits().waiting(INFO, Duration.ofSeconds(2), DelayReason.BACKOFF);
    CountDownLatch done = new CountDownLatch(1);
    time.schedule(2 * SECOND, done::countDown);
    assertTrue(done.await(10, TimeUnit.SECONDS));
    assertEquals(7 * SECOND, time.nanos());
    assertEquals(0, time.pending());
  }

  /** The common pool may be blocked, or have no thread. */
  @Test
  void skipWaits_goesOnOnAThreadOfTheLibrary() throws Exception {
    time.skipWaits().waiting(INFO, Duration.ofSeconds(2), DelayReason.BACKOFF);
    CompletableFuture<String> ranBy = new CompletableFuture<>();
    time.schedule(2 * SECOND, () -> ranBy.complete(Thread.currentThread().getName()));
    String name = ranBy.get(10, TimeUnit.SECONDS);
    assertTrue(name.startsWith("steadfast-worker-"), name);
  }

  @Test
  void skipWaits_forgetsTheWaitsOfAnOperationThatHasEnded() {
    OperationInfo other = OperationInfo.of("origin", "other");
    RetryListener skipping = time.skipWaits();
    skipping.waiting(INFO, Duration.ofSeconds(5), DelayReason.BACKOFF);
    skipping.waiting(other, Duration.ofSeconds(3), DelayReason.BACKOFF);
    skipping.ended(INFO, null);
    time.schedule(5 * SECOND, note("timeout"));
    assertEquals(0, time.nanos());
    assertEquals(1, time.pending());
    time.schedule(3 * SECOND, () -> {});
    assertEquals(3 * SECOND, time.nanos());
  }

  @Test
  void skipWaits_leavesOtherTimersAlone() {
    time.skipWaits().waiting(INFO, Duration.ofSeconds(5), DelayReason.BACKOFF);
    time.skipWaits().waiting(INFO, Duration.ZERO, DelayReason.STALE_CONNECTION);
    time.schedule(3 * SECOND, note("timeout"));
    time.schedule(0, note("at once"));
    assertEquals(2, time.pending());
    assertEquals(0, time.nanos());
    time.advance(Duration.ofSeconds(3));
    assertEquals(List.of("at once@0", "timeout@3000"), ran);
  }

  @Test
  void skipWaits_runsTheTimersThatBecomeDueMeanwhile() throws Exception {
    time.schedule(SECOND, note("meanwhile"));
    time.skipWaits().waiting(INFO, Duration.ofSeconds(5), DelayReason.BACKOFF);
    assertFalse(time.await(new CountDownLatch(1), 5 * SECOND));
    assertEquals(List.of("meanwhile@1000"), ran);
  }

  @Test
  void aTaskThatThrows_throwsOutOfAdvance_andTheRestStaysPending() {
    time.schedule(
        SECOND,
        () -> {
          throw new IllegalStateException("task");
        });
    time.schedule(2 * SECOND, note("rest"));
    assertThrows(IllegalStateException.class, () -> time.advance(Duration.ofSeconds(3)));
    assertEquals(SECOND, time.nanos());
    time.advance(Duration.ofSeconds(1));
    assertEquals(List.of("rest@2000"), ran);
  }

  @Test
  void anInterruptedThreadDoesNotWait_howeverShortTheWaitIs() {
    time.skipWaits().waiting(INFO, Duration.ofSeconds(1), DelayReason.BACKOFF);
    Thread.currentThread().interrupt();
    assertThrows(InterruptedException.class, () -> time.await(new CountDownLatch(1), SECOND));
    assertFalse(Thread.currentThread().isInterrupted());
    assertEquals(0, time.nanos());
  }

  @Test
  void awaitIdle_waitsUntilTheLastTaskIsTakenBackOrRan() throws Exception {
    time.awaitIdle();
    RetryScheduler.Task task = time.schedule(SECOND, note("never"));
    time.schedule(2 * SECOND, note("later"));
    FutureTask<Integer> idle =
        waiting(() -> {
          time.awaitIdle();
          return time.pending();
        });
    task.cancel();
    assertEquals(1, time.pending());
    time.advance(Duration.ofSeconds(2));
    assertEquals(0, idle.get(10, TimeUnit.SECONDS));
    assertEquals(List.of("later@2000"), ran);
  }
}
