package dev.steadfast.retry.tck;

import static dev.steadfast.retry.tck.Reply.status;
import static dev.steadfast.retry.tck.Scenario.row;
import static dev.steadfast.retry.tck.StatusRows.OK;

import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.RetryPolicy.AboveCeiling;
import dev.steadfast.retry.http.ResponseSignals;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * Delays that a server asks for (docs/what-is-retried.md, "What the server can ask for"). The
 * virtual clock starts at 2014-06-06T12:30:00Z.
 */
final class ServerDelayRows {
  private static final String UNAVAILABLE = "503 UNAVAILABLE answered";

  private ServerDelayRows() {}

  static List<Scenario> rows() {
    return Stream.of(seconds(), millis(), dates(), ceiling(), spread(), pushback())
        .flatMap(List::stream)
        .toList();
  }

  private static Scenario delayed(String name, Reply unavailable, String wait) {
    return row(name).get("/a").replies(unavailable, OK).retriedAfter(UNAVAILABLE, "wait " + wait);
  }

  private static Reply unavailable(String header, String value) {
    return status(503).header(header, value);
  }

  private static List<Scenario> seconds() {
    return List.of(
        delayed(
            "Retry-After in seconds: waited for",
            unavailable("Retry-After", "2"),
            "2s server delay"),
        delayed(
            "Retry-After: 0: the backoff, a server delay is a floor",
            unavailable("Retry-After", "0"),
            "100ms backoff"),
        delayed(
            "Retry-After twice: the longest is the careful reading",
            unavailable("Retry-After", "2").header("Retry-After", "5"),
            "5s server delay"),
        delayed(
            "Retry-After with junk beside it: the line that can be read",
            unavailable("Retry-After", "soon").header("Retry-After", "3"),
            "3s server delay"),
        delayed(
            "X-RateLimit-Reset: ignored unless asked for",
            unavailable("X-RateLimit-Reset", "3"),
            "100ms backoff"),
        delayed(
                "X-RateLimit-Reset, if it is read: seconds from now",
                unavailable("X-RateLimit-Reset", "3"),
                "3s server delay")
            .retry(b -> b.signals(ResponseSignals.standard().withRateLimitReset())),
        row("the server delay of an answer is forgotten when the next attempt fails without one")
            .trap(14)
            .put("/a", "body")
            .replies(
                unavailable("Retry-After", "5").header("Connection", "close"),
                Reply.closeAfterRequest(),
                OK)
            .answers(200, "ok")
            .requests(3)
            .trace(
                "attempt 1: 503 UNAVAILABLE answered",
                "wait 5s server delay",
                "attempt 2: CONNECTION_LOST unknown",
                "wait 200ms backoff",
                "attempt 3: 200",
                "done ACCEPTED 3"));
  }

  private static List<Scenario> millis() {
    return List.of(
        delayed(
            "retry-after-ms: milliseconds",
            unavailable("retry-after-ms", "250"),
            "250ms server delay"),
        delayed(
            "retry-after-ms with a fraction: rounded up, never early",
            unavailable("retry-after-ms", "250.5"),
            "251ms server delay"),
        delayed(
            "x-ms-retry-after-ms beats retry-after-ms, which beats Retry-After",
            unavailable("Retry-After", "7")
                .header("retry-after-ms", "300")
                .header("x-ms-retry-after-ms", "400"),
            "400ms server delay"),
        delayed(
            "retry-after-ms below the backoff: the backoff",
            unavailable("retry-after-ms", "50"),
            "100ms backoff"));
  }

  private static List<Scenario> dates() {
    return List.of(
        delayed(
            "Retry-After as a date, against the answer's own Date",
            unavailable("Retry-After", "Fri, 06 Jun 2014 13:00:05 GMT")
                .header("Date", "Fri, 06 Jun 2014 13:00:00 GMT"),
            "5s server delay"),
        delayed(
            "Retry-After as a date, Date worthless because of Age: against the client's clock",
            unavailable("Retry-After", "Fri, 06 Jun 2014 12:30:08 GMT")
                .header("Date", "Fri, 06 Jun 2014 12:00:00 GMT")
                .header("Age", "1800"),
            "8s server delay"),
        delayed(
            "Retry-After as an RFC 850 date",
            unavailable("Retry-After", "Friday, 06-Jun-14 12:30:09 GMT"),
            "9s server delay"),
        delayed(
            "Retry-After as an asctime date",
            unavailable("Retry-After", "Fri Jun  6 12:30:10 2014"),
            "10s server delay"),
        delayed(
                "Retry-After as a date in the past: zero, and no negative sleep",
                unavailable("Retry-After", "Fri, 06 Jun 2014 12:00:00 GMT"),
                "100ms backoff")
            .trap(1));
  }

  private static List<Scenario> ceiling() {
    return List.of(
        row("Retry-After above the ceiling: given up at once, the delay is exposed")
            .get("/a")
            .policy(p -> p.noTotalTimeout())
            .replies(unavailable("Retry-After", "61").body("later"))
            .answers(503, "later")
            .endsAfter(UNAVAILABLE, "SERVER_DELAY_TOO_LONG 1 server delay 61s"),
        delayed(
                "Retry-After at the ceiling: waited for",
                unavailable("Retry-After", "60"),
                "60s server delay")
            .policy(p -> p.noTotalTimeout()),
        delayed(
                "Retry-After above the ceiling, CLAMP: the ceiling",
                unavailable("Retry-After", "3600"),
                "60s server delay")
            .policy(p -> p.noTotalTimeout().aboveCeiling(AboveCeiling.CLAMP)),
        delayed(
                "Retry-After above a ceiling of one's own, CLAMP: that ceiling",
                unavailable("Retry-After", "3600"),
                "1s server delay")
            .policy(p -> p.maxServerDelay(Duration.ofSeconds(1)).aboveCeiling(AboveCeiling.CLAMP)),
        row("Retry-After beyond the deadline: given up at once")
            .trap(11)
            .get("/a")
            .replies(unavailable("Retry-After", "45").body("later"))
            .answers(503, "later")
            .endsAfter(UNAVAILABLE, "DEADLINE 1 server delay 45s"));
  }

  private static List<Scenario> spread() {
    return List.of(
        delayed(
                "a server delay is spread upward only, at most by itself",
                unavailable("Retry-After", "2"),
                "4s server delay")
            .retry((b, run) -> b.environment(run.time().environment(() -> -1L))),
        delayed(
                "a server delay is spread by the configured share",
                unavailable("Retry-After", "2"),
                "3s server delay")
            .policy(p -> p.serverDelaySpread(0.5))
            .retry((b, run) -> b.environment(run.time().environment(() -> -1L))),
        delayed(
                "the spread of a server delay leaves room for an attempt before the deadline",
                unavailable("Retry-After", "8"),
                "9s server delay")
            .policy(
                p -> p.totalTimeout(Duration.ofSeconds(10)).minimumAttempt(Duration.ofSeconds(1)))
            .retry((b, run) -> b.environment(run.time().environment(() -> -1L))),
        delayed(
                "a server delay below the backoff changes nothing",
                unavailable("Retry-After", "1"),
                "3s backoff")
            .policy(p -> p.backoff(Backoff.fixed(Duration.ofSeconds(3)))));
  }

  private static List<Scenario> pushback() {
    return List.of(
        row("grpc-retry-pushback-ms: exactly that long, and the backoff starts anew")
            .get("/a")
            .policy(p -> p.maxAttempts(4))
            .replies(status(503), unavailable("grpc-retry-pushback-ms", "40"), status(503), OK)
            .answers(200, "ok")
            .requests(4)
            .trace(
                "attempt 1: 503 UNAVAILABLE answered",
                "wait 100ms backoff",
                "attempt 2: 503 UNAVAILABLE answered",
                "wait 40ms server pushback",
                "attempt 3: 503 UNAVAILABLE answered",
                "wait 100ms backoff",
                "attempt 4: 200",
                "done ACCEPTED 4"),
        row("grpc-retry-pushback-ms: -1 means stop")
            .get("/a")
            .replies(unavailable("grpc-retry-pushback-ms", "-1").body("stop"))
            .answers(503, "stop")
            .endsAfter(UNAVAILABLE, "DO_NOT_RETRY 1"),
        row("grpc-retry-pushback-ms that cannot be read means stop")
            .get("/a")
            .replies(unavailable("grpc-retry-pushback-ms", "soon").body("stop"))
            .answers(503, "stop")
            .endsAfter(UNAVAILABLE, "DO_NOT_RETRY 1"),
        row("grpc-retry-pushback-ms on a permanent status: nothing to push back")
            .get("/a")
            .replies(status(404).header("grpc-retry-pushback-ms", "50"))
            .answers(404, "")
            .endsAfter("404 ERROR_STATUS answered", "NOT_RETRYABLE 1 server delay 50ms"));
  }
}
