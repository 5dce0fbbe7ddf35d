package dev.steadfast.retry;

import dev.steadfast.retry.internal.Checks;
import java.time.Duration;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What happened to an operation: how many attempts, how each went, why it ended, and whether the
 * server may have acted. Immutable.
 *
 * <p>A response that was accepted on the first attempt carries no report of its own; {@link #of}
 * then gives the report of one clean attempt.
 */
public final class RetryReport {
  private static final RetryReport CLEAN =
      new RetryReport(
          StopReason.ACCEPTED,
          new Totals(1, 0, 0, Hint.none()),
          List.of(),
          new Flags(true, false, false, false));

  private final StopReason reason;
  private final Totals totals;
  private final List<AttemptReport> attemptReports;
  private final Flags flags;
  private final @Nullable OperationInfo operation;

  RetryReport(StopReason reason, Totals totals, List<AttemptReport> attemptReports, Flags flags) {
    this(reason, totals, attemptReports, flags, null);
  }

  RetryReport(
      StopReason reason,
      Totals totals,
      List<AttemptReport> attemptReports,
      Flags flags,
      @Nullable OperationInfo operation) {
    this.reason = reason;
    this.totals = totals;
    this.attemptReports = List.copyOf(attemptReports);
    this.flags = flags;
    this.operation = operation == null ? null : operation.withoutRequest();
  }

  /** Sums over the operation; times in nanoseconds. */
  record Totals(int attempts, long elapsedNanos, long waitedNanos, Hint hint) {}

  /** What a caller must know before acting on the answer. */
  record Flags(
      boolean serverMayHaveActed,
      boolean earlierMayHaveActed,
      boolean outcomeUnknown,
      boolean replayed) {}

  /** A response of ours that knows its report; implemented by the adapters. */
  public interface Carrier {
    /**
     * The report of the operation that ended with this response.
     *
     * @return the report
     */
    RetryReport retryReport();
  }

  /**
   * The report that rides on a {@code java.net.http} response. For an OkHttp response see {@code
   * OkHttpReports.of}.
   *
   * @param response a response from a client of this library
   * @return its report; the report of one clean attempt if it carries none
   */
  public static RetryReport of(java.net.http.HttpResponse<?> response) {
    return Checks.notNull("response", response) instanceof Carrier carrier
        ? carrier.retryReport()
        : CLEAN;
  }

  /**
   * The report that rides on an exception, or on one of its causes, as a suppressed {@link
   * RetryTrace}.
   *
   * @param failure an exception from a client of this library
   * @return its report, empty if it carries none
   */
  public static Optional<RetryReport> of(Throwable failure) {
    Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    Throwable each = Checks.notNull("failure", failure);
    while (each != null && seen.add(each)) {
      Throwable[] suppressed = each.getSuppressed();
      // The latest is the outermost operation that the exception went through.
      for (int i = suppressed.length - 1; i >= 0; i--) {
        if (suppressed[i] instanceof RetryTrace trace && trace.hasReport()) {
          return Optional.of(trace.report());
        }
      }
      each = each.getCause();
    }
    return Optional.empty();
  }

  /**
   * The report of an operation whose first attempt was accepted, without times and without a key.
   *
   * @return the shared instance
   */
  public static RetryReport clean() {
    return CLEAN;
  }

  /**
   * The report of an operation whose first attempt was accepted, without times.
   *
   * @param operation the operation, with its key
   * @return a report
   */
  public static RetryReport clean(OperationInfo operation) {
    return new RetryReport(CLEAN.reason, CLEAN.totals, List.of(), CLEAN.flags, operation);
  }

  /**
   * Why the operation ended.
   *
   * @return the reason
   */
  public StopReason reason() {
    return reason;
  }

  /**
   * How many attempts were made, the first one included.
   *
   * @return 0 if the operation ended before its first attempt, or was answered by a cache
   */
  public int attempts() {
    return totals.attempts();
  }

  /**
   * How each attempt went, the oldest first. Of an operation with more than 100 attempts the last
   * 100 are kept.
   *
   * @return an immutable list; empty for {@link #clean()}
   */
  public List<AttemptReport> attemptReports() {
    return attemptReports;
  }

  /**
   * The last attempt.
   *
   * @return the last entry of {@link #attemptReports()}, empty if there is none
   */
  public Optional<AttemptReport> last() {
    return attemptReports.isEmpty()
        ? Optional.empty()
        : Optional.of(attemptReports.get(attemptReports.size() - 1));
  }

  /**
   * How long the operation took.
   *
   * @return the time from its start to its end; zero for {@link #clean()}
   */
  public Duration elapsed() {
    return Duration.ofNanos(totals.elapsedNanos());
  }

  /**
   * How much of that was spent waiting between attempts.
   *
   * @return the sum of the waits
   */
  public Duration waited() {
    return Duration.ofNanos(totals.waitedNanos());
  }

  /**
   * The delay that the last answer asked for; with {@link StopReason#HINT_TOO_LONG} the delay that
   * was too long to wait for here.
   *
   * @return the delay, empty for none
   */
  public Optional<Duration> hint() {
    return totals.hint().delay();
  }

  /**
   * Whether the server may have acted on any attempt. False is proven: nothing was sent, or all of
   * it was refused unprocessed.
   *
   * @return true unless the opposite is proven
   */
  public boolean serverMayHaveActed() {
    return flags.serverMayHaveActed();
  }

  /**
   * Whether nobody can tell what the operation did: it was not accepted, and of one of its attempts
   * the answer was lost, or told of an error of the server's own (5xx, 408). Then keep the {@link
   * #idempotencyKey()}: the same request under the same key settles it. After another 4xx to the
   * only attempt this is false, for the server says that it did not do what was asked.
   *
   * @return true if the effect of the operation is unknown
   */
  public boolean outcomeUnknown() {
    return flags.outcomeUnknown();
  }

  /**
   * Whether an attempt before the last may have been applied without its answer arriving. Then a
   * 404 after a DELETE, or a 412 after {@code If-Match}, may be the echo of one's own success.
   *
   * @return true if the history is ambiguous
   */
  public boolean earlierAttemptMayHaveActed() {
    return flags.earlierMayHaveActed();
  }

  /**
   * Whether the server marked its answer as the replay of a stored one.
   *
   * @return true after {@code Idempotent-Replayed: true} or the configured marker
   */
  public boolean replayed() {
    return flags.replayed();
  }

  /**
   * The idempotency key that all attempts carried: keep it with a payment whose fate is unknown.
   *
   * @return the key, empty for none
   */
  public Optional<String> idempotencyKey() {
    return operation == null ? Optional.empty() : operation.idempotencyKey();
  }

  @Override
  public String toString() {
    String attempts = totals.attempts() == 1 ? "1 attempt" : totals.attempts() + " attempts";
    return attempts
        + " in "
        + Durations.printRounded(totals.elapsedNanos())
        + ", "
        + reason
        + (attemptReports.isEmpty() ? "" : " " + attemptReports);
  }
}
