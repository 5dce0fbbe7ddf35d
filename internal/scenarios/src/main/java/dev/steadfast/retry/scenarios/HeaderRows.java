package dev.steadfast.retry.scenarios;

import static dev.steadfast.retry.scenarios.Outcome.Category.USER;
import static dev.steadfast.retry.scenarios.Reply.status;
import static dev.steadfast.retry.scenarios.Scenario.row;
import static dev.steadfast.retry.scenarios.StatusRows.OK;

import dev.steadfast.retry.http.AttemptHeader;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Other headers that the library sets: per attempt, or once per operation. */
final class HeaderRows {
  private static final String UNAVAILABLE = "503 UNAVAILABLE answered";

  private HeaderRows() {}

  static List<Scenario> rows() {
    return List.of(
        attempts("from 0", AttemptHeader.fromZero("X-Attempt"), "0", "1", "2"),
        attempts("from 1", AttemptHeader.fromOne("X-Attempt"), "1", "2", "3"),
        attempts("on retries only", AttemptHeader.onRetries("X-Attempt"), "-", "1", "2"),
        attempts(
            "with the maximum",
            AttemptHeader.attemptAndMax("X-Attempt"),
            "attempt=1; max=3",
            "attempt=2; max=3",
            "attempt=3; max=3"),
        attempts(
                "with the maximum and the time to live, by the server's clock",
                AttemptHeader.attemptMaxAndTimeToLive("X-Attempt"),
                "attempt=1; max=3",
                "attempt=2; max=3; ttl=20140606T130004Z",
                "attempt=3; max=3; ttl=20140606T130004Z")
            .policy(p -> p.attemptTimeout(Duration.ofSeconds(2)))
            .replies(status(503).header("Date", "Fri, 06 Jun 2014 13:00:00 GMT"), status(503), OK),
        attempts("already the caller's", AttemptHeader.fromOne("X-Attempt"), "7", "7", "7")
            .header("x-attempt", "7"),
        attempts("not configured", null, "-", "-", "-"),
        once("made once, sent unchanged on every attempt", "12:30:00.0", "12:30:00.0")
            .retry((b, run) ->
                b.oncePerOperation(
                    "Repeatability-First-Sent",
                    (request, now) -> Optional.of("12:30:00." + run.time().nanos()))),
        once("already the caller's: never overwritten", "mine", "mine")
            .header("repeatability-first-sent", "mine")
            .retry(b ->
                b.oncePerOperation(
                    "Repeatability-First-Sent", (request, now) -> Optional.of("ours"))),
        once("that is empty: not sent", "-", "-")
            .retry(b ->
                b.oncePerOperation("Repeatability-First-Sent", (request, now) -> Optional.empty())),
        row("a header once per operation whose function throws: nothing is sent")
            .get("/a")
            .retry(b ->
                b.oncePerOperation(
                    "X-Once",
                    (request, now) -> {
                      throw new Outcome.UserCodeException();
                    }))
            .neverBegins(USER),
        each("made anew for each attempt", "/a 1", "/a 2")
            .retry(b ->
                b.oncePerAttempt(
                    "X-Each",
                    (operation, number) ->
                        Optional.of(operation.label().replaceFirst(".*/", "/") + " " + number))),
        each("already the caller's: never overwritten", "mine", "mine")
            .header("x-each", "mine")
            .retry(b -> b.oncePerAttempt("X-Each", (operation, number) -> Optional.of("ours"))),
        each("that another option sets: never overwritten", "same", "same")
            .retry(b ->
                b.oncePerOperation("x-each", (request, now) -> Optional.of("same"))
                    .oncePerAttempt("X-Each", (operation, number) -> Optional.of("other"))),
        each("that is empty: not sent", "-", "2")
            .retry(b ->
                b.oncePerAttempt(
                    "X-Each",
                    (operation, number) -> Optional.of("2").filter(value -> number == 2))),
        each("whose function throws: not sent", "-", "-")
            .retry(b ->
                b.oncePerAttempt(
                    "X-Each",
                    (operation, number) -> {
                      throw new Outcome.UserCodeException();
                    })),
        each("that no server could read: not sent", "-", "-")
            .retry(b ->
                b.oncePerAttempt(
                    "X-Each", (operation, number) -> Optional.of("a\r\nB: " + number))));
  }

  private static Scenario attempts(String name, AttemptHeader header, String... values) {
    return row("attempt header " + name)
        .get("/a")
        .retry(b -> {
          if (header != null) {
            b.attemptHeader(header);
          }
        })
        .replies(status(503), status(503), OK)
        .answers(200, "ok")
        .requests(3)
        .trace(
            "attempt 1: 503 UNAVAILABLE answered",
            "wait 100ms backoff",
            "attempt 2: 503 UNAVAILABLE answered",
            "wait 200ms backoff",
            "attempt 3: 200",
            "done ACCEPTED 3")
        .expect(e -> e.sent("X-Attempt", values));
  }

  private static Scenario each(String name, String... values) {
    return row("header per attempt, " + name)
        .get("/a")
        .replies(status(503), OK)
        .retriedAfter(UNAVAILABLE)
        .expect(e -> e.sent("X-Each", values));
  }

  private static Scenario once(String name, String... values) {
    return row("header once per operation, " + name)
        .get("/a")
        .replies(status(503), OK)
        .retriedAfter(UNAVAILABLE)
        .expect(e -> e.sent("Repeatability-First-Sent", values));
  }
}
