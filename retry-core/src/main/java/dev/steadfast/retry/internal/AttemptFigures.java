package dev.steadfast.retry.internal;

import dev.steadfast.retry.AttemptReport;
import dev.steadfast.retry.FailureKind;
import org.jspecify.annotations.Nullable;

/** The figures of an attempt as plain values, for listeners that must not allocate. */
public interface AttemptFigures {

  /** How long the attempt took, in nanoseconds. */
  long tookNanos();

  /** The status that the server answered, -1 for none. */
  int statusOrNone();

  /** The kind of the failure, null if the attempt did not fail. */
  @Nullable FailureKind kindOrNull();

  /** The figures of a report. A report that this library did not make is copied. */
  static AttemptFigures of(AttemptReport report) {
    return report instanceof AttemptFigures figures
        ? figures
        : new Copy(
            Durations.nanos(report.took()), report.status().orElse(-1), report.kind().orElse(null));
  }

  /**
   * The figures of a report that this library did not make.
   *
   * @param tookNanos how long the attempt took
   * @param statusOrNone the status, -1 for none
   * @param kindOrNull what went wrong
   */
  record Copy(long tookNanos, int statusOrNone, @Nullable FailureKind kindOrNull)
      implements AttemptFigures {}
}
