package dev.steadfast.retry.jmh;

import dev.failsafe.function.CheckedSupplier;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.springframework.core.retry.Retryable;

/**
 * Next to no work, which fails so many times before each success. Every engine's own shape of work
 * at once, so that none pays for an adapter; one for each thread.
 */
final class Work
    implements Callable<Integer>, Supplier<Integer>, CheckedSupplier<Integer>, Retryable<Integer> {

  /** Made once and without a trace: what an exception costs is not the engine's. */
  static final class Failure extends RuntimeException {
    private Failure() {
      super("made to fail", null, false, false);
    }
  }

  private final Failure failure = new Failure();
  private final int failures;
  private int made;

  Work(int failures) {
    this.failures = failures;
  }

  @Override
  public Integer get() {
    if (made < failures) {
      made++;
      throw failure;
    }
    made = 0;
    return 42; // from the cache of Integer
  }

  @Override
  public Integer call() {
    return get();
  }

  @Override
  public Integer execute() {
    return get();
  }
}
