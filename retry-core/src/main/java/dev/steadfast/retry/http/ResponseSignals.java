package dev.steadfast.retry.http;

import dev.steadfast.retry.internal.Checks;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The response headers that say whether to retry, how long to wait, and whether an answer is a
 * replay. Immutable and safe for use by many threads.
 *
 * <pre>{@code
 * HttpRetry.builder()
 *     .signals(ResponseSignals.standard().withDoNotRetry("x-envoy-ratelimited"))
 * }</pre>
 *
 * <p>Signals are read on a status of 400 or above. A signal to retry also applies to a status that
 * is normally final. It does not extend attempts, deadline or budget, and does not make a request
 * replayable. A signal not to retry takes precedence over all signals to retry.
 */
public final class ResponseSignals {
  private static final ResponseSignals STANDARD =
      new ResponseSignals(
          List.of(
              new Signal("x-should-retry", "true", true),
              new Signal("x-should-retry", "false", false),
              new Signal("Stripe-Should-Retry", "true", true),
              new Signal("Stripe-Should-Retry", "false", false)),
          List.of("Idempotent-Replayed", "X-Idempotent-Replayed"),
          false);

  private final List<Signal> signals;
  private final List<String> replayMarkers;
  private final boolean rateLimitReset;

  /**
   * A response header that says whether to retry.
   *
   * @param value the value that says it; null if any value does
   */
  record Signal(String header, @Nullable String value, boolean shouldRetry) {
    boolean saidBy(String line) {
      return value == null || line.trim().equalsIgnoreCase(value);
    }
  }

  private ResponseSignals(
      List<Signal> signals, List<String> replayMarkers, boolean rateLimitReset) {
    this.signals = signals;
    this.replayMarkers = replayMarkers;
    this.rateLimitReset = rateLimitReset;
  }

  /**
   * {@code x-should-retry} and {@code Stripe-Should-Retry}, each {@code true} or {@code false}, and
   * the replay markers {@code Idempotent-Replayed} and {@code X-Idempotent-Replayed}.
   *
   * <p>These are always read too, and mean not to retry: {@code Qos-Retry-Hint: do-not-retry} on
   * 429 and 503, Finagle's final nack on 503, and a negative or unreadable {@code
   * grpc-retry-pushback-ms}.
   *
   * @return the default
   */
  public static ResponseSignals standard() {
    return STANDARD;
  }

  /**
   * The same with a further header that says, by one of its values, whether to retry.
   *
   * @param header the header
   * @param value the value, compared without regard to case
   * @param shouldRetry whether this value says to retry
   * @return a changed copy
   * @throws IllegalArgumentException if the name is no header name or the value no header value
   */
  public ResponseSignals withShouldRetry(String header, String value, boolean shouldRetry) {
    Signal signal =
        new Signal(
            Checks.headerName("signal header", header),
            Checks.headerValue("signal value", value),
            shouldRetry);
    return new ResponseSignals(and(signals, signal), replayMarkers, rateLimitReset);
  }

  /**
   * The same with a further header whose presence, with any value or none, says not to retry.
   *
   * @param header the header
   * @return a changed copy
   * @throws IllegalArgumentException if the name is no header name
   */
  public ResponseSignals withDoNotRetry(String header) {
    Signal signal = new Signal(Checks.headerName("signal header", header), null, false);
    return new ResponseSignals(and(signals, signal), replayMarkers, rateLimitReset);
  }

  /**
   * The same with a further header that marks an answer as the replay of a stored one, by the value
   * {@code true}.
   *
   * @param header the header
   * @return a changed copy
   * @throws IllegalArgumentException if the name is no header name
   */
  public ResponseSignals withReplayMarker(String header) {
    String marker = Checks.headerName("replay marker", header);
    return new ResponseSignals(signals, and(replayMarkers, marker), rateLimitReset);
  }

  /**
   * The same, and {@code X-RateLimit-Reset} counts as a server delay where no {@code Retry-After}
   * is given. By default it does not: APIs disagree about its unit, which is guessed by its size.
   *
   * @return a changed copy
   */
  public ResponseSignals withRateLimitReset() {
    return new ResponseSignals(signals, replayMarkers, true);
  }

  private static <T> List<T> and(List<T> some, T one) {
    List<T> all = new ArrayList<>(some);
    all.add(one);
    return List.copyOf(all);
  }

  List<Signal> signals() {
    return signals;
  }

  List<String> replayMarkers() {
    return replayMarkers;
  }

  ServerDelayParser serverDelays() {
    return new ServerDelayParser(rateLimitReset);
  }
}
