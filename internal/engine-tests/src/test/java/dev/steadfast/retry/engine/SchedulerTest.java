package dev.steadfast.retry.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.Retrier;
import dev.steadfast.retry.RetryEnvironment;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.RetryScheduler;
import dev.steadfast.retry.threads.TimerScheduler;
import dev.steadfast.retry.threads.WorkerThread;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/**
 * The library's own threads as a scheduler. Timers here are due at once; no test waits for time.
 */
class SchedulerTest {
  private static final Executor REJECTING =
      task -> {
        throw new RejectedExecutionException("executor is closed");
      };

  private final EventLog log = new EventLog();
  private final CountingBudget budget = new CountingBudget(100);
  private final CountingGuard guard = new CountingGuard();

  private Retrier retrier(String policy, RetryScheduler scheduler) {
    return Retrier.builder()
        .policy(RetryPolicy.valueOf(policy))
        .environment(RetryEnvironment.system().withScheduler(scheduler))
        .budget(budget)
        .guard(guard)
        .listener(log)
        .build();
  }

  private void verify(String trace) throws InterruptedException {
    log.awaitEnd().verify();
    assertEquals(trace, log.trace());
    guard.verify();
    budget.verify(Math.max(0, log.attemptsStarted() - 1));
  }

  private static Throwable failure(CompletableFuture<?> future) {
    return future.handle((value, thrown) -> thrown).orTimeout(30, TimeUnit.SECONDS).join();
  }

  @Test
  void retriesOnTheSystemsScheduler() throws Exception {
    AtomicInteger calls = new AtomicInteger();
    CompletableFuture<Integer> future =
        retrier("backoff=fixed(1ns)", TimerScheduler.system())
            .callAsync(() ->
                calls.incrementAndGet() < 3
                    ? CompletableFuture.failedFuture(new IOException("x"))
                    : CompletableFuture.completedFuture(calls.get()));
    assertEquals(3, future.get(30, TimeUnit.SECONDS));
    verify("1 IOException, wait 1ns backoff, 2 IOException, wait 1ns backoff, 3 ok, accepted");
  }

  @Test
  void waitsOnTheSystemsScheduler() throws Exception {
    AtomicInteger calls = new AtomicInteger();
    Object result =
        retrier("backoff=fixed(1ns)", TimerScheduler.system())
            .call(() -> {
              if (calls.incrementAndGet() < 3) {
                throw new IOException("x");
              }
              return calls.get();
            });
    assertEquals(3, result);
    verify("1 IOException, wait 1ns backoff, 2 IOException, wait 1ns backoff, 3 ok, accepted");
  }

  @Test
  void runsTasksOnTheGivenExecutor_neverOnTheTimersThread() throws Exception {
    SynchronousQueue<Runnable> handedOver = new SynchronousQueue<>();
    CompletableFuture<Thread> ran = new CompletableFuture<>();
    RetryScheduler scheduler =
        TimerScheduler.on(task -> CompletableFuture.runAsync(() -> put(handedOver, task)));
    scheduler.schedule(1, () -> ran.complete(Thread.currentThread()));
    handedOver.take().run();
    assertEquals(Thread.currentThread(), ran.get(30, TimeUnit.SECONDS));
  }

  private static void put(SynchronousQueue<Runnable> queue, Runnable task) {
    try {
      queue.put(task);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  // A real timer, so a real moment; where this thread got no turn for as long, once more.
  @Test
  void aTaskThatIsTakenBackDoesNotRun() throws Exception {
    long moment = TimeUnit.MILLISECONDS.toNanos(20);
    RetryScheduler scheduler = TimerScheduler.on(Runnable::run);
    boolean inTime = false;
    while (!inTime) {
      CountDownLatch later = new CountDownLatch(1);
      AtomicInteger ran = new AtomicInteger();
      long start = System.nanoTime();
      RetryScheduler.Task task = scheduler.schedule(moment, ran::incrementAndGet);
      task.cancel();
      inTime = System.nanoTime() - start < moment;
      scheduler.schedule(2 * moment, later::countDown);
      assertTrue(later.await(30, TimeUnit.SECONDS));
      assertTrue(!inTime || ran.get() == 0, "it ran");
    }
  }

  @Test
  void awaitEndsWhenItIsWoken() throws Exception {
    CountDownLatch woken = new CountDownLatch(0);
    assertTrue(TimerScheduler.system().await(woken, Long.MAX_VALUE));
    assertFalse(TimerScheduler.system().await(new CountDownLatch(1), 0));
  }

  @Test
  void timersDoNotNeedTheCommonPool() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    for (int i = 0; i < ForkJoinPool.getCommonPoolParallelism(); i++) {
      ForkJoinPool.commonPool().submit(() -> release.await(30, TimeUnit.SECONDS));
    }
    CountDownLatch due = new CountDownLatch(2);
    try {
      TimerScheduler.system().schedule(1, due::countDown);
      TimerScheduler.on(Runnable::run).schedule(1, due::countDown);
      assertTrue(due.await(20, TimeUnit.SECONDS));
    } finally {
      release.countDown();
    }
  }

  /** JDK 17 runs what follows a timeout of CompletableFuture on the one thread for all of them. */
  @Test
  void timersDoNotNeedTheTimerOfCompletableFuture() throws Exception {
    CountDownLatch due = new CountDownLatch(1);
    boolean inTime =
        new CompletableFuture<Void>()
            .orTimeout(100, TimeUnit.MILLISECONDS)
            .handle((none, late) -> {
              TimerScheduler.system().schedule(1, due::countDown);
              return awaits(due);
            })
            .get(30, TimeUnit.SECONDS);
    assertTrue(inTime);
  }

  private static boolean awaits(CountDownLatch latch) {
    try {
      return latch.await(20, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** A full pool of one, of whose workers the timer needs one. */
  @Test
  void whoWaitsLeavesItsPoolAWorkerForTheTimers() throws Exception {
    ForkJoinPool pool = new ForkJoinPool(1);
    try {
      RetryScheduler scheduler = TimerScheduler.on(pool);
      CountDownLatch wake = new CountDownLatch(1);
      Future<Boolean> woken =
          pool.submit(() -> {
            scheduler.schedule(1, wake::countDown);
            return scheduler.await(wake, TimeUnit.SECONDS.toNanos(20));
          });
      assertTrue(woken.get(30, TimeUnit.SECONDS));
    } finally {
      pool.shutdown();
    }
  }

  @Test
  void aTaskThatItsExecutorDoesNotTake_runsOnAThreadOfTheLibrary() throws Exception {
    List<Executor> executors =
        List.of(
            REJECTING,
            task -> {
              throw new AssertionError("made to fail");
            },
            task -> {
              task.run();
              throw new IllegalStateException("it took the task all the same");
            });
    for (Executor each : executors) {
      AtomicInteger runs = new AtomicInteger();
      CompletableFuture<Boolean> ours = new CompletableFuture<>();
      Runnable task =
          () -> {
            runs.incrementAndGet();
            ours.complete(WorkerThread.isWorker());
          };
      TimerScheduler.on(each).schedule(1, task);
      assertTrue(ours.get(30, TimeUnit.SECONDS));
      CompletableFuture<Boolean> executed = new CompletableFuture<>();
      TimerScheduler.on(each).execute(() -> executed.complete(WorkerThread.isWorker()));
      assertTrue(executed.get(30, TimeUnit.SECONDS));
      assertEquals(1, runs.get());
    }
  }

  @Test
  void anExecutorThatBlocks_blocksNoOtherTask() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    RetryScheduler blocking = TimerScheduler.on(task -> awaits(release));
    CountDownLatch due = new CountDownLatch(20);
    try {
      for (int i = 0; i < 20; i++) {
        blocking.schedule(1, () -> {});
        TimerScheduler.system().schedule(2, due::countDown);
      }
      assertTrue(due.await(20, TimeUnit.SECONDS));
    } finally {
      release.countDown();
    }
  }

  @Test
  void aTaskThatIsExecuted_doesNotRunOnTheCallingThread() throws Exception {
    for (RetryScheduler each : List.of(TimerScheduler.system(), TimerScheduler.on(Runnable::run))) {
      CompletableFuture<Thread> ran = new CompletableFuture<>();
      each.execute(() -> ran.complete(Thread.currentThread()));
      assertNotSame(Thread.currentThread(), ran.get(30, TimeUnit.SECONDS));
    }
  }

  @Test
  void anExecutorThatRejectsTheRetry_doesNotEndTheOperation() throws Exception {
    AtomicInteger calls = new AtomicInteger();
    CompletableFuture<Integer> future =
        retrier("backoff=fixed(1ns)", TimerScheduler.on(REJECTING))
            .callAsync(() ->
                calls.incrementAndGet() < 2
                    ? CompletableFuture.failedFuture(new IOException("x"))
                    : CompletableFuture.completedFuture(calls.get()));
    assertEquals(2, future.get(30, TimeUnit.SECONDS));
    verify("1 IOException, wait 1ns backoff, 2 ok, accepted");
  }

  // Time stands still until the work has been asked for; a timer that comes before comes again.
  @Test
  void anExecutorThatRejectsATimeout_doesNotKeepTheAttemptAlive() throws Exception {
    AtomicLong now = new AtomicLong();
    CompletableFuture<String> stage = new CompletableFuture<>();
    Retrier retrier =
        Retrier.builder()
            .policy(RetryPolicy.valueOf("attemptTimeout=1ms; maxAttempts=1"))
            .environment(
                new RetryEnvironment(now::get, Instant::now, () -> 0, TimerScheduler.on(REJECTING)))
            .budget(budget)
            .guard(guard)
            .listener(log)
            .build();
    CompletableFuture<String> future =
        retrier.callAsync(() -> {
          now.set(TimeUnit.MILLISECONDS.toNanos(1));
          return stage;
        });
    failure(future);
    verify("1 TimeoutException, attempts exhausted");
    assertTrue(stage.isCancelled());
  }

  @Test
  void aSchedulerThatRejectsTheTimer_endsTheOperation() throws Exception {
    RetryScheduler closed = new ClosedScheduler();
    CompletableFuture<String> future =
        retrier("attemptTimeout=1s", closed)
            .callAsync(() -> CompletableFuture.completedFuture("never called"));
    assertInstanceOf(RejectedExecutionException.class, failure(future));
    verify("rejected by the scheduler");
  }

  @Test
  void aSchedulerThatRejectsTheWait_endsTheOperation_andTheTokenGoesBack() throws Exception {
    RetryScheduler closed = new ClosedScheduler();
    CompletableFuture<String> future =
        retrier("totalTimeout=none; backoff=fixed(1s)", closed)
            .callAsync(() -> CompletableFuture.failedFuture(new IOException("x")));
    assertInstanceOf(RejectedExecutionException.class, failure(future));
    verify("1 IOException, wait 1s backoff, rejected by the scheduler");
  }

  @Test
  @SuppressWarnings({"NullAway", "DataFlowIssue"}) // what a caller without null checks may do
  void rejectsNull() {
    assertThrows(NullPointerException.class, () -> TimerScheduler.on(null));
    RetryEnvironment system = RetryEnvironment.system();
    assertThrows(NullPointerException.class, () -> system.withScheduler(null));
    assertThrows(NullPointerException.class, () -> system.withRandom(null));
  }

  @Test
  void theSystemsEnvironmentIsTheReal() {
    RetryEnvironment system = RetryEnvironment.system();
    long before = System.nanoTime();
    long now = system.ticker().getAsLong();
    assertTrue(now - before >= 0 && System.nanoTime() - now >= 0);
    assertEquals(TimerScheduler.system(), system.scheduler());
    // Two draws of 64 bits that are the same would be a wonder.
    assertFalse(system.random().getAsLong() == system.random().getAsLong());
    assertEquals(5, system.withRandom(() -> 5).random().getAsLong());
  }
}
