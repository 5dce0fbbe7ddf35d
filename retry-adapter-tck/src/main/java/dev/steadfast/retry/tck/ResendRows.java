package dev.steadfast.retry.tck;

import static dev.steadfast.retry.tck.Reply.status;
import static dev.steadfast.retry.tck.Scenario.row;
import static dev.steadfast.retry.tck.ScenarioOutcome.Category.CONNECTION_LOST;
import static dev.steadfast.retry.tck.StatusRows.OK;

import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.Verdict;
import dev.steadfast.retry.http.HttpClassifier;
import dev.steadfast.retry.http.HttpClassifier.OperationView;
import dev.steadfast.retry.http.IdempotencyKeys;
import dev.steadfast.retry.http.ResponseView;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.http.Signals;
import dev.steadfast.retry.http.TransportFailure;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Law 1 (never twice) whatever rules and clients do: rules that would have everything sent again,
 * and attempts of more than one request.
 */
final class ResendRows {
  private static final String UNAVAILABLE = "503 UNAVAILABLE answered";
  private static final String LOST = "CONNECTION_LOST unknown";
  private static final String NOT_REPLAYABLE = "NOT_REPLAYABLE 1";
  private static final Reply BUSY = status(503).body("busy");
  private static final Reply CHALLENGE =
      status(401).header("WWW-Authenticate", "Basic realm=\"a\"");

  private ResendRows() {}

  static List<Scenario> rows() {
    return Stream.of(
            reckless(),
            recklessAndUnprocessed(),
            recklessAndReplayable(),
            said(),
            challenged(),
            redirected(),
            redirectedReplayable())
        .flatMap(List::stream)
        .toList();
  }

  private static Scenario keyed(String name) {
    return row(name)
        .post("/pay", "100")
        .retry(b -> b.idempotencyKeys(IdempotencyKeys.randomUuid()))
        .expect(e -> e.key("minted"));
  }

  // ---- rules that would have everything sent again

  private enum Reckless implements HttpClassifier {
    RULES;

    @Override
    public Verdict onResponse(OperationView operation, ResponseView response, Signals signals) {
      return Verdict.retryable(FailureKind.ERROR_STATUS);
    }

    @Override
    public Verdict onFailure(OperationView operation, TransportFailure failure) {
      return Verdict.retryable(FailureKind.ERROR_STATUS);
    }
  }

  private static Scenario reckless(Scenario row) {
    return row.retry(b -> b.classifier(Reckless.RULES));
  }

  private static List<Scenario> reckless() {
    List<Scenario> rows = new ArrayList<>();
    for (int code : List.of(200, 404, 429, 500, 503)) {
      rows.add(
          reckless(row("POST without a key, " + code + ", rules that retry everything: sent once"))
              .post("/pay", "100")
              .replies(status(code).body("got"))
              .answers(code, "got")
              .endsAfter(code + " ERROR_STATUS answered", NOT_REPLAYABLE));
    }
    rows.add(
        reckless(row("POST without a key, lost response, rules that retry everything: sent once"))
            .post("/pay", "100")
            .replies(Reply.closeAfterRequest())
            .fails(CONNECTION_LOST)
            .endsAfter("ERROR_STATUS unknown", NOT_REPLAYABLE));
    return rows;
  }

  /** The server says that it did nothing. That is proof for every client. */
  private static List<Scenario> recklessAndUnprocessed() {
    List<Scenario> rows = new ArrayList<>();
    for (int code : List.of(401, 421, 425)) {
      String refused = code + " ERROR_STATUS refused";
      rows.add(
          reckless(row("POST without a key, " + code + ", rules that retry everything: retried"))
              .post("/pay", "100")
              .replies(status(code), status(code), status(code).body("last"))
              .answers(code, "last")
              .endsAfter(refused, refused, refused, "ATTEMPTS_EXHAUSTED 3"));
    }
    return rows;
  }

  private static List<Scenario> recklessAndReplayable() {
    return List.of(
        recklessAndSafe(row("GET, rules that retry everything: retried").get("/a")),
        recklessAndSafe(row("PUT, rules that retry everything: retried").put("/a", "body")),
        recklessAndSafe(keyed("POST with a key, rules that retry everything: retried")),
        recklessAndSafe(
            row("POST without a key, the caller says that it only reads, rules that retry"
                    + " everything: retried")
                .post("/search", "query")
                .options(RetryOptions.builder().replayable(true).paidRepeats(2))));
  }

  private static Scenario recklessAndSafe(Scenario row) {
    return reckless(row)
        .replies(status(500), status(404), status(200).body("last"))
        .answers(200, "last")
        .endsAfter(
            "500 ERROR_STATUS answered",
            "404 ERROR_STATUS answered",
            "200 ERROR_STATUS answered",
            "ATTEMPTS_EXHAUSTED 3");
  }

  // ---- the caller's word on the request

  private static List<Scenario> said() {
    List<Scenario> rows = new ArrayList<>();
    for (Scenario each :
        List.of(row("GET").get("/a"), row("PUT").put("/a", "body"), keyed("POST with a key"))) {
      Scenario once =
          each.titled(", the caller says that it is not replayable")
              .options(RetryOptions.builder().replayable(false));
      rows.add(
          once.titled(", 503: never sent again")
              .replies(BUSY)
              .answers(503, "busy")
              .endsAfter(UNAVAILABLE, NOT_REPLAYABLE));
      rows.add(
          reckless(once.titled(", 503, rules that retry everything: never sent again"))
              .replies(BUSY)
              .answers(503, "busy")
              .endsAfter("503 ERROR_STATUS answered", NOT_REPLAYABLE));
      rows.add(
          once.titled(", 425: refused unprocessed, so retried")
              .replies(status(425), OK)
              .retriedAfter("425 TOO_EARLY refused"));
    }
    rows.add(
        row("POST without a key, lost response, the caller says that it only reads: retried")
            .post("/search", "query")
            .options(RetryOptions.builder().replayable(true))
            .replies(Reply.closeAfterRequest(), OK)
            .retriedAfter(LOST));
    return rows;
  }

  // ---- a challenge that the client answers

  private static List<Scenario> challenged() {
    Scenario post =
        row("POST without a key, 401 that the client answers")
            .post("/pay", "100")
            .follows(Follows.CHALLENGES);
    return List.of(
        post.titled(", then 429 then 200: both are refusals, so retried")
            .replies(CHALLENGE, status(429), OK)
            .retriedAfter("429 THROTTLED refused")
            .requests(3),
        post.titled(", then 425 then 200: both are refusals, so retried")
            .replies(CHALLENGE, status(425), OK)
            .retriedAfter("425 TOO_EARLY refused")
            .requests(3),
        post.titled(", then 503: never sent again")
            .replies(CHALLENGE, BUSY)
            .answers(503, "busy")
            .endsAfter(UNAVAILABLE, NOT_REPLAYABLE)
            .requests(2),
        reckless(post.titled(", then 429, rules that retry everything: never sent again"))
            .replies(CHALLENGE, status(429).body("busy"))
            .answers(429, "busy")
            .endsAfter("429 ERROR_STATUS answered", NOT_REPLAYABLE)
            .requests(2),
        keyed("POST with a key, 401 that the client answers, then 503 then 200: retried")
            .follows(Follows.CHALLENGES)
            .replies(CHALLENGE, BUSY, OK)
            .retriedAfter(UNAVAILABLE)
            .requests(3));
  }

  // ---- a redirect that the client follows

  private static Reply redirect(int code) {
    return status(code).header("Location", "/there");
  }

  private static String hop(int code) {
    return (code < 307 ? "GET" : "POST") + " /there";
  }

  private static List<Scenario> redirected() {
    List<Scenario> rows = new ArrayList<>();
    for (int code : List.of(301, 302, 303, 307, 308)) {
      Scenario post =
          row("POST without a key, " + code).post("/pay", "100").follows(Follows.REDIRECTS);
      rows.add(
          post.titled(", then 503: never sent again")
              .replies(redirect(code), BUSY)
              .answers(503, "busy")
              .endsAfter(UNAVAILABLE, NOT_REPLAYABLE)
              .requests(2)
              .expect(e -> e.lines("POST /pay", hop(code))));
      rows.add(
          post.titled(", then 429: that does not make the first one repeatable")
              .replies(redirect(code), status(429).body("busy"))
              .answers(429, "busy")
              .endsAfter("429 THROTTLED answered", NOT_REPLAYABLE)
              .requests(2)
              .expect(e -> e.lines("POST /pay", hop(code))));
      Scenario keyed = keyed("POST with a key, " + code).follows(Follows.REDIRECTS);
      rows.add(
          again(keyed.titled(", then 503: the whole operation again"), code)
              .replies(redirect(code), BUSY, redirect(code), OK)
              .retriedAfter(UNAVAILABLE)
              .requests(4));
      rows.add(
          again(keyed.titled(", then 429: the whole operation again"), code)
              .replies(redirect(code), status(429), redirect(code), OK)
              .retriedAfter("429 THROTTLED answered")
              .requests(4));
    }
    return rows;
  }

  private static Scenario again(Scenario row, int code) {
    return row.expect(e -> e.lines("POST /pay", hop(code), "POST /pay", hop(code)));
  }

  /** OkHttp 4 makes a GET of 301 and 302: see the tests of the adapters. */
  private static Scenario query(int code, String method) {
    String hop = method + " /there";
    return row("QUERY, " + code + ", then 503: retried")
        .call(HttpCall.of("QUERY", "/search").body(HttpCall.Form.REPEATABLE, "name"))
        .follows(Follows.REDIRECTS)
        .replies(redirect(code), BUSY, redirect(code), OK)
        .retriedAfter(UNAVAILABLE)
        .requests(4)
        .expect(e -> e.lines("QUERY /search", hop, "QUERY /search", hop));
  }

  private static List<Scenario> redirectedReplayable() {
    return List.of(
        again(row("POST without a key, 303, the caller says that it only reads, then 503"), 303)
            .post("/pay", "100")
            .options(RetryOptions.builder().replayable(true))
            .follows(Follows.REDIRECTS)
            .replies(redirect(303), BUSY, redirect(303), OK)
            .retriedAfter(UNAVAILABLE)
            .requests(4),
        keyed("POST with a key, 303, the caller says that it is not replayable, then 429")
            .options(RetryOptions.builder().replayable(false))
            .follows(Follows.REDIRECTS)
            .replies(redirect(303), status(429).body("busy"))
            .answers(429, "busy")
            .endsAfter("429 THROTTLED answered", NOT_REPLAYABLE)
            .requests(2),
        row("GET, 302, then 503: retried")
            .get("/a")
            .follows(Follows.REDIRECTS)
            .replies(redirect(302), BUSY, redirect(302), OK)
            .retriedAfter(UNAVAILABLE)
            .requests(4)
            .expect(e -> e.lines("GET /a", "GET /there", "GET /a", "GET /there")),
        query(303, "GET"),
        query(307, "QUERY"),
        query(308, "QUERY"),
        row("PUT, 307, then 503: retried")
            .put("/a", "body")
            .follows(Follows.REDIRECTS)
            .replies(redirect(307), BUSY, redirect(307), OK)
            .retriedAfter(UNAVAILABLE)
            .requests(4)
            .expect(e -> e.lines("PUT /a", "PUT /there", "PUT /a", "PUT /there")));
  }
}
