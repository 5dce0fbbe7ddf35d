package dev.steadfast.retry;

import org.jspecify.annotations.Nullable;

/**
 * Carries a {@link RetryReport} on an exception, as a suppressed one without a stack: class,
 * message and cause of the exception stay as they were.
 */
public final class RetryTrace extends Exception {
  private static final long serialVersionUID = 1;

  /** Not part of the serialized form. */
  private final transient @Nullable RetryReport report;

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
    return report == null ? super.getMessage() : report.toString();
  }

  /**
   * The serialized form carries the text, as the report does not travel.
   *
   * @return a trace without a report
   */
  private Object writeReplace() {
    return report == null ? this : new RetryTrace(report.toString());
  }

  /**
   * What happened to the operation.
   *
   * @return the report
   */
  public RetryReport report() {
    return report == null ? RetryReport.clean() : report;
  }
}
