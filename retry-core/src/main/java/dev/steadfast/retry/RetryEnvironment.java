package dev.steadfast.retry;

import dev.steadfast.retry.internal.Checks;
import java.time.InstantSource;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/**
 * Everything that the machine takes from outside: monotonic time, wall time, randomness and a
 * scheduler. Immutable; each part must be safe for use by many threads.
 *
 * @param ticker monotonic nanoseconds of an arbitrary origin; deadlines are measured with it alone
 * @param clock wall time, read only to interpret an HTTP date that comes without a usable {@code
 *     Date}
 * @param random draws jitter; only {@link RandomGenerator#nextLong()} is called
 * @param scheduler waits and timers
 */
public record RetryEnvironment(
    LongSupplier ticker, InstantSource clock, RandomGenerator random, RetryScheduler scheduler) {

  // A lambda rather than the generator itself: the generator belongs to the calling thread.
  private static final RandomGenerator THREAD_LOCAL = () -> ThreadLocalRandom.current().nextLong();

  private static final RetryEnvironment SYSTEM =
      new RetryEnvironment(
          System::nanoTime, InstantSource.system(), THREAD_LOCAL, RetryScheduler.system());

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
   * The real one: {@link System#nanoTime}, the system clock, {@link ThreadLocalRandom}, and {@link
   * RetryScheduler#system()}.
   *
   * @return the shared system environment
   */
  public static RetryEnvironment system() {
    return SYSTEM;
  }

  /**
   * This environment with another source of randomness, for repeatable delays.
   *
   * @param random safe for use by many threads
   * @return a changed copy
   */
  public RetryEnvironment withRandom(RandomGenerator random) {
    return new RetryEnvironment(ticker, clock, random, scheduler);
  }

  /**
   * This environment with another scheduler.
   *
   * @param scheduler the scheduler
   * @return a changed copy
   */
  public RetryEnvironment withScheduler(RetryScheduler scheduler) {
    return new RetryEnvironment(ticker, clock, random, scheduler);
  }
}
