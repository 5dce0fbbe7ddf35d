package dev.steadfast.retry.http;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads when a quota is whole again, in the forms that vendors use: durations such as {@code 6m0s}
 * and {@code 20ms}, RFC 3339, seconds from now, and seconds or milliseconds since 1970. Points in
 * time are measured against the server's own clock, if the answer tells it.
 */
final class QuotaReset {
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Duration MILLISECOND = Duration.ofMillis(1);
  private static final long MOST_SECONDS = 100_000L * 86_400; // fits a long of nanoseconds
  private static final Duration LONGEST = Duration.ofSeconds(MOST_SECONDS);
  private static final int MOST_CHARACTERS = 40;

  private static final Pattern DURATION =
      Pattern.compile("([0-9]{1,9}(?:\\.[0-9]{1,9})?)(ms|us|ns|d|h|m|s)");

  /**
   * A time that is left.
   *
   * @param leftNanos nanoseconds, 0 or more
   * @param resolutionNanos by how much it may be wrong
   */
  record Time(long leftNanos, long resolutionNanos) {}

  private final Instant serverNow;

  QuotaReset(ResponseView response, Instant now) {
    List<String> dates = response.headers("Date");
    this.serverNow =
        dates.size() == 1
            ? HttpDates.parse(ServerDelayParser.trim(dates.get(0)), now).orElse(now)
            : now;
  }

  /** The time that is left; null if the value is none, or in the past. */
  @Nullable Time read(String value) {
    if (value.isEmpty() || value.length() > MOST_CHARACTERS) {
      return null;
    }
    long number = Digits.parse(value);
    if (number >= 0) {
      return number < 1_000_000_000L
          ? time(Duration.ofSeconds(number), SECOND)
          : time(untilEpoch(number), SECOND);
    }
    return value.indexOf('T') > 0 ? rfc3339(value) : duration(value);
  }

  private Duration untilEpoch(long number) {
    boolean millis = number >= 1_000_000_000_000L;
    long seconds = Math.min(millis ? number / 1000 : number, MOST_SECONDS);
    return Duration.between(serverNow, Instant.ofEpochSecond(seconds));
  }

  private @Nullable Time rfc3339(String value) {
    try {
      Instant at = OffsetDateTime.parse(value).toInstant();
      return time(Duration.between(serverNow, at), SECOND);
    } catch (DateTimeException noDate) {
      return null;
    }
  }

  private static @Nullable Time duration(String value) {
    Matcher part = DURATION.matcher(value);
    double seconds = 0;
    boolean coarse = true;
    int end = 0;
    while (end < value.length()) {
      if (!part.find(end) || part.start() != end) {
        return null;
      }
      String unit = part.group(2);
      seconds += Double.parseDouble(part.group(1)) * seconds(unit);
      coarse &= unit.length() == 1 && part.group(1).indexOf('.') < 0;
      end = part.end();
    }
    double most = Math.min(seconds, (double) MOST_SECONDS);
    return time(Duration.ofNanos((long) (most * 1e9)), coarse ? SECOND : MILLISECOND);
  }

  private static double seconds(String unit) {
    return switch (unit) {
      case "d" -> 86_400;
      case "h" -> 3_600;
      case "m" -> 60;
      case "ms" -> 1e-3;
      case "us" -> 1e-6;
      case "ns" -> 1e-9;
      default -> 1;
    };
  }

  private static @Nullable Time time(Duration left, Duration resolution) {
    if (left.isNegative()) {
      return null;
    }
    Duration most = left.compareTo(LONGEST) > 0 ? LONGEST : left;
    return new Time(most.toNanos(), resolution.toNanos());
  }
}
