package dev.steadfast.retry.internal;

import dev.steadfast.retry.RetryReport;

/**
 * The figures that our own modules ask of a report: plain values, so that listeners need not
 * allocate.
 */
public interface ReportFigures {

  /** How long the operation took, in nanoseconds. */
  long elapsedNanos();

  /** The same report with an unknown outcome, unless the last answer tells the outcome. */
  RetryReport withOutcomeUnknown();

  /** Whether it is unknown what the operation did, and it may have done more than read. */
  boolean effectUnknown();

  /** Whether the operation of a report may have taken effect although it failed. */
  static boolean effectUnknown(RetryReport report) {
    return report instanceof ReportFigures figures
        ? figures.effectUnknown()
        : report.outcomeUnknown();
  }

  /** As {@link #withOutcomeUnknown()}, where only the whole response shows that to the client. */
  static RetryReport withOutcomeUnknown(RetryReport report) {
    return report instanceof ReportFigures figures ? figures.withOutcomeUnknown() : report;
  }

  /** How long the operation of a report took, in nanoseconds. */
  static long elapsedNanos(RetryReport report) {
    return report instanceof ReportFigures figures
        ? figures.elapsedNanos()
        : Durations.nanos(report.elapsed());
  }
}
