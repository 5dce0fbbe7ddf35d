package dev.steadfast.retry.tck;

import static dev.steadfast.retry.tck.Reply.status;
import static dev.steadfast.retry.tck.Scenario.row;
import static dev.steadfast.retry.tck.ScenarioOutcome.Category.USER;
import static dev.steadfast.retry.tck.StatusRows.OK;

import java.util.List;
import java.util.Optional;

/** Other headers that the library sets: per attempt, or once per operation. */
final class HeaderRows {
  private static final String UNAVAILABLE = "503 UNAVAILABLE answered";

  private HeaderRows() {}

  static List<Scenario> rows() {
    return List.of(
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
                      throw new ScenarioOutcome.UserCodeException();
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
                      throw new ScenarioOutcome.UserCodeException();
                    })),
        each("that no server could read: not sent", "-", "-")
            .retry(b ->
                b.oncePerAttempt(
                    "X-Each", (operation, number) -> Optional.of("a\r\nB: " + number))));
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
