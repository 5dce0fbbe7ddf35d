package dev.steadfast.retry;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Carries a {@link RetryReport} on an exception, as a suppressed one without a stack: class,
 * message and cause of the exception stay as they were.
 */
public final class RetryTrace extends Exception {
  private static final long serialVersionUID = 1;

  // The same object may be thrown for many operations: an exception that was made in advance.
  private static final int MOST_ON_ONE = 32;

  /** Not part of the serialized form. */
  private transient volatile @Nullable RetryReport report;

  /**
   * Puts the report of an operation on the exception that it ends with. Adapters use it.
   *
   * @param failure the exception
   * @param report the report; {@link RetryReport#of} finds it there
   */
  public static void put(Throwable failure, RetryReport report) {
    Throwable[] known = failure.getSuppressed();
    if (known.length >= MOST_ON_ONE && known[known.length - 1] instanceof RetryTrace latest) {
      latest.report = report;
    } else {
      failure.addSuppressed(new RetryTrace(report));
    }
  }

  RetryTrace(RetryReport report) {
    super(null, null, false, false);
    this.report = report;
  }

  private RetryTrace(String message) {
    super(message, null, false, false);
    this.report = null;
  }

  /** The report as text. Put together when it is asked for: most traces are never printed. */
  @Override
  public @Nullable String getMessage() {
    RetryReport told = report;
    return told == null ? super.getMessage() : told.toString();
  }

  /**
   * The serialized form carries the text, as the report does not travel.
   *
   * @return a trace without a report
   */
  private Object writeReplace() {
    RetryReport told = report;
    return told == null ? this : new RetryTrace(told.toString());
  }

  /** {@return the report of the operation, empty if it stayed behind when this was serialized} */
  public Optional<RetryReport> report() {
    return Optional.ofNullable(report);
  }
}
