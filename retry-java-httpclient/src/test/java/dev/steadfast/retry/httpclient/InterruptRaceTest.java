package dev.steadfast.retry.httpclient;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.tck.Reply;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The user's interrupt, the end of an attempt by its timeout, and the answer come at about the same
 * time. No interrupt of the user's is lost, and none reaches him that is not his. There is one
 * exception, which {@link SendInterrupt} explains: where the library has interrupted the thread in
 * the same round, the two interrupts may be one.
 */
class InterruptRaceTest {
  private static final int ROUNDS = 20_000;
  private static final Duration AT_MOST =
      Duration.ofSeconds(Boolean.getBoolean("steadfast.thorough") ? 15 : 5);
  private static final long ATTEMPT_NANOS = 3_000_000;

  @RegisterExtension private final Bench bench = new Bench();

  /** The thread that calls. It knows whether the library has interrupted it. */
  private static final class Caller extends Thread {
    private volatile boolean interruptedByLibrary;

    Caller(Runnable rounds) {
      super(rounds, "caller");
      setDaemon(true);
    }

    @Override
    public void interrupt() {
      if (!(Thread.currentThread() instanceof Interrupter)) {
        interruptedByLibrary = true;
      }
      super.interrupt();
    }
  }

  /** A thread of the user's. */
  private static final class Interrupter extends Thread {
    Interrupter(Runnable task) {
      super(task, "user");
    }
  }

  /** Whether the user has interrupted the call of a round. */
  private enum User {
    NOT_YET,
    INTERRUPTS,
    HAS_INTERRUPTED,
    TOO_LATE
  }

  @Test
  void noInterruptIsLostOrInvented() throws Exception {
    bench.server.whenRequest(
        request -> LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(2 * ATTEMPT_NANOS)));
    RetryPolicy policy =
        RetryPolicy.builder()
            .maxAttempts(2)
            .backoff(Backoff.fixed(Duration.ofNanos(200_000)))
            .attemptTimeout(Duration.ofNanos(ATTEMPT_NANOS))
            .build();
    HttpClient client =
        RetryingHttpClient.wrap(
            Bench.plain().build(),
            HttpRetry.builder().policy(policy).budget(RetryBudget.unlimited()).build());
    bench.server.defaultReply(Reply.status(200));
    HttpRequest request = bench.get();
    FutureTask<Integer> rounds = new FutureTask<>(() -> rounds(client, request));
    new Caller(rounds).start();
    assertTrue(rounds.get() > 0, "some interrupts came in time");
  }

  /** Returns how often the user interrupted. */
  private static int rounds(HttpClient client, HttpRequest request) throws Exception {
    SplittableRandom random = new SplittableRandom(42);
    long end = System.nanoTime() + AT_MOST.toNanos();
    int interrupts = 0;
    for (int round = 0; round < ROUNDS && System.nanoTime() < end; round++) {
      boolean interrupted = round % 4 != 0;
      long after = interrupted ? random.nextLong(3 * ATTEMPT_NANOS) : -1;
      interrupts += round(round, client, request, after) ? 1 : 0;
    }
    return interrupts;
  }

  /** Returns whether the user interrupted. */
  private static boolean round(int round, HttpClient client, HttpRequest request, long afterNanos)
      throws Exception {
    AtomicReference<User> user = new AtomicReference<>(User.NOT_YET);
    CountDownLatch begun = new CountDownLatch(1);
    Caller caller = (Caller) Thread.currentThread();
    caller.interruptedByLibrary = false;
    Thread interrupter = afterNanos < 0 ? null : interrupter(caller, user, begun, afterNanos);
    boolean thrown = false;
    begun.countDown();
    try {
      client.send(request, BodyHandlers.discarding());
    } catch (InterruptedException interrupted) {
      thrown = true;
    } catch (IOException failed) {
      // A timeout, as many attempts have.
    }
    boolean hasInterrupted = !user.compareAndSet(User.NOT_YET, User.TOO_LATE);
    while (hasInterrupted && user.get() != User.HAS_INTERRUPTED) {
      Thread.onSpinWait();
    }
    boolean flag = Thread.interrupted();
    if (interrupter != null) {
      interrupter.join(TimeUnit.SECONDS.toMillis(10));
    }
    boolean mayBeOne = hasInterrupted && caller.interruptedByLibrary;
    int seen = (thrown ? 1 : 0) + (flag ? 1 : 0);
    int expected = hasInterrupted ? 1 : 0;
    assertTrue(
        seen == expected || (seen == 0 && mayBeOne),
        () ->
            "round "
                + round
                + ", user "
                + user
                + ", seen "
                + seen
                + " times, may be one with the"
                + " library's: "
                + mayBeOne);
    return hasInterrupted;
  }

  private static Thread interrupter(
      Thread caller, AtomicReference<User> user, CountDownLatch begun, long afterNanos) {
    Thread interrupter =
        new Interrupter(() -> {
          try {
            begun.await();
          } catch (InterruptedException impossible) {
            throw new IllegalStateException(impossible);
          }
          long due = System.nanoTime() + afterNanos;
          while (System.nanoTime() < due) {
            Thread.onSpinWait();
          }
          if (user.compareAndSet(User.NOT_YET, User.INTERRUPTS)) {
            caller.interrupt();
            user.set(User.HAS_INTERRUPTED);
          }
        });
    interrupter.setDaemon(true);
    interrupter.start();
    return interrupter;
  }
}
