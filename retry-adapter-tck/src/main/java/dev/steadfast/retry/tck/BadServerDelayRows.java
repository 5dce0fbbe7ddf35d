package dev.steadfast.retry.tck;

import static dev.steadfast.retry.tck.Reply.status;
import static dev.steadfast.retry.tck.Scenario.row;
import static dev.steadfast.retry.tck.StatusRows.OK;

import dev.steadfast.retry.RetryPolicy.AboveCeiling;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Malformed server delays: junk counts as absent, too large a value saturates, nothing throws. */
final class BadServerDelayRows {
  private static final String ELEVEN_DIGITS = "99999999999";

  private BadServerDelayRows() {}

  static List<Scenario> rows() {
    List<Scenario> rows = new ArrayList<>();
    junk()
        .forEach((value, trap) -> {
          Scenario row =
              row("Retry-After: '" + value + "' is junk: the backoff")
                  .get("/a")
                  .replies(status(503).header("Retry-After", value), OK)
                  .retriedAfter("503 UNAVAILABLE answered");
          rows.add(trap == 0 ? row : row.trap(trap));
        });
    for (int code : List.of(408, 503)) {
      rows.add(elevenDigits(code));
    }
    rows.add(
        row("retry-after-ms: '1e3' is junk: Retry-After counts")
            .get("/a")
            .replies(status(503).header("retry-after-ms", "1e3").header("Retry-After", "2"), OK)
            .retriedAfter("503 UNAVAILABLE answered", "wait 2s server delay"));
    rows.add(
        row("Retry-After beyond every long, CLAMP: the ceiling")
            .trap(4)
            .get("/a")
            .policy(p -> p.noTotalTimeout().aboveCeiling(AboveCeiling.CLAMP))
            .replies(status(503).header("Retry-After", "9".repeat(40)), OK)
            .retriedAfter("503 UNAVAILABLE answered", "wait 60s server delay"));
    return rows;
  }

  /** Values and the trap that each belongs to; 0 for none. */
  private static Map<String, Integer> junk() {
    Map<String, Integer> junk = new TreeMap<>();
    junk.put("-1", 3);
    junk.put("Infinity", 2);
    junk.put("NaN", 2);
    junk.put("1.5", 2);
    for (String value :
        List.of("", "+5", "5s", "bient\u00f4t", "0x10", "2, 5", "Fri, 31 Foo 2014 00:00:00 GMT")) {
      junk.put(value, 0);
    }
    junk.put("Fri, 32 Jun 2014 12:30:05 GMT", 1);
    return junk;
  }

  /** More than an int can hold: OkHttp's own parser throws at it. */
  private static Scenario elevenDigits(int code) {
    String kind = code == 503 ? "UNAVAILABLE" : "ERROR_STATUS";
    return row("Retry-After of eleven digits on " + code + ": no exception, given up")
        .trap(4)
        .get("/a")
        .replies(status(code).header("Retry-After", ELEVEN_DIGITS).body("much later"))
        .answers(code, "much later")
        .endsAfter(
            code + " " + kind + " answered", "SERVER_DELAY_TOO_LONG 1 server delay for ever");
  }
}
