package dev.steadfast.retry.limit;

import org.jetbrains.kotlinx.lincheck.LinChecker;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;

/**
 * Runs the operations of a class on two threads, which Lincheck switches where they touch what they
 * share. What the operations return must be what some order of them, one after the other, returns.
 */
public final class Schedules {
  private Schedules() {}

  /** Fails with the steps of both threads if there is a schedule that no such order explains. */
  public static void check(Class<?> operations) {
    check(operations, options(3, 60).actorsPerThread(3).actorsBefore(1).actorsAfter(1));
  }

  /** As {@link #check(Class)}, for few operations in many orders: two at most on each thread. */
  public static void checkPairs(Class<?> operations) {
    check(operations, options(25, 150).actorsPerThread(2).actorsBefore(0).actorsAfter(0));
  }

  private static ModelCheckingOptions options(int scenarios, int schedules) {
    return new ModelCheckingOptions()
        .iterations(scenarios)
        .invocationsPerIteration(schedules)
        .threads(2);
  }

  @SuppressWarnings("deprecation") // the other way to say it is for Kotlin alone
  private static void check(Class<?> operations, ModelCheckingOptions options) {
    LinChecker.check(operations, options);
  }
}
