package dev.steadfast.retry.tck;

import static dev.steadfast.retry.tck.Interference.AUTHENTICATES_ANEW;
import static dev.steadfast.retry.tck.Interference.DROPS_KEY;
import static dev.steadfast.retry.tck.Interference.FETCHES_TOKEN;
import static dev.steadfast.retry.tck.Interference.LIMITS_ALL;
import static dev.steadfast.retry.tck.Interference.MAKES_KEYS;
import static dev.steadfast.retry.tck.Interference.MAKES_POST;
import static dev.steadfast.retry.tck.Interference.MAKES_PUT;
import static dev.steadfast.retry.tck.Interference.MAPS_ERRORS;
import static dev.steadfast.retry.tck.Interference.PASSES_ON;
import static dev.steadfast.retry.tck.Interference.SENDS_ELSEWHERE;
import static dev.steadfast.retry.tck.Interference.WRAPS_FAILURES;
import static dev.steadfast.retry.tck.Reply.status;
import static dev.steadfast.retry.tck.Scenario.row;
import static dev.steadfast.retry.tck.ScenarioOutcome.Category.CONNECT;
import static dev.steadfast.retry.tck.ScenarioOutcome.Category.CONNECTION_LOST;
import static dev.steadfast.retry.tck.ScenarioOutcome.Category.USER;
import static dev.steadfast.retry.tck.StatusRows.OK;

import dev.steadfast.retry.http.IdempotencyKeys;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Interceptors and authenticators of the user within an attempt (docs/what-is-retried.md, "What the
 * wire decides").
 */
final class InterceptorRows {
  private static final String HEADER = "Idempotency-Key";
  private static final String UNAVAILABLE = "503 UNAVAILABLE answered";
  private static final String LOST = "CONNECTION_LOST unknown";
  private static final String UNKNOWN = "OTHER unknown";

  private InterceptorRows() {}

  static List<Scenario> rows() {
    return Stream.of(
            wireForm(), authenticated(), mapped(), limited(), delayed(), otherMeans(), tokens())
        .flatMap(List::stream)
        .toList();
  }

  private static Scenario keyed(String name) {
    return row(name)
        .post("/pay", "100")
        .retry(b -> b.idempotencyKeys(IdempotencyKeys.randomUuid()));
  }

  // ---- the request on the wire is another than the caller's

  private static List<Scenario> wireForm() {
    List<Scenario> rows = new ArrayList<>();
    rows.addAll(sentOnce(keyed("POST with a key that an interceptor drops").interferes(DROPS_KEY)));
    rows.addAll(
        sentOnce(
            keyed("POST with a key that an interceptor makes anew each time")
                .interferes(MAKES_KEYS)
                .expect(e -> e.key("minted"))));
    rows.addAll(
        sentOnce(row("GET of which an interceptor makes a POST").get("/a").interferes(MAKES_POST)));
    rows.add(
        row("POST without a key of which an interceptor makes a PUT, 503 then 200: retried")
            .post("/a", "body")
            .interferes(MAKES_PUT)
            .replies(status(503), OK)
            .retriedAfter(UNAVAILABLE));
    rows.add(
        row("POST without a key of which an interceptor makes a PUT, lost then 200: retried")
            .post("/a", "body")
            .interferes(MAKES_PUT)
            .replies(Reply.closeAfterRequest(), OK)
            .retriedAfter(LOST));
    return rows;
  }

  private static List<Scenario> sentOnce(Scenario row) {
    return List.of(
        row.titled(", 503: never sent again")
            .replies(status(503).body("oops"))
            .answers(503, "oops")
            .endsAfter(UNAVAILABLE, "NOT_REPLAYABLE 1"),
        row.titled(", response lost: never sent again")
            .replies(Reply.closeAfterRequest())
            .fails(CONNECTION_LOST)
            .endsAfter(LOST, "NOT_REPLAYABLE 1"));
  }

  private static List<Scenario> authenticated() {
    Scenario row =
        row("POST with a key, 401, an authenticator's own request without it")
            .post("/pay", "100")
            .header(HEADER, "mine")
            .interferes(AUTHENTICATES_ANEW)
            .expect(e -> e.key("different: [mine, -]"));
    return List.of(
        row.titled(", 503: never sent again")
            .replies(status(401), status(503).body("oops"))
            .answers(503, "oops")
            .endsAfter(UNAVAILABLE, "NOT_REPLAYABLE 1")
            .requests(2),
        row.titled(", response lost: never sent again")
            .replies(status(401), Reply.closeAfterRequest())
            .fails(CONNECTION_LOST)
            .endsAfter(LOST, "NOT_REPLAYABLE 1")
            .requests(2));
  }

  // ---- an exception in the place of an answer: the answer is judged

  private static List<Scenario> mapped() {
    List<Scenario> rows = new ArrayList<>();
    for (int code : List.of(402, 404)) {
      rows.add(
          row("GET, " + code + " of which an interceptor makes an exception: final")
              .get("/a")
              .interferes(MAPS_ERRORS)
              .replies(status(code))
              .fails(USER)
              .endsAfter(code + " ERROR_STATUS answered", "NOT_RETRYABLE 1"));
    }
    rows.add(
        row("POST without a key, 503 of which an interceptor makes an exception: never sent again")
            .post("/pay", "100")
            .interferes(MAPS_ERRORS)
            .replies(status(503))
            .fails(USER)
            .endsAfter(UNAVAILABLE, "NOT_REPLAYABLE 1"));
    rows.add(
        row("POST without a key, 429 of which an interceptor makes an exception, then 200: retried")
            .post("/pay", "100")
            .interferes(MAPS_ERRORS)
            .replies(status(429), OK)
            .retriedAfter("429 THROTTLED refused"));
    return rows;
  }

  // ---- a status that the server has not sent

  private static List<Scenario> limited() {
    List<Scenario> rows = new ArrayList<>();
    for (int code : List.of(500, 503, 200)) {
      rows.add(
          row("POST without a key, " + code + " of which an interceptor makes a 429: sent once")
              .post("/pay", "100")
              .interferes(LIMITS_ALL)
              .replies(status(code))
              .answers(429, "")
              .endsAfter("429 THROTTLED answered", "NOT_REPLAYABLE 1")
              .expect(e -> e.effect("unknown")));
    }
    return rows;
  }

  private static List<Scenario> delayed() {
    return List.of(
        row("GET, 503 + Retry-After of which an interceptor makes an exception: the delay is kept")
            .get("/a")
            .interferes(MAPS_ERRORS)
            .replies(status(503).header("Retry-After", "2"), OK)
            .retriedAfter(UNAVAILABLE, "wait 2s server delay"),
        row("GET, 503 with a delay above the ceiling of which an interceptor makes an exception")
            .get("/a")
            .interferes(MAPS_ERRORS)
            .replies(status(503).header("Retry-After", "3600"))
            .fails(USER)
            .endsAfter(UNAVAILABLE, "SERVER_DELAY_TOO_LONG 1 server delay 3600s"),
        row("GET, 503 + x-should-retry: false of which an interceptor makes an exception")
            .get("/a")
            .interferes(MAPS_ERRORS)
            .replies(status(503).header("x-should-retry", "false"))
            .fails(USER)
            .endsAfter(UNAVAILABLE, "DO_NOT_RETRY 1"));
  }

  // ---- what was sent was not seen

  private static List<Scenario> otherMeans() {
    return List.of(
        row("POST without a key that an interceptor sends by another client, 503: sent once")
            .post("/pay", "100")
            .interferes(SENDS_ELSEWHERE)
            .replies(status(503))
            .fails(USER)
            .endsAfter(UNKNOWN, "NOT_REPLAYABLE 1"),
        row("GET that an interceptor sends by another client, 503 then 200: retried")
            .get("/a")
            .interferes(SENDS_ELSEWHERE)
            .replies(status(503), OK)
            .retriedAfter(UNKNOWN),
        row("POST without a key, connect refused, an exception of an interceptor's: no proof")
            .post("/pay", "100")
            .interferes(WRAPS_FAILURES)
            .refused()
            .fails(USER)
            .endsAfter(UNKNOWN, "NOT_REPLAYABLE 1")
            .requests(0),
        row("POST without a key, connect refused, interceptors that pass it on: retried")
            .post("/pay", "100")
            .interferes(PASSES_ON)
            .refused()
            .fails(CONNECT)
            .endsAfter("CONNECT unsent", "CONNECT unsent", "CONNECT unsent", "ATTEMPTS_EXHAUSTED 3")
            .requests(0));
  }

  // ---- a request beside the caller's

  private static List<Scenario> tokens() {
    return List.of(
        row("GET, 503, an interceptor that posts for a token first: never sent again")
            .get("/a")
            .interferes(FETCHES_TOKEN)
            .replies(OK, status(503))
            .answers(503, "")
            .endsAfter(UNAVAILABLE, "NOT_REPLAYABLE 1")
            .requests(2),
        row("GET, 503, an interceptor whose POST for a token is refused: retried")
            .get("/a")
            .interferes(FETCHES_TOKEN)
            .replies(status(401), status(503), status(401), OK)
            .retriedAfter(UNAVAILABLE)
            .requests(4));
  }
}
