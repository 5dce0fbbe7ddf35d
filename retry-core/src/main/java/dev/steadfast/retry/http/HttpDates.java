package dev.steadfast.retry.http;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * HTTP dates (RFC 9110 section 5.6.7): IMF-fixdate and the two obsolete forms that a recipient must
 * accept. The JDK's formatter reads only the first, and takes numeric zones that are not allowed.
 */
final class HttpDates {
  private static final List<String> MONTHS =
      List.of("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec");
  private static final String TIME = "([0-9]{2}):([0-9]{2}):([0-9]{2})";

  // Fri, 06 Jun 2014 12:30:30 GMT
  private static final Pattern IMF =
      Pattern.compile("[A-Z][a-z]{2}, ([0-9]{2}) ([A-Z][a-z]{2}) ([0-9]{4}) " + TIME + " GMT");
  // Friday, 06-Jun-14 12:30:30 GMT
  private static final Pattern RFC_850 =
      Pattern.compile("[A-Z][a-z]{5,8}, ([0-9]{2})-([A-Z][a-z]{2})-([0-9]{2}) " + TIME + " GMT");
  // Fri Jun  6 12:30:30 2014, in the wild also with one space
  private static final Pattern ASCTIME =
      Pattern.compile("[A-Z][a-z]{2} ([A-Z][a-z]{2}) {1,2}([0-9]{1,2}) " + TIME + " ([0-9]{4})");

  private HttpDates() {}

  static Optional<Instant> parse(String value, Instant now) {
    Matcher imf = IMF.matcher(value);
    if (imf.matches()) {
      return instant(Integer.parseInt(imf.group(3)), imf.group(2), imf.group(1), imf, 4);
    }
    Matcher rfc850 = RFC_850.matcher(value);
    if (rfc850.matches()) {
      return rfc850(rfc850, now);
    }
    Matcher asctime = ASCTIME.matcher(value);
    if (asctime.matches()) {
      int year = Integer.parseInt(asctime.group(6));
      return instant(year, asctime.group(1), asctime.group(2), asctime, 3);
    }
    return Optional.empty();
  }

  /** A date whose two-digit year makes it appear more than 50 years ahead is in the past. */
  private static Optional<Instant> rfc850(Matcher match, Instant now) {
    OffsetDateTime latest = now.atOffset(ZoneOffset.UTC).plusYears(50);
    int twoDigits = Integer.parseInt(match.group(3));
    int year = latest.getYear() - Math.floorMod(latest.getYear() - twoDigits, 100);
    Optional<Instant> at = instant(year, match.group(2), match.group(1), match, 4);
    return at.isPresent() && at.get().isAfter(latest.toInstant())
        ? instant(year - 100, match.group(2), match.group(1), match, 4)
        : at;
  }

  private static Optional<Instant> instant(
      int year, String month, String day, Matcher match, int timeAt) {
    int hour = Integer.parseInt(match.group(timeAt));
    int minute = Integer.parseInt(match.group(timeAt + 1));
    int second = Integer.parseInt(match.group(timeAt + 2));
    boolean leap = second == 60; // the grammar allows it, java.time does not
    try {
      LocalDateTime time =
          LocalDateTime.of(
              year,
              MONTHS.indexOf(month) + 1,
              Integer.parseInt(day),
              hour,
              minute,
              leap ? 59 : second);
      return Optional.of(time.toInstant(ZoneOffset.UTC).plusSeconds(leap ? 1 : 0));
    } catch (DateTimeException e) {
      return Optional.empty();
    }
  }
}
