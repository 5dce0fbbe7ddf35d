package dev.steadfast.retry.http;

import dev.steadfast.retry.ServerDelay;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Reads the delay that a response asks for. Junk is absent, the past is zero, and what is too large
 * for a long saturates; nothing here throws, whatever a server sends.
 *
 * <p>Each header is looked up once, and none is read that has more than 16 lines: what a server
 * sends must not cost more here than it cost the client to receive. Such a header counts as the
 * longest delay, because a line that is not read may ask for more than those before it.
 */
final class ServerDelayParser {
  private static final List<String> MILLIS_HEADERS =
      List.of("x-ms-retry-after-ms", "retry-after-ms");
  // A millisecond can be added, and the whole is far above what a long of nanoseconds holds.
  private static final Duration LONGEST = Duration.ofMillis(Long.MAX_VALUE);

  private static final int MOST_LINES = 16;

  private final boolean rateLimitReset;

  ServerDelayParser(boolean rateLimitReset) {
    this.rateLimitReset = rateLimitReset;
  }

  ServerDelay parse(ResponseView response, Instant now) {
    for (String name : MILLIS_HEADERS) {
      Optional<Duration> delay = largest(response, name, ServerDelayParser::millis);
      if (delay.isPresent()) {
        return ServerDelay.atLeast(delay.get());
      }
    }
    ServerTime serverTime = new ServerTime(response, now);
    Optional<Duration> delay =
        largest(response, "Retry-After", value -> retryAfter(value, serverTime));
    if (!delay.isPresent() && rateLimitReset) {
      delay = largest(response, "X-RateLimit-Reset", value -> reset(value, serverTime));
    }
    return delay.map(ServerDelay::atLeast).orElse(ServerDelay.none());
  }

  private interface Reader {
    Optional<Duration> read(String value);
  }

  /** The time of the server's clock, found out when it is first asked for. */
  private static final class ServerTime {
    private final ResponseView response;
    private final Instant local;
    private @Nullable Instant known;

    ServerTime(ResponseView response, Instant local) {
      this.response = response;
      this.local = local;
    }

    // The server's own clock tells how far away its date is, unless a cache kept the response.
    Instant get() {
      Instant found = known;
      if (found == null) {
        List<String> dates = response.headers("Date");
        boolean own = dates.size() == 1 && response.headers("Age").isEmpty();
        found = own ? HttpDates.parse(trim(dates.get(0)), local).orElse(local) : local;
        known = found;
      }
      return found;
    }

    Duration until(Instant at) {
      Instant now = get();
      return at.isAfter(now) ? Duration.between(now, at) : Duration.ZERO;
    }
  }

  // A singleton field that came twice is malformed; the longest is the careful reading of it.
  private static Optional<Duration> largest(ResponseView response, String name, Reader reader) {
    List<String> lines = response.headers(name);
    if (lines.size() > MOST_LINES) {
      return Optional.of(LONGEST);
    }
    Duration longest = null;
    for (String line : lines) {
      Duration each = reader.read(trim(line)).orElse(null);
      if (each != null && (longest == null || each.compareTo(longest) > 0)) {
        longest = each;
      }
    }
    return Optional.ofNullable(longest);
  }

  /** RFC 9110 section 10.2.3: delay-seconds or HTTP-date. */
  private static Optional<Duration> retryAfter(String value, ServerTime serverTime) {
    if (digits(value)) {
      return Optional.of(of(value, Duration::ofSeconds));
    }
    return HttpDates.parse(value, serverTime.local).map(serverTime::until);
  }

  /** Milliseconds, with a fraction in some SDKs. */
  private static Optional<Duration> millis(String value) {
    int point = value.indexOf('.');
    String whole = point < 0 ? value : value.substring(0, point);
    String fraction = point < 0 ? "0" : value.substring(point + 1);
    if (!digits(whole) || !digits(fraction)) {
      return Optional.empty();
    }
    boolean more = fraction.chars().anyMatch(c -> c != '0');
    return Optional.of(of(whole, Duration::ofMillis).plusMillis(more ? 1 : 0)); // never early
  }

  /** Seconds from now below 10^9, seconds since 1970 below 10^12, milliseconds since then above. */
  private static Optional<Duration> reset(String value, ServerTime serverTime) {
    if (!digits(value) || value.length() > 15) {
      return Optional.empty();
    }
    long number = Long.parseLong(value);
    if (number < 1_000_000_000L) {
      return Optional.of(Duration.ofSeconds(number));
    }
    boolean millis = number >= 1_000_000_000_000L;
    return Optional.of(
        serverTime.until(millis ? Instant.ofEpochMilli(number) : Instant.ofEpochSecond(number)));
  }

  private static Duration of(String digits, LongFunction<Duration> unit) {
    try {
      return unit.apply(Long.parseLong(digits));
    } catch (NumberFormatException tooLarge) {
      return LONGEST;
    }
  }

  private static boolean digits(String value) {
    return !value.isEmpty() && value.chars().allMatch(c -> c >= '0' && c <= '9');
  }

  // Optional white space (RFC 9110 section 5.6.3) is space and tab, and nothing else.
  static String trim(String value) {
    int from = 0;
    int to = value.length();
    while (from < to && blank(value.charAt(from))) {
      from++;
    }
    while (to > from && blank(value.charAt(to - 1))) {
      to--;
    }
    return value.substring(from, to);
  }

  private static boolean blank(char c) {
    return c == ' ' || c == '\t';
  }
}
