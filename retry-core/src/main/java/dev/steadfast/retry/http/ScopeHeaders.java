package dev.steadfast.retry.http;

import dev.steadfast.retry.internal.Checks;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The headers by which a scope travels from service to service: "do not retry, I will", the time
 * that is left, the idempotency key and the number of the attempt. One more goes back: "do not
 * retry this". No standard defines their names. Immutable and safe for use by many threads.
 *
 * <p>A malformed header is ignored, with a line at debug level: a header can only tighten what
 * applies, never loosen it. The strictest value of a header holds, whether several are on lines of
 * their own or merged into one.
 */
public final class ScopeHeaders {
  // Why it is like this: docs/decisions/nesting.md
  private static final Logger LOG = LoggerFactory.getLogger("dev.steadfast.retry");
  private static final int MOST_CHARACTERS = 255;

  private final Field doNotRetry;
  private final @Nullable String grpcTimeout;
  private final @Nullable String timeoutMillis;
  private final String key;
  private final String attempt;
  private final Field gaveUp;
  private final List<String> outbound;

  /** A header that says something by one value. */
  private record Field(String name, String value) {
    static Field of(String name, String value) {
      return new Field(
          Checks.headerName("header", name),
          Checks.notBlank("header value", Checks.headerValue("header value", value)));
    }
  }

  // One parameter per field; only the factories and copies below call it.
  private ScopeHeaders(
      Field doNotRetry,
      @Nullable String grpcTimeout,
      @Nullable String timeoutMillis,
      String key,
      String attempt,
      Field gaveUp) {
    this.doNotRetry = doNotRetry;
    this.grpcTimeout = grpcTimeout;
    this.timeoutMillis = timeoutMillis;
    this.key = key;
    this.attempt = attempt;
    this.gaveUp = gaveUp;
    this.outbound =
        List.of(
            Stream.of(doNotRetry.name(), grpcTimeout, timeoutMillis)
                .filter(Objects::nonNull)
                .toArray(String[]::new));
  }

  /**
   * {@code Do-Not-Retry: true}; {@code grpc-timeout} and {@code X-Request-Timeout-Ms} for the time
   * that is left, of which the shorter holds; {@code Idempotency-Key}; {@code X-Attempt}; and
   * {@code x-should-retry: false} for the way back.
   *
   * @return the default
   */
  public static ScopeHeaders standard() {
    return new ScopeHeaders(
        new Field("Do-Not-Retry", "true"),
        "grpc-timeout",
        "X-Request-Timeout-Ms",
        IdempotencyKeys.DEFAULT_HEADER,
        "X-Attempt",
        new Field("x-should-retry", "false"));
  }

  /**
   * {@return a preset for Envoy: {@code x-envoy-max-retries: 0}, which beats a route's policy where
   * Envoy trusts the header, {@code x-envoy-expected-rq-timeout-ms} and {@code
   * x-envoy-attempt-count}}
   */
  public static ScopeHeaders envoy() {
    ScopeHeaders standard = standard();
    return new ScopeHeaders(
        new Field("x-envoy-max-retries", "0"),
        null,
        "x-envoy-expected-rq-timeout-ms",
        standard.key,
        "x-envoy-attempt-count",
        standard.gaveUp);
  }

  /**
   * {@return a preset for Linkerd: {@code l5d-retry-limit: 0}; its proxies act on it where they run
   * with {@code --allow-l5d-request-headers}} The time that is left travels as in {@link
   * #standard()}.
   */
  public static ScopeHeaders linkerd() {
    return standard().withDoNotRetry("l5d-retry-limit", "0");
  }

  /**
   * The same with another header that says not to retry.
   *
   * @param header the name
   * @param value what is sent, and what is understood, without regard to case
   * @return a changed copy
   * @throws IllegalArgumentException if the name is no header name, or the value empty or no header
   *     value
   */
  public ScopeHeaders withDoNotRetry(String header, String value) {
    Field field = Field.of(header, value);
    return new ScopeHeaders(field, grpcTimeout, timeoutMillis, key, attempt, gaveUp);
  }

  /**
   * The same with another header for the time that is left in gRPC's form: up to eight digits and a
   * unit, as in {@code 250m}.
   *
   * @param header the name, null for none
   * @return a changed copy
   * @throws IllegalArgumentException if the name is no header name
   * @see <a href="https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md">gRPC over
   *     HTTP2</a>
   */
  public ScopeHeaders withGrpcTimeout(@Nullable String header) {
    String name = header == null ? null : Checks.headerName("gRPC timeout header", header);
    return new ScopeHeaders(doNotRetry, name, timeoutMillis, key, attempt, gaveUp);
  }

  /**
   * The same with another header for the time that is left in whole milliseconds.
   *
   * @param header the name, null for none
   * @return a changed copy
   * @throws IllegalArgumentException if the name is no header name
   */
  public ScopeHeaders withTimeoutMillis(@Nullable String header) {
    String name = header == null ? null : Checks.headerName("timeout header", header);
    return new ScopeHeaders(doNotRetry, grpcTimeout, name, key, attempt, gaveUp);
  }

  /**
   * The same with another header from which the key of an inbound request is read.
   *
   * @param header the name
   * @return a changed copy
   * @throws IllegalArgumentException if the name is no header name
   */
  public ScopeHeaders withKey(String header) {
    String name = Checks.headerName("key header", header);
    return new ScopeHeaders(doNotRetry, grpcTimeout, timeoutMillis, name, attempt, gaveUp);
  }

  /**
   * The same with another header from which the number of the caller's attempt is read: a number,
   * or {@code attempt=2; max=3}.
   *
   * @param header the name
   * @return a changed copy
   * @throws IllegalArgumentException if the name is no header name
   */
  public ScopeHeaders withAttempt(String header) {
    String name = Checks.headerName("attempt header", header);
    return new ScopeHeaders(doNotRetry, grpcTimeout, timeoutMillis, key, name, gaveUp);
  }

  /**
   * The same with another response header that tells the caller that retrying is of no use, such as
   * {@code Stripe-Should-Retry: false} or {@code Qos-Retry-Hint: do-not-retry}.
   *
   * @param header the name
   * @param value the value
   * @return a changed copy
   * @throws IllegalArgumentException if the name is no header name, or the value empty or no header
   *     value
   */
  public ScopeHeaders withGaveUp(String header, String value) {
    Field field = Field.of(header, value);
    return new ScopeHeaders(doNotRetry, grpcTimeout, timeoutMillis, key, attempt, field);
  }

  /**
   * Whether an inbound request says not to retry.
   *
   * @param headers looks up a header, null if it is absent
   * @return false if it does not
   */
  public boolean readDoNotRetry(Function<String, @Nullable String> headers) {
    String value = headers.apply(doNotRetry.name());
    if (value == null) {
      return false;
    }
    if (value.trim().equalsIgnoreCase(doNotRetry.value())) {
      return true;
    }
    for (String each : value.split(",", -1)) {
      if (each.trim().equalsIgnoreCase(doNotRetry.value())) {
        return true;
      }
    }
    ignored(doNotRetry.name(), value);
    return false;
  }

  /**
   * The time that an inbound request leaves.
   *
   * @param headers looks up a header, null if it is absent
   * @return nanoseconds, 0 or more; {@link Long#MAX_VALUE} if it does not say
   */
  public long readRemainingNanos(Function<String, @Nullable String> headers) {
    return Math.min(
        readNanos(headers, grpcTimeout, TimeoutForm.GRPC),
        readNanos(headers, timeoutMillis, TimeoutForm.MILLIS));
  }

  private static long readNanos(
      Function<String, @Nullable String> headers, @Nullable String name, TimeoutForm form) {
    String value = name == null ? null : headers.apply(name);
    if (value == null) {
      return Long.MAX_VALUE;
    }
    long shortest = Long.MAX_VALUE;
    for (String each : value.split(",", -1)) {
      long nanos = form.parse(each.trim());
      if (nanos < 0) {
        ignored(name, value);
      } else {
        shortest = Math.min(shortest, nanos);
      }
    }
    return shortest;
  }

  /**
   * The key of an inbound request.
   *
   * @param headers looks up a header, null if it is absent
   * @return null if it has none, or none of 1 to 255 printable ASCII characters
   */
  public @Nullable String readKey(Function<String, @Nullable String> headers) {
    String value = headers.apply(key);
    if (value == null) {
      return null;
    }
    boolean clean =
        !Checks.isBlank(value)
            && value.length() <= MOST_CHARACTERS
            && value.chars().allMatch(c -> c >= 0x20 && c <= 0x7e);
    if (clean) {
      return value;
    }
    ignored(key, value);
    return null;
  }

  /**
   * The number of the caller's attempt.
   *
   * @param headers looks up a header, null if it is absent
   * @return empty if it does not say
   */
  public OptionalInt readAttempt(Function<String, @Nullable String> headers) {
    String value = headers.apply(attempt);
    if (value == null) {
      return OptionalInt.empty();
    }
    long latest = -1;
    for (String each : value.split(",", -1)) {
      latest = Math.max(latest, attemptNumber(each.trim()));
    }
    if (latest >= 0 && latest <= Integer.MAX_VALUE) {
      return OptionalInt.of((int) latest);
    }
    ignored(attempt, value);
    return OptionalInt.empty();
  }

  private static long attemptNumber(String value) {
    String number = value.startsWith("attempt=") ? value.substring(8).split(";", 2)[0] : value;
    return Digits.parse(number.trim());
  }

  /** {@return the header that a server adds to its response if its own calls gave up} */
  public Map<String, String> responseHeaders() {
    return Map.of(gaveUp.name(), gaveUp.value());
  }

  /** The names of the headers that are sent. */
  List<String> outbound() {
    return outbound;
  }

  void writeDoNotRetry(BiConsumer<String, String> header) {
    header.accept(doNotRetry.name(), doNotRetry.value());
  }

  void writeRemaining(long nanos, BiConsumer<String, String> header) {
    if (nanos == Long.MAX_VALUE) {
      return;
    }
    if (grpcTimeout != null) {
      header.accept(grpcTimeout, TimeoutForm.GRPC.format(nanos));
    }
    if (timeoutMillis != null) {
      header.accept(timeoutMillis, TimeoutForm.MILLIS.format(nanos));
    }
  }

  // The value may be an attacker's, of any length: it is not logged.
  private static void ignored(@Nullable String name, String value) {
    LOG.debug("ignored the inbound header {}: malformed, {} characters", name, value.length());
  }

  @Override
  public String toString() {
    return doNotRetry.name() + ", " + grpcTimeout + ", " + timeoutMillis;
  }
}
