package dev.steadfast.retry.engine;

import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.Retrier;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryEnvironment;
import dev.steadfast.retry.RetryListener;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.RetryScheduler;
import dev.steadfast.retry.threads.TimerScheduler;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A process that can make no thread for a while; {@link ThreadFamineTest} runs it and takes the
 * threads away. It begins operations and tasks before and during that time, and prints when they
 * ended.
 */
final class ThreadFamine {
  private static final int OPERATIONS = 200;
  private static final long FAMINE_NANOS = TimeUnit.SECONDS.toNanos(4);
  private static final long SPREAD_NANOS = TimeUnit.MILLISECONDS.toNanos(1_500);

  private final BufferedReader commands =
      new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
  private final SplittableRandom random = new SplittableRandom(1);
  private final List<Ended> all = new ArrayList<>();

  /** The famine has begun by then: a thread made at its beginning would take all the room. */
  private long leastNanos = TimeUnit.SECONDS.toNanos(3);

  /** Something with a time at which it is to end, and how often and when it did. */
  private static final class Ended {
    private final long dueNanos;
    private final AtomicInteger times = new AtomicInteger();
    private final CountDownLatch latch = new CountDownLatch(1);
    private volatile long atNanos;
    private volatile boolean refused;

    Ended(long dueNanos) {
      this.dueNanos = dueNanos;
    }

    void now() {
      atNanos = System.nanoTime();
      times.incrementAndGet();
      latch.countDown();
    }

    boolean isBefore(long nanos) throws InterruptedException {
      return latch.await(nanos - System.nanoTime(), TimeUnit.NANOSECONDS);
    }

    long lateNanos(long freedNanos) {
      boolean dueBefore = dueNanos - freedNanos < 0;
      return atNanos - (dueBefore ? freedNanos : dueNanos);
    }
  }

  private ThreadFamine() {}

  /**
   * Runs one case.
   *
   * @param args {@code cold}: the library has no thread yet; {@code timer}: it has a timer thread
   *     and no worker; {@code hot}: it has workers
   */
  public static void main(String[] args) throws Exception {
    new ThreadFamine().run(args[0]);
  }

  private void run(String start) throws Exception {
    if (!start.equals("cold")) {
      begin(OPERATIONS); // their timers start the timer thread
    }
    if (start.equals("hot")) {
      CountDownLatch ran = new CountDownLatch(1);
      TimerScheduler.system().schedule(0, ran::countDown);
      ran.await();
    }
    say("limit");
    commands.readLine();
    say("threads fail: " + threadsFail());
    leastNanos = TimeUnit.MILLISECONDS.toNanos(1);
    begin(OPERATIONS);
    cancelledOperation();
    boolean ignored = new CountDownLatch(1).await(FAMINE_NANOS, TimeUnit.NANOSECONDS);
    say("free");
    commands.readLine();
    long freedNanos = System.nanoTime();
    say("threads fail: " + threadsFail());
    begin(OPERATIONS);
    report(freedNanos);
  }

  private static void say(String line) {
    System.out.println(line);
    System.out.flush();
  }

  private static boolean threadsFail() throws InterruptedException {
    try {
      Thread thread = new Thread(() -> {});
      thread.start();
      thread.join();
      return false;
    } catch (OutOfMemoryError none) {
      return true;
    }
  }

  private void begin(int count) {
    for (int i = 0; i < count; i++) {
      hangingOperation();
      retriedOperation();
      task();
    }
  }

  private long delay() {
    return leastNanos + random.nextLong(SPREAD_NANOS);
  }

  /** Ends by its deadline alone. */
  private void hangingOperation() {
    long nanos = delay();
    RetryPolicy policy =
        RetryPolicy.builder().totalTimeout(Duration.ofNanos(nanos)).maxAttempts(1).build();
    Ended ended = add(nanos);
    observe(ended, Retrier.builder().policy(policy).build().callAsync(CompletableFuture::new));
  }

  /** Ends after one wait. */
  private void retriedOperation() {
    long nanos = delay();
    RetryPolicy policy =
        RetryPolicy.builder()
            .backoff(Backoff.fixed(Duration.ofNanos(nanos)))
            .totalTimeout(Duration.ofMinutes(1))
            .build();
    AtomicInteger attempts = new AtomicInteger();
    Ended ended = add(nanos);
    observe(
        ended,
        Retrier.builder()
            .policy(policy)
            .budget(RetryBudget.unlimited())
            .build()
            .callAsync(() ->
                attempts.incrementAndGet() == 1
                    ? CompletableFuture.failedFuture(new IOException("made to fail"))
                    : CompletableFuture.completedFuture("up")));
  }

  /** Is cancelled at once, with a scheduler of its own that does not take what follows. */
  private void cancelledOperation() {
    Ended ended = add(0);
    RetryListener listener =
        new RetryListener() {
          @Override
          public void ended(OperationInfo operation, RetryReport report) {
            ended.now();
          }
        };
    RetryScheduler closed =
        new RetryScheduler() {
          @Override
          public Task schedule(long delayNanos, Runnable task) {
            return () -> {};
          }

          @Override
          public void execute(Runnable task) {
            throw new RejectedExecutionException("closed");
          }

          @Override
          public boolean await(CountDownLatch wake, long nanos) {
            throw new RejectedExecutionException("closed");
          }
        };
    Retrier.builder()
        .environment(RetryEnvironment.system().withScheduler(closed))
        .listener(listener)
        .build()
        .callAsync(CompletableFuture::new)
        .cancel(true);
  }

  private static void observe(Ended ended, CompletableFuture<?> future) {
    CompletableFuture<?> observed =
        future.whenComplete((value, thrown) -> {
          ended.refused = thrown instanceof RejectedExecutionException;
          ended.now();
        });
    if (observed.isDone() && ended.times.get() == 0) {
      throw new IllegalStateException("no callback");
    }
  }

  private void task() {
    long nanos = delay();
    Ended ended = add(nanos);
    try {
      TimerScheduler.system().schedule(nanos, ended::now);
    } catch (RejectedExecutionException refused) {
      ended.refused = true;
      ended.now();
    }
  }

  private Ended add(long nanos) {
    Ended ended = new Ended(System.nanoTime() + nanos);
    all.add(ended);
    return ended;
  }

  private void report(long freedNanos) throws InterruptedException {
    int missing = 0;
    int refused = 0;
    int twice = 0;
    int dueInFamine = 0;
    int endedInFamine = 0;
    int late = 0;
    long latest = Long.MIN_VALUE;
    long patience = freedNanos + TimeUnit.SECONDS.toNanos(15);
    for (Ended each : all) {
      if (!each.isBefore(patience)) {
        missing++;
      } else if (each.refused) {
        refused++;
      } else {
        latest = Math.max(latest, each.lateNanos(freedNanos));
        late += each.lateNanos(freedNanos) > TimeUnit.MILLISECONDS.toNanos(100) ? 1 : 0;
        dueInFamine += each.dueNanos - freedNanos < 0 ? 1 : 0;
        endedInFamine += each.atNanos - freedNanos < 0 ? 1 : 0;
      }
      twice += each.times.get() > 1 ? 1 : 0;
    }
    say(
        String.format(
            Locale.ROOT,
            "%d begun, %d refused, %d missing, %d ended twice; %d due before threads could be made"
                + " again, %d ended before; %d later than 100 ms, the latest %.1f ms",
            all.size(),
            refused,
            missing,
            twice,
            dueInFamine,
            endedInFamine,
            late,
            missing == all.size() ? 0 : latest / 1e6));
  }
}
