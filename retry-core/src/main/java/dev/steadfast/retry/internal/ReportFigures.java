package dev.steadfast.retry.internal;

import dev.steadfast.retry.RetryReport;

/** The figures of a report as plain values, for listeners that must not allocate. */
public interface ReportFigures {

  /** How long the operation took, in nanoseconds. */
  long elapsedNanos();

  /** How long the operation of a report took, in nanoseconds. */
  static long elapsedNanos(RetryReport report) {
    return report instanceof ReportFigures figures
        ? figures.elapsedNanos()
        : Durations.nanos(report.elapsed());
  }
}
