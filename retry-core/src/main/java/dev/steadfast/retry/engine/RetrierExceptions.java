package dev.steadfast.retry.engine;

import java.util.concurrent.CancellationException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** The exceptions of {@code Retrier} for ends that come from outside the work. */
final class RetrierExceptions {
  private RetrierExceptions() {}

  static Throwable failure(RetryTransport.End end, @Nullable Throwable cause) {
    return switch (end) {
      case ATTEMPT_TIMEOUT -> new TimeoutException("attempt timed out");
      case DEADLINE -> new TimeoutException("deadline exceeded");
      case CANCELLED -> new CancellationException("cancelled");
      case INTERRUPTED ->
          cause instanceof InterruptedException
              ? cause
              : new InterruptedException("interrupted while waiting for a retry");
      case REJECTED -> new RejectedExecutionException("the scheduler accepts no retry", cause);
    };
  }
}
