package dev.steadfast.retry.http;

import dev.steadfast.retry.internal.Checks;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A request header that tells the server which attempt it sees, so that it can shed retries first.
 * Immutable. Off by default; a header that the caller set is never overwritten.
 */
public final class AttemptHeader {
  private enum Form {
    FROM_ZERO,
    FROM_ONE,
    RETRIES_ONLY,
    ATTEMPT_AND_MAX,
    ATTEMPT_MAX_AND_TIME_TO_LIVE
  }

  private static final DateTimeFormatter SECONDS =
      DateTimeFormatter.ofPattern("uuuuMMdd'T'HHmmss'Z'", Locale.ROOT).withZone(ZoneOffset.UTC);

  private final String name;
  private final Form form;

  private AttemptHeader(String name, Form form) {
    this.name = Checks.headerName("attempt header", name);
    this.form = form;
  }

  /**
   * 0, 1, 2: the number of retries, as {@code X-Stainless-Retry-Count}.
   *
   * @param name the header
   * @return a form
   * @throws IllegalArgumentException if the name is no header name
   */
  public static AttemptHeader fromZero(String name) {
    return new AttemptHeader(name, Form.FROM_ZERO);
  }

  /**
   * 1, 2, 3: the number of the attempt, as {@code x-envoy-attempt-count}.
   *
   * @param name the header
   * @return a form
   * @throws IllegalArgumentException if the name is no header name
   */
  public static AttemptHeader fromOne(String name) {
    return new AttemptHeader(name, Form.FROM_ONE);
  }

  /**
   * Absent, 1, 2: on retries only, as {@code grpc-previous-rpc-attempts}.
   *
   * @param name the header
   * @return a form
   * @throws IllegalArgumentException if the name is no header name
   */
  public static AttemptHeader onRetries(String name) {
    return new AttemptHeader(name, Form.RETRIES_ONLY);
  }

  /**
   * {@code attempt=2; max=3}, as {@code amz-sdk-request}.
   *
   * @param name the header
   * @return a form
   * @throws IllegalArgumentException if the name is no header name
   */
  public static AttemptHeader attemptAndMax(String name) {
    return new AttemptHeader(name, Form.ATTEMPT_AND_MAX);
  }

  /**
   * {@code attempt=2; max=3; ttl=20240715T015911Z}, as some AWS SDKs write {@code amz-sdk-request}.
   * The time to live is the end of the attempt by the server's clock: after it nobody waits for the
   * answer, and the server may drop the request. It is rounded up to whole seconds.
   *
   * <p>It is only sent when the server's clock is known, from the {@code Date} of an earlier answer
   * within the operation, and the attempt has a bound. So the first attempt has none, and neither
   * has an attempt after failures without an answer.
   *
   * @param name the header
   * @return a form
   * @throws IllegalArgumentException if the name is no header name
   */
  public static AttemptHeader attemptMaxAndTimeToLive(String name) {
    return new AttemptHeader(name, Form.ATTEMPT_MAX_AND_TIME_TO_LIVE);
  }

  /**
   * The name of the header.
   *
   * @return the name
   */
  public String name() {
    return name;
  }

  /**
   * The value on one attempt, without a time to live.
   *
   * @param attempt the number of the attempt, from 1
   * @param maxAttempts the most attempts that the policy allows
   * @return the value, empty if the header is absent on this attempt
   */
  public Optional<String> value(int attempt, int maxAttempts) {
    return switch (form) {
      case FROM_ZERO -> Optional.of(Integer.toString(attempt - 1));
      case FROM_ONE -> Optional.of(Integer.toString(attempt));
      case RETRIES_ONLY ->
          attempt == 1 ? Optional.empty() : Optional.of(Integer.toString(attempt - 1));
      case ATTEMPT_AND_MAX, ATTEMPT_MAX_AND_TIME_TO_LIVE ->
          Optional.of("attempt=" + attempt + "; max=" + Math.max(attempt, maxAttempts));
    };
  }

  /** The value on one attempt that ends at this time, whose fraction of a second is dropped. */
  Optional<String> value(int attempt, int maxAttempts, Instant end) {
    String live = tellsTimeToLive() ? "; ttl=" + SECONDS.format(end) : "";
    return value(attempt, maxAttempts).map(value -> value + live);
  }

  boolean tellsTimeToLive() {
    return form == Form.ATTEMPT_MAX_AND_TIME_TO_LIVE;
  }

  /** The configured header, unless the caller or another option has set one of that name. */
  static @Nullable AttemptHeader unlessSet(
      @Nullable AttemptHeader configured, RequestView request, Map<String, String> others) {
    if (configured == null || !request.headers(configured.name()).isEmpty()) {
      return null;
    }
    for (String other : others.keySet()) {
      if (other.equalsIgnoreCase(configured.name())) {
        return null;
      }
    }
    return configured;
  }

  @Override
  public String toString() {
    return name + " " + form;
  }
}
