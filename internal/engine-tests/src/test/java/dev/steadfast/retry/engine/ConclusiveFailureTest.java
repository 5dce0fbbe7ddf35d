package dev.steadfast.retry.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.steadfast.retry.Disposition;
import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.Guard;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which failures tell how long the server takes. */
class ConclusiveFailureTest {
  private static final long NONE = Long.MAX_VALUE;

  @ParameterizedTest
  @CsvSource({
    // its own timeout, long before the deadline
    "TIMEOUT, UNKNOWN,  100, 9000, 100, true",
    "TIMEOUT, ANSWERED, 100, 9000, 100, true",
    // the client's timeout, which may be shorter than the attempt's
    "TIMEOUT, UNKNOWN,  10,  9000, 100, true",
    // the request was not sent yet
    "TIMEOUT, UNSENT,   100, 9000, 100, false",
    // the deadline, before and after half of the time
    "TIMEOUT, UNKNOWN,  49,  0,    100, false",
    "TIMEOUT, UNKNOWN,  50,  0,    100, true",
    "TIMEOUT, UNSENT,   50,  0,    100, false",
    "TIMEOUT, UNKNOWN,  49,  -1,   100, false",
    // any other failure is what it is
    "UNAVAILABLE, ANSWERED, 1, 0, 100, true",
    "CONNECT,     UNSENT,   1, 0, 100, true"
  })
  void aTimeoutNeedsTimeOnTheWire(
      FailureKind kind, Disposition disposition, long elapsed, long left, long may, boolean tells) {
    Guard.Failure failure =
        new GuardPermits.AttemptTiming(elapsed, 7, left, may).failure(kind, disposition);
    assertEquals(new Guard.Failure(kind, tells, elapsed, 7), failure);
  }

  @Test
  void whereNothingElseBoundsTheAttempt_theDeadlineTellsNothing() {
    Guard.Failure failure =
        new GuardPermits.AttemptTiming(10_000, 7, 0, NONE)
            .failure(FailureKind.TIMEOUT, Disposition.UNKNOWN);
    assertEquals(false, failure.conclusive());
  }
}
