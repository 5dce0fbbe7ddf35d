package dev.steadfast.retry;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/** How one attempt went. Immutable. */
public final class AttemptReport {
  private final int number;
  // Plain fields instead of objects: an operation that waits may hold several reports.
  private final long startedAfterNanos;
  private final long tookNanos;
  private final long waitedNanos;
  private final int status;
  private final @Nullable Throwable failure;
  private final @Nullable FailureKind kind;
  private final Disposition disposition;
  private final int deliveries;

  AttemptReport(int number, Timing timing, Result result) {
    this.number = number;
    this.startedAfterNanos = timing.startedAfterNanos();
    this.tookNanos = timing.tookNanos();
    this.waitedNanos = timing.waitedNanos();
    this.failure = result.failure();
    this.kind = result.kind();
    Evidence evidence = result.evidence();
    this.status = evidence.status();
    this.disposition = evidence.disposition();
    this.deliveries = evidence.deliveries();
  }

  /** When an attempt began and ended, and the wait before it, in nanoseconds. */
  record Timing(long startedAfterNanos, long tookNanos, long waitedNanos) {}

  /**
   * What an attempt ended with.
   *
   * @param failure the exception, if there is one
   * @param kind what went wrong, null if nothing did
   * @param evidence what is known of the attempt
   */
  record Result(@Nullable Throwable failure, @Nullable FailureKind kind, Evidence evidence) {}

  /**
   * The number of the attempt.
   *
   * @return 1 for the first
   */
  public int number() {
    return number;
  }

  /**
   * When the attempt started.
   *
   * @return the time since the operation started
   */
  public Duration startedAfter() {
    return Duration.ofNanos(startedAfterNanos);
  }

  /**
   * How long the attempt took, up to the response head or the failure.
   *
   * @return the duration
   */
  public Duration took() {
    return Duration.ofNanos(tookNanos);
  }

  /**
   * The wait before this attempt.
   *
   * @return zero for the first attempt
   */
  public Duration waitedBefore() {
    return Duration.ofNanos(waitedNanos);
  }

  /**
   * The status that the server answered.
   *
   * @return the status, empty without a response head or for work that is not HTTP
   */
  public OptionalInt status() {
    return status < 0 ? OptionalInt.empty() : OptionalInt.of(status);
  }

  /**
   * The exception that the attempt ended with.
   *
   * @return the exception, empty for an answer
   */
  public Optional<Throwable> failure() {
    return Optional.ofNullable(failure);
  }

  /**
   * What went wrong.
   *
   * @return the kind, empty if nothing did
   */
  public Optional<FailureKind> kind() {
    return Optional.ofNullable(kind);
  }

  /**
   * What became of the attempt's requests: of the last one, or of one before it if only that may
   * have been processed.
   *
   * @return whether the server may have acted
   */
  public Disposition disposition() {
    return disposition;
  }

  /**
   * How often a request of this attempt went to the wire: more than 1 after a redirect or an
   * authentication challenge, 0 if the attempt ended before.
   *
   * @return the number, empty where the client does not show it (java.net.http)
   */
  public OptionalInt deliveries() {
    return deliveries < 0 ? OptionalInt.empty() : OptionalInt.of(deliveries);
  }

  /**
   * The outcome in a few characters.
   *
   * @return the status, or the simple name of the exception
   */
  public String outcome() {
    if (failure != null) {
      return failure.getClass().getSimpleName();
    }
    return status < 0 ? String.valueOf(kind().orElse(null)) : "" + status;
  }

  @Override
  public String toString() {
    return "#" + number + " " + outcome() + " in " + Durations.printRounded(tookNanos);
  }
}
