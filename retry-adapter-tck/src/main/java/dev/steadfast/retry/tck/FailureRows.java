package dev.steadfast.retry.tck;

import static dev.steadfast.retry.tck.Reply.status;
import static dev.steadfast.retry.tck.Scenario.row;
import static dev.steadfast.retry.tck.ScenarioOutcome.Category.BROKEN_ANSWER;
import static dev.steadfast.retry.tck.ScenarioOutcome.Category.CONNECT;
import static dev.steadfast.retry.tck.ScenarioOutcome.Category.CONNECTION_LOST;
import static dev.steadfast.retry.tck.StatusRows.OK;

import dev.steadfast.retry.http.RetryOptions;
import java.util.List;
import java.util.stream.Stream;

/** Attempts without an answer, whose request may have been sent or processed, or not. */
final class FailureRows {
  private static final String LOST = "CONNECTION_LOST unknown";
  private static final String PAST_GARBAGE = "the client reads past what is not HTTP";
  private static final String HIDDEN =
      "the client resends a GET once by itself when its response is lost";

  private FailureRows() {}

  static List<Scenario> rows() {
    return Stream.of(lost(), hidden(), connect(), broken(), ambiguous())
        .flatMap(List::stream)
        .toList();
  }

  private static List<Scenario> lost() {
    return List.of(
        row("PUT, response lost by FIN then 200: retried")
            .put("/a", "body")
            .replies(Reply.closeAfterRequest(), OK)
            .retriedAfter(LOST)
            .expect(e -> e.permits("failed", "succeeded")),
        row("PUT, response lost by RST then 200: retried")
            .put("/a", "body")
            .replies(Reply.resetAfterRequest(), OK)
            .retriedAfter(LOST),
        row("DELETE, response lost then 200: retried")
            .call(HttpCall.of("DELETE", "/a"))
            .replies(Reply.closeAfterRequest(), OK)
            .retriedAfter(LOST),
        row("QUERY, response lost then 200: retried")
            .call(HttpCall.of("QUERY", "/search").body(HttpCall.Form.REPEATABLE, "name"))
            .replies(Reply.closeAfterRequest(), OK)
            .retriedAfter(LOST),
        row("POST without a key, response lost by FIN: never sent again, on no layer")
            .trap(15)
            .post("/pay", "100")
            .replies(Reply.closeAfterRequest())
            .fails(CONNECTION_LOST)
            .endsAfter(LOST, "NOT_REPLAYABLE 1"),
        row("POST without a key, response lost by RST: never sent again, on no layer")
            .trap(15)
            .post("/pay", "100")
            .replies(Reply.resetAfterRequest())
            .fails(CONNECTION_LOST)
            .endsAfter(LOST, "NOT_REPLAYABLE 1"),
        row("POST on a reused connection, response lost: never sent again, on no layer")
            .first(1, HttpCall.of("GET", "/first"))
            .post("/pay", "100")
            .replies(OK, Reply.closeAfterRequest())
            .fails(CONNECTION_LOST)
            .endsAfter(LOST, "NOT_REPLAYABLE 1"),
        row("PUT, response lost three times: the last exception, unchanged")
            .put("/a", "body")
            .replies(
                Reply.closeAfterRequest(), Reply.closeAfterRequest(), Reply.closeAfterRequest())
            .fails(CONNECTION_LOST)
            .endsAfter(LOST, LOST, LOST, "ATTEMPTS_EXHAUSTED 3"));
  }

  private static List<Scenario> hidden() {
    return List.of(
        row("GET, response lost then 200: retried")
            .get("/a")
            .replies(Reply.closeAfterRequest(), OK)
            .retriedAfter(LOST)
            .differs(
                Trait.RESENDS_READS, HIDDEN, e -> e.trace("attempt 1: 200", "done ACCEPTED 1")),
        row("GET, response lost three times then 200")
            .get("/a")
            .replies(
                Reply.closeAfterRequest(), Reply.closeAfterRequest(), Reply.closeAfterRequest())
            .policy(p -> p.maxAttempts(2))
            .fails(CONNECTION_LOST)
            .endsAfter(LOST, LOST, "ATTEMPTS_EXHAUSTED 2")
            .differs(
                Trait.RESENDS_READS,
                HIDDEN,
                e ->
                    e.answers(200, "ok")
                        .requests(4)
                        .trace(
                            "attempt 1: CONNECTION_LOST unknown",
                            "wait 100ms backoff",
                            "attempt 2: 200",
                            "done ACCEPTED 2")),
        row("GET said not to be replayable, response lost")
            .get("/a")
            .options(RetryOptions.builder().replayable(false))
            .replies(Reply.closeAfterRequest(), Reply.closeAfterRequest())
            .fails(CONNECTION_LOST)
            .endsAfter(LOST, "NOT_REPLAYABLE 1")
            .differs(Trait.RESENDS_READS, HIDDEN, e -> e.requests(2)));
  }

  private static List<Scenario> connect() {
    return List.of(
        row("POST without a key, connect refused: never sent, so retried")
            .post("/pay", "100")
            .refused()
            .fails(CONNECT)
            .endsAfter("CONNECT unsent", "CONNECT unsent", "CONNECT unsent", "ATTEMPTS_EXHAUSTED 3")
            .requests(0)
            .expect(e -> e.permits("failed", "failed", "failed")),
        row("GET, connect refused, one attempt: the exception, unchanged")
            .get("/a")
            .policy(p -> p.maxAttempts(1))
            .refused()
            .fails(CONNECT)
            .requests(0)
            .trace("attempt 1: CONNECT unsent", "done ATTEMPTS_EXHAUSTED 1")
            .notFor(
                Trait.RESENDS_READS, "whether a GET was sent before that depends on the client"));
  }

  private static List<Scenario> broken() {
    return List.of(
        row("PUT, something that is not HTTP: final")
            .put("/a", "body")
            .replies(Reply.garbage())
            .fails(BROKEN_ANSWER)
            .endsAfter(LOST, "NOT_RETRYABLE 1")
            .differs(
                Trait.READS_PAST_GARBAGE,
                PAST_GARBAGE,
                e ->
                    e.answers(200, "ok")
                        .requests(2)
                        .trace(
                            "attempt 1: " + LOST,
                            "wait 100ms backoff",
                            "attempt 2: 200",
                            "done ACCEPTED 2")),
        row("POST without a key, something that is not HTTP: never sent again")
            .post("/pay", "100")
            .replies(Reply.garbage())
            .fails(BROKEN_ANSWER)
            .endsAfter(LOST, "NOT_RETRYABLE 1")
            .differs(
                Trait.READS_PAST_GARBAGE,
                PAST_GARBAGE,
                e -> e.fails(CONNECTION_LOST).trace("attempt 1: " + LOST, "done NOT_REPLAYABLE 1")),
        row("PUT, half a response head then 200: retried")
            .put("/a", "body")
            .replies(Reply.partialHead("HTTP/1.1 200 OK\r\nContent-Le"), OK)
            .retriedAfter(LOST)
            .notFor(Trait.TAKES_HALF_HEADS, "the client sees a whole answer"),
        row("DELETE, closed on the head of the request then 200: retried")
            .call(HttpCall.of("DELETE", "/a"))
            .replies(Reply.closeOnHead(), OK)
            .retriedAfter(LOST),
        row("PUT, lost response, then 503, then 200")
            .put("/a", "body")
            .replies(Reply.resetAfterRequest(), status(503), OK)
            .answers(200, "ok")
            .endsAfter(LOST, "503 UNAVAILABLE answered", "200", "ACCEPTED 3")
            .expect(e ->
                e.permits("failed", "failed", "succeeded")
                    .budget("took 1 CONNECTION_LOST, took 1 UNAVAILABLE, SUCCEEDED")));
  }

  /** The report says that an earlier attempt may have been applied; see {@link Invariants}. */
  private static List<Scenario> ambiguous() {
    return List.of(
        row("DELETE, response lost then 404: the echo of one's own success, perhaps")
            .call(HttpCall.of("DELETE", "/a"))
            .replies(Reply.closeAfterRequest(), status(404).body("gone"))
            .answers(404, "gone")
            .endsAfter(LOST, "404 ERROR_STATUS answered", "NOT_RETRYABLE 2"),
        conditional("PUT", "If-Match", "\"1\""),
        conditional("PUT", "If-None-Match", "*"),
        conditional("PUT", "If-Unmodified-Since", "Mon, 23 Nov 2026 08:00:00 GMT"),
        conditional("DELETE", "if-match", "\"1\""),
        row("PUT with If-Match and a key, response lost then 200")
            .call(HttpCall.of("PUT", "/a").body(HttpCall.Form.REPEATABLE, "body"))
            .header("If-Match", "\"1\"")
            .header("Idempotency-Key", "k")
            .replies(Reply.closeAfterRequest(), OK)
            .retriedAfter(LOST)
            .expect(e -> e.key("k")),
        row("PUT with If-Match, 429 then 200: the server did nothing")
            .put("/a", "body")
            .header("If-Match", "\"1\"")
            .replies(status(429), OK)
            .retriedAfter("429 THROTTLED refused"),
        row("GET with If-None-Match, 503 then 200: a read is repeated")
            .get("/a")
            .header("If-None-Match", "\"1\"")
            .replies(status(503), OK)
            .retriedAfter("503 UNAVAILABLE answered"),
        row("PUT with If-Match and the caller's word, response lost then 412")
            .put("/a", "body")
            .header("If-Match", "\"1\"")
            .options(RetryOptions.builder().replayable(true))
            .replies(Reply.closeAfterRequest(), status(412))
            .answers(412, "")
            .endsAfter(LOST, "412 ERROR_STATUS answered", "NOT_RETRYABLE 2")
            .expect(e -> e.sent("If-Match", "\"1\"", "\"1\"")),
        row("PATCH with If-Match, response lost: the condition alone does not vouch for it")
            .call(conditionalPatch())
            .replies(Reply.closeAfterRequest())
            .fails(CONNECTION_LOST)
            .endsAfter(LOST, "NOT_REPLAYABLE 1"),
        row("PATCH with If-Match and the caller's word, response lost then 412")
            .call(conditionalPatch())
            .options(RetryOptions.builder().replayable(true))
            .replies(Reply.closeAfterRequest(), status(412))
            .answers(412, "")
            .endsAfter(LOST, "412 ERROR_STATUS answered", "NOT_RETRYABLE 2"));
  }

  private static Scenario conditional(String method, String header, String value) {
    return row(method + " with " + header + ", response lost: a 412 would not tell whose write won")
        .call(HttpCall.of(method, "/a").body(HttpCall.Form.REPEATABLE, "body"))
        .header(header, value)
        .replies(Reply.closeAfterRequest())
        .fails(CONNECTION_LOST)
        .endsAfter(LOST, "NOT_REPLAYABLE 1");
  }

  private static HttpCall conditionalPatch() {
    return HttpCall.of("PATCH", "/a")
        .body(HttpCall.Form.REPEATABLE, "body")
        .header("If-Match", "\"1\"");
  }
}
