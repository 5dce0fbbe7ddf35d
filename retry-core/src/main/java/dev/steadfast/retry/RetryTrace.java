package dev.steadfast.retry;

/**
 * Carries a {@link RetryReport} on an exception, as a suppressed one without a stack: class,
 * message and cause of the exception stay as they were.
 */
public final class RetryTrace extends Exception {
  private static final long serialVersionUID = 1;

  /** Not part of the serialized form. */
  private final transient RetryReport report;

  RetryTrace(RetryReport report) {
    super(report.toString(), null, false, false);
    this.report = report;
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
