package dev.steadfast.retry.tck.internal;

import dev.steadfast.retry.AttemptReport;
import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.OtherPath;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.RetryReport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Policies for tests in which a {@link SwallowingProxy} silences a connection. Only an attempt that
 * is to be lost has a short time; all others have as much as they need.
 */
public final class SilentPaths {
  /** As much time as any attempt needs. */
  public static final Duration LONG = Duration.ofSeconds(20);

  /** The time of an attempt that is to be lost. */
  public static final Duration SHORT = Duration.ofMillis(200);

  /** No attempt is to be lost. */
  public static final RetryPolicy PATIENT =
      RetryPolicy.builder()
          .backoff(Backoff.none())
          .totalTimeout(Duration.ofSeconds(60))
          .attemptTimeout(LONG)
          .build();

  /** The first attempt is to be lost. */
  public static final RetryPolicy LOSES_FIRST = times(SHORT, LONG);

  /** The first attempt is to be lost, and mostly begins before another one has ended. */
  public static final RetryPolicy LOSES_FIRST_OF_MANY = times(Duration.ofSeconds(2), LONG);

  /** Both attempts are to be lost, and have the time to connect. */
  public static final RetryPolicy LOSES_TWO =
      PATIENT.toBuilder().attemptTimeout(Duration.ofSeconds(1)).maxAttempts(2).build();

  /** One attempt, which is to be lost. */
  public static final RetryPolicy LOSES_ONE =
      PATIENT.toBuilder().attemptTimeout(SHORT).maxAttempts(1).build();

  /** All attempts are to be lost. */
  public static final RetryPolicy LOSES_ALL = PATIENT.toBuilder().attemptTimeout(SHORT).build();

  private SilentPaths() {}

  /** The time of each attempt. */
  public static RetryPolicy times(Duration... attempts) {
    return PATIENT.toBuilder().attemptTimeouts(List.of(attempts)).build();
  }

  /** The reason for which each attempt took another connection; null if it took the usual one. */
  public static List<@Nullable OtherPath> taken(RetryReport report) {
    List<@Nullable OtherPath> taken = new ArrayList<>();
    for (AttemptReport each : report.attemptReports()) {
      taken.add(each.otherPath().orElse(null));
    }
    return taken;
  }
}
