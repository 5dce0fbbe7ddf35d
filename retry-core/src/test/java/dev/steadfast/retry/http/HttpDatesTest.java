package dev.steadfast.retry.http;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HttpDatesTest {
  private static final Instant NOW = Instant.parse("2014-06-06T12:30:00Z");

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          Fri, 06 Jun 2014 12:30:31 GMT     | 2014-06-06T12:30:31Z
          Sun, 06 Nov 1994 08:49:37 GMT     | 1994-11-06T08:49:37Z
          Friday, 06-Jun-14 12:30:31 GMT    | 2014-06-06T12:30:31Z
          Sunday, 06-Nov-94 08:49:37 GMT    | 1994-11-06T08:49:37Z
          Wednesday, 01-Jan-20 00:00:00 GMT | 2020-01-01T00:00:00Z
          Sun Nov  6 08:49:37 1994          | 1994-11-06T08:49:37Z
          Sun Nov 16 08:49:37 1994          | 1994-11-16T08:49:37Z
          Sun Nov 6 08:49:37 1994           | 1994-11-06T08:49:37Z
          Thu, 29 Feb 2024 23:59:59 GMT     | 2024-02-29T23:59:59Z
          Thu, 01 Jan 1970 00:00:00 GMT     | 1970-01-01T00:00:00Z
          Fri, 31 Dec 9999 23:59:59 GMT     | 9999-12-31T23:59:59Z
          Sat, 01 Jan 0000 00:00:00 GMT     | 0000-01-01T00:00:00Z
          """)
  void readsTheThreeForms(String text, Instant expected) {
    assertEquals(Optional.of(expected), HttpDates.parse(text, NOW));
  }

  @ParameterizedTest
  @ValueSource(strings = {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct"})
  void readsEveryMonthByItsName(String month) {
    Instant at = HttpDates.parse("Fri, 02 " + month + " 2015 00:00:00 GMT", NOW).orElseThrow();
    int number = 1 + "JanFebMarAprMayJunJulAugSepOct".indexOf(month) / 3;
    assertEquals(Instant.parse(String.format("2015-%02d-02T00:00:00Z", number)), at);
  }

  @Test
  void aLeapSecondIsTheSecondAfter() {
    assertEquals(
        Optional.of(Instant.parse("2017-01-01T00:00:00Z")),
        HttpDates.parse("Sat, 31 Dec 2016 23:59:60 GMT", NOW));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Sat, 31 Feb 2015 12:00:00 GMT",
        "Sun, 29 Feb 2015 12:00:00 GMT",
        "Thu, 31 Apr 2015 12:00:00 GMT",
        "Thu, 00 Jan 2015 12:00:00 GMT",
        "Thu, 32 Jan 2015 12:00:00 GMT",
        "Thu, 01 Foo 2015 12:00:00 GMT",
        "Thu, 01 Jan 2015 24:00:00 GMT",
        "Thu, 01 Jan 2015 12:60:00 GMT",
        "Thu, 01 Jan 2015 12:00:61 GMT",
        "Thursday, 31-Feb-15 12:00:00 GMT",
        "Sun Feb 31 08:49:37 1994",
      })
  void aDateThatIsInNoCalendarIsNone(String text) {
    assertEquals(Optional.empty(), HttpDates.parse(text, NOW));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "Fri, 06 Jun 2014 12:30:30",
        "Fri, 06 Jun 2014 12:30:30 UTC",
        "Fri, 06 Jun 2014 12:30:30 +0000",
        "Fri, 06 Jun 2014 12:30:30 gmt",
        "fri, 06 Jun 2014 12:30:30 GMT",
        "Fri, 06 JUN 2014 12:30:30 GMT",
        "Fri, 6 Jun 2014 12:30:30 GMT",
        "Fri, 06 Jun 14 12:30:30 GMT",
        "Fri, 06 Jun 2014 1:30:30 GMT",
        "Fri, 06 Jun 2014 12:30 GMT",
        "Fri,06 Jun 2014 12:30:30 GMT",
        " Fri, 06 Jun 2014 12:30:30 GMT",
        "Fri, 06 Jun 2014 12:30:30 GMT ",
        "Fri, 06 Jun 12014 12:30:30 GMT",
        "Fri, 0\u0666 Jun 2014 12:30:30 GMT",
        "Friday, 06-Jun-2014 12:30:30 GMT",
        "Friday, 06 Jun 14 12:30:30 GMT",
        "Fri Jun   6 12:30:30 2014",
        "Fri Jun 06 12:30:30 14",
        "Fri Jun  6 12:30:30 2014 GMT",
        "2014-06-06T12:30:30Z",
        "1402057830",
      })
  void whatTheGrammarDoesNotAllowIsNone(String text) {
    assertEquals(Optional.empty(), HttpDates.parse(text, NOW));
  }

  /** RFC 9110 section 5.6.7: more than 50 years ahead, by the date and not by the year alone. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          2026-06-15T00:00:00Z | Sunday, 06-Nov-94 08:49:37 GMT  | 1994-11-06T08:49:37Z
          2026-06-15T00:00:00Z | Monday, 15-Jun-26 00:00:01 GMT  | 2026-06-15T00:00:01Z
          2026-06-15T00:00:00Z | Monday, 01-Jan-75 00:00:00 GMT  | 2075-01-01T00:00:00Z
          2026-06-15T00:00:00Z | Monday, 15-Jun-76 00:00:00 GMT  | 2076-06-15T00:00:00Z
          2026-06-15T00:00:00Z | Monday, 15-Jun-76 00:00:01 GMT  | 1976-06-15T00:00:01Z
          2026-06-15T00:00:00Z | Monday, 01-Jan-77 00:00:00 GMT  | 1977-01-01T00:00:00Z
          2026-06-15T00:00:00Z | Monday, 01-Jan-25 00:00:00 GMT  | 2025-01-01T00:00:00Z
          2099-06-15T00:00:00Z | Monday, 01-Jan-05 00:00:00 GMT  | 2105-01-01T00:00:00Z
          2099-06-15T00:00:00Z | Monday, 01-Jan-49 00:00:00 GMT  | 2149-01-01T00:00:00Z
          2099-06-15T00:00:00Z | Monday, 31-Dec-49 00:00:00 GMT  | 2049-12-31T00:00:00Z
          2099-06-15T00:00:00Z | Monday, 01-Jan-99 00:00:00 GMT  | 2099-01-01T00:00:00Z
          2000-01-01T00:00:00Z | Monday, 31-Dec-99 23:59:59 GMT  | 1999-12-31T23:59:59Z
          """)
  void aTwoDigitYearIsNeverMoreThanFiftyYearsAhead(Instant now, String text, Instant expected) {
    assertEquals(Optional.of(expected), HttpDates.parse(text, now));
  }
}
