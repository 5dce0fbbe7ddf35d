package dev.steadfast.retry.tck;

import static dev.steadfast.retry.tck.Reply.status;
import static dev.steadfast.retry.tck.Scenario.row;
import static dev.steadfast.retry.tck.ScenarioOutcome.Category.BROKEN_ANSWER;
import static dev.steadfast.retry.tck.ScenarioOutcome.Category.BROKEN_READING;
import static dev.steadfast.retry.tck.ScenarioOutcome.Category.TIMEOUT;
import static dev.steadfast.retry.tck.StatusRows.OK;

import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.http.StandardRules;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** Bodies: of answers that break or are not wanted, and of requests that cannot be repeated. */
final class BodyRows {
  private static final String UNAVAILABLE = "503 UNAVAILABLE answered";
  private static final String BROKEN = "BROKEN_BODY answered";
  private static final String AT_HEAD =
      "an attempt ends with its head; reading the body is the caller's";

  private BodyRows() {}

  static List<Scenario> rows() {
    return Stream.of(brokenAnswers(), discarded(), requests()).flatMap(List::stream).toList();
  }

  private static List<Scenario> brokenAnswers() {
    Reply truncated = Reply.truncatedBody(200, 100, "half");
    return List.of(
        row("GET, a body that breaks then 200: retried within the call")
            .get("/a")
            .replies(truncated, OK)
            .retriedAfter(BROKEN)
            .expect(e -> e.permits("succeeded", "succeeded"))
            .differs(
                Trait.BODY_AFTER_CALL,
                AT_HEAD,
                e ->
                    e.fails(BROKEN_READING)
                        .requests(1)
                        .trace("attempt 1: 200", "done ACCEPTED 1")
                        .permits("succeeded")),
        row("GET, a body that breaks then 200, bufferBodiesUpTo: retried within the call")
            .get("/a")
            .retry(b -> b.bufferBodiesUpTo(1024))
            .replies(truncated, OK)
            .retriedAfter(BROKEN),
        row("GET, a body that breaks, retryBrokenBody(false): the exception")
            .get("/a")
            .retry(b ->
                b.bufferBodiesUpTo(1024)
                    .classifier(StandardRules.builder().retryBrokenBody(false).build()))
            .replies(truncated)
            .fails(BROKEN_ANSWER)
            .endsAfter(BROKEN, "NOT_RETRYABLE 1"),
        row("POST without a key, a body that breaks: it has been processed")
            .post("/pay", "100")
            .retry(b -> b.bufferBodiesUpTo(1024))
            .replies(truncated)
            .fails(BROKEN_ANSWER)
            .endsAfter(BROKEN, "NOT_REPLAYABLE 1"),
        row("GET, a chunked body without its end then 200, bufferBodiesUpTo: retried")
            .get("/a")
            .retry(b -> b.bufferBodiesUpTo(1024))
            .replies(truncated.chunked(), OK)
            .retriedAfter(BROKEN),
        row("GET, a body that stalls: the deadline ends it")
            .get("/a")
            .policy(p -> p.totalTimeout(Duration.ofSeconds(5)))
            .replies(Reply.stalledBody(200, 100, "half"))
            .at(Scenario.Moment.HEAD, run -> run.advance(Duration.ofSeconds(5)))
            .fails(TIMEOUT)
            .endsAfter("TIMEOUT answered", "DEADLINE 1")
            .notFor(Trait.BODY_AFTER_CALL, AT_HEAD + ", under his own timeouts"));
  }

  private static List<Scenario> discarded() {
    return List.of(
        row("GET, a short 503 body then 200: read for the sake of its connection")
            .get("/a")
            .replies(status(503).body("x".repeat(1000)), OK)
            .retriedAfter(UNAVAILABLE)
            .expect(e -> e.connections(1)),
        row("GET, a 503 body of 1 MB then 200: not read to its end")
            .get("/a")
            .replies(status(503).body("x".repeat(1_000_000)), OK)
            .retriedAfter(UNAVAILABLE),
        row("GET, a 503 body without end then 200: not waited for")
            .get("/a")
            .replies(Reply.endlessBody(503), OK)
            .retriedAfter(UNAVAILABLE),
        row("GET, a 503 body that stalls then 200: not waited for")
            .get("/a")
            .replies(Reply.stalledBody(503, 100, "half"), OK)
            .retriedAfter(UNAVAILABLE)
            .notFor(Trait.VIRTUAL_PATIENCE, "there the 100 ms of patience are virtual"),
        row("GET, a 503 body that breaks then 200: not missed")
            .get("/a")
            .replies(Reply.truncatedBody(503, 100, "half"), OK)
            .retriedAfter(UNAVAILABLE),
        row("GET, a chunked 503 body then 200")
            .get("/a")
            .replies(status(503).body("busy").chunked(), OK)
            .retriedAfter(UNAVAILABLE)
            .expect(e -> e.connections(1)),
        row("GET, 503 until the attempts are used up: the last body is whole")
            .get("/a")
            .policy(p -> p.maxAttempts(2))
            .replies(status(503).body("first"), status(503).body("y".repeat(100_000)))
            .answers(503, "y".repeat(100_000))
            .endsAfter(UNAVAILABLE, UNAVAILABLE, "ATTEMPTS_EXHAUSTED 2"));
  }

  private static List<Scenario> requests() {
    HttpCall put = HttpCall.of("PUT", "/a");
    return List.of(
        row("PUT with a one-shot body, 503: it cannot be sent again")
            .call(put.body(HttpCall.Form.ONE_SHOT, "once"))
            .replies(status(503).body("busy"))
            .answers(503, "busy")
            .endsAfter(UNAVAILABLE, "BODY_NOT_REPEATABLE 1"),
        row("PUT with a one-shot body, response lost: it cannot be sent again")
            .call(put.body(HttpCall.Form.ONE_SHOT, "once"))
            .replies(Reply.closeAfterRequest())
            .fails(ScenarioOutcome.Category.CONNECTION_LOST)
            .endsAfter("CONNECTION_LOST unknown", "BODY_NOT_REPEATABLE 1"),
        row("PUT with a one-shot body, 404: the status decides first")
            .call(put.body(HttpCall.Form.ONE_SHOT, "once"))
            .replies(status(404))
            .answers(404, "")
            .endsAfter("404 ERROR_STATUS answered", "NOT_RETRYABLE 1"),
        row("PUT with a body of unknown length that the caller calls repeatable, 503 then 200")
            .call(put.body(HttpCall.Form.UNKNOWN_LENGTH, "again"))
            .options(RetryOptions.builder().bodyRepeatable(true))
            .replies(status(503), OK)
            .retriedAfter(UNAVAILABLE),
        row("PUT with a body that yields other bytes the second time: fails before its last byte")
            .call(put.body(HttpCall.Form.CHANGING, "first"))
            .options(RetryOptions.builder().bodyRepeatable(true))
            .replies(status(503).body("busy"), OK)
            .answers(503, "busy")
            .endsAfter(UNAVAILABLE, "OTHER unknown", "BODY_CHANGED 2")
            .requests(1)
            .notFor(Trait.TRUSTS_BODIES, "the body itself says whether it can be sent again"),
        row("PUT with an empty body, 503 then 200")
            .put("/a", "")
            .replies(status(503), OK)
            .retriedAfter(UNAVAILABLE),
        row("PUT with a body of 200 KB, 503 then 200: whole both times")
            .put("/a", "z".repeat(200_000))
            .replies(status(503), OK)
            .retriedAfter(UNAVAILABLE));
  }
}
