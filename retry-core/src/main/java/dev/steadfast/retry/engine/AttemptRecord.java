package dev.steadfast.retry.engine;

import dev.steadfast.retry.AttemptReport;
import dev.steadfast.retry.Disposition;
import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.OtherPath;
import dev.steadfast.retry.TimeLimit;
import dev.steadfast.retry.internal.AttemptFigures;
import dev.steadfast.retry.internal.Durations;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/** How one attempt went, in flat fields: an operation that waits keeps one per attempt. */
final class AttemptRecord implements AttemptReport, AttemptFigures {
  private final int number;
  private final long startedAfterNanos;
  private final long tookNanos;
  private final long waitedNanos;
  private final int status;
  private final @Nullable Throwable failure;
  private final @Nullable FailureKind kind;
  private final Disposition disposition;
  private final int deliveries;
  private final @Nullable TimeLimit endedBy;
  private final @Nullable OtherPath otherPath;

  AttemptRecord(int number, Timing timing, Result result) {
    this.number = number;
    this.startedAfterNanos = timing.startedAfterNanos();
    this.tookNanos = timing.tookNanos();
    this.waitedNanos = timing.waitedNanos();
    this.failure = result.failure();
    this.kind = result.kind();
    this.endedBy = result.endedBy();
    this.otherPath = result.otherPath();
    Evidence evidence = result.evidence();
    this.status = evidence.status();
    this.disposition = evidence.disposition();
    this.deliveries = evidence.deliveries();
  }

  /** When an attempt began and ended, and the wait before it, in nanoseconds. */
  record Timing(long startedAfterNanos, long tookNanos, long waitedNanos) {}

  /**
   * The result of an attempt.
   *
   * @param failure the exception, if there is one
   * @param kind what went wrong, null if nothing did
   * @param endedBy the time limit that ended it, null if none did
   * @param otherPath why it took another connection, null if it took the usual one
   * @param evidence what is known of the attempt
   */
  record Result(
      @Nullable Throwable failure,
      @Nullable FailureKind kind,
      @Nullable TimeLimit endedBy,
      @Nullable OtherPath otherPath,
      Evidence evidence) {}

  @Override
  public int number() {
    return number;
  }

  @Override
  public Duration startedAfter() {
    return Duration.ofNanos(startedAfterNanos);
  }

  @Override
  public Duration took() {
    return Duration.ofNanos(tookNanos);
  }

  @Override
  public Duration waitedBefore() {
    return Duration.ofNanos(waitedNanos);
  }

  @Override
  public OptionalInt status() {
    return status < 0 ? OptionalInt.empty() : OptionalInt.of(status);
  }

  @Override
  public Optional<Throwable> failure() {
    return Optional.ofNullable(failure);
  }

  @Override
  public Optional<FailureKind> kind() {
    return Optional.ofNullable(kind);
  }

  @Override
  public Optional<TimeLimit> endedBy() {
    return Optional.ofNullable(endedBy);
  }

  @Override
  public Optional<OtherPath> otherPath() {
    return Optional.ofNullable(otherPath);
  }

  @Override
  public Disposition disposition() {
    return disposition;
  }

  @Override
  public OptionalInt deliveries() {
    return deliveries < 0 ? OptionalInt.empty() : OptionalInt.of(deliveries);
  }

  @Override
  public long tookNanos() {
    return tookNanos;
  }

  @Override
  public int statusOrNone() {
    return status < 0 ? -1 : status;
  }

  @Override
  public @Nullable FailureKind kindOrNull() {
    return kind;
  }

  @Override
  public String outcome() {
    if (failure != null) {
      return failure.getClass().getSimpleName();
    }
    if (status >= 0) {
      return "" + status;
    }
    return kind == null ? "accepted" : "not accepted";
  }

  @Override
  public String toString() {
    return text(null);
  }

  /**
   * The attempt in one line.
   *
   * @param key the idempotency key, which the text does not show; null for none
   */
  String text(@Nullable String key) {
    String by = endedBy == null ? "" : " by the " + endedBy;
    String over = otherPath == null ? "" : " over another connection";
    return "#" + number + " " + end(key) + " in " + Durations.printRounded(tookNanos) + by + over;
  }

  /**
   * The end of the attempt: as {@link #outcome}, with the message and kind of a failure.
   *
   * @param key the idempotency key, which the text does not show; null for none
   */
  String end(@Nullable String key) {
    return failure == null ? outcome() : FailureText.of(failure, kind, key);
  }
}
