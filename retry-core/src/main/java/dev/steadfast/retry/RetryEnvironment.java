package dev.steadfast.retry;

import dev.steadfast.retry.internal.Checks;
import dev.steadfast.retry.threads.TimerScheduler;
import java.time.Instant;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Everything that the library takes from outside: monotonic time, wall time, randomness and a
 * scheduler. Immutable; each part must be safe for use by many threads.
 *
 * @param ticker monotonic nanoseconds from an arbitrary zero; deadlines are measured with it alone
 * @param clock wall time, such as {@code Instant::now}: read to interpret an HTTP date that comes
 *     without a usable {@code Date}, and for keys of a period of time
 * @param random draws jitter: each number has 64 random bits, as those of {@link
 *     java.util.Random#nextLong()}
 * @param scheduler runs waits and further attempts
 */
public record RetryEnvironment(
    LongSupplier ticker, Supplier<Instant> clock, LongSupplier random, RetryScheduler scheduler) {

  private static final RetryEnvironment SYSTEM =
      new RetryEnvironment(
          System::nanoTime,
          Instant::now,
          () -> ThreadLocalRandom.current().nextLong(), // a generator belongs to its thread
          TimerScheduler.system());

  /**
   * Checks that nothing is missing.
   *
   * @throws NullPointerException if a part is null
   */
  public RetryEnvironment {
    Checks.notNull("ticker", ticker);
    Checks.notNull("clock", clock);
    Checks.notNull("random", random);
    Checks.notNull("scheduler", scheduler);
  }

  /**
   * {@return the shared real one: {@link System#nanoTime}, the system clock, {@link
   * ThreadLocalRandom}, and {@link TimerScheduler#system()}}
   */
  public static RetryEnvironment system() {
    return SYSTEM;
  }

  /**
   * This environment with another source of randomness, for repeatable delays.
   *
   * @param random numbers of 64 random bits each, for instance {@code new Random(7)::nextLong};
   *     safe for use by many threads
   * @return a changed copy
   * @throws NullPointerException if the source is null
   */
  public RetryEnvironment withRandom(LongSupplier random) {
    return new RetryEnvironment(ticker, clock, random, scheduler);
  }

  /**
   * This environment with tasks that run on an executor of the caller's: further attempts, and user
   * code such as listeners and callbacks. Deadlines and timeouts stay on the library's own threads,
   * so a busy executor delays what it runs, but no deadline. A task that the executor does not take
   * runs on a thread of the library's, whatever the executor throws.
   *
   * @param executor safe for use by many threads
   * @return a changed copy
   * @throws NullPointerException if the executor is null
   */
  public RetryEnvironment withExecutor(Executor executor) {
    return withScheduler(TimerScheduler.on(executor));
  }

  /**
   * This environment with another scheduler, such as one of virtual time. It gets the same tasks as
   * an executor; {@link RetryScheduler#isVirtual} tells which other tasks one of virtual time gets.
   *
   * @param scheduler the scheduler
   * @return a changed copy
   */
  public RetryEnvironment withScheduler(RetryScheduler scheduler) {
    return new RetryEnvironment(ticker, clock, random, scheduler);
  }
}
