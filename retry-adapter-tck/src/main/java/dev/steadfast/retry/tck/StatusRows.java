package dev.steadfast.retry.tck;

import static dev.steadfast.retry.tck.Reply.status;
import static dev.steadfast.retry.tck.Scenario.row;

import dev.steadfast.retry.http.IdempotencyKeys;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.http.StandardRules;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The statuses that are retried where repeating is safe (docs/what-is-retried.md, "Answers"). */
final class StatusRows {
  static final Reply OK = status(200).body("ok");

  private StatusRows() {}

  static List<Scenario> rows() {
    List<Scenario> rows = new ArrayList<>();
    retried().forEach((code, kind) -> rows.add(retried(code, kind)));
    for (int code : List.of(400, 401, 404, 405, 410, 411, 412, 413, 421, 422, 423, 428, 431, 451)) {
      rows.add(notRetried(code));
    }
    for (int code : List.of(501, 505, 507, 508, 511, 525, 530)) {
      rows.add(notRetried(code));
    }
    rows.addAll(methods());
    rows.addAll(accepted());
    rows.addAll(conflicts());
    rows.addAll(special());
    return rows;
  }

  private static Map<Integer, String> retried() {
    Map<Integer, String> kinds = new TreeMap<>();
    for (int code : List.of(408, 500, 502, 504, 520, 521, 522, 523, 524, 598)) {
      kinds.put(code, "ERROR_STATUS answered");
    }
    kinds.put(429, "THROTTLED refused");
    kinds.put(529, "THROTTLED answered");
    kinds.put(503, "UNAVAILABLE answered");
    kinds.put(425, "TOO_EARLY refused");
    return kinds;
  }

  private static Scenario retried(int code, String kind) {
    return row("GET, " + code + " then 200: retried")
        .get("/a")
        .replies(status(code).body("busy"), OK)
        .retriedAfter(code + " " + kind);
  }

  private static Scenario notRetried(int code) {
    return row("GET, " + code + ": the caller's at once, Retry-After or not")
        .get("/a")
        .replies(status(code).body("no").header("Retry-After", "1"))
        .answers(code, "no")
        .endsAfter(code + " ERROR_STATUS " + disposition(code), "NOT_RETRYABLE 1 server delay 1s");
  }

  // A challenge, or a request to the wrong server: it did nothing.
  private static String disposition(int code) {
    return code == 401 || code == 407 || code == 421 ? "refused" : "answered";
  }

  private static List<Scenario> methods() {
    List<Scenario> rows = new ArrayList<>();
    for (String method : List.of("DELETE", "OPTIONS")) {
      rows.add(
          row(method + ", 503 then 200: idempotent, so retried")
              .call(HttpCall.of(method, "/a"))
              .replies(status(503), OK)
              .retriedAfter("503 UNAVAILABLE answered"));
    }
    rows.add(
        row("HEAD, 503 then 200: idempotent, so retried")
            .call(HttpCall.of("HEAD", "/a"))
            .replies(status(503).body("not sent"), OK)
            .retriedAfter("503 UNAVAILABLE answered")
            .answers(200, ""));
    rows.add(
        row("PUT with a body, 503 then 200: the same body again")
            .put("/a?q=secret", "body")
            .replies(status(503), OK)
            .retriedAfter("503 UNAVAILABLE answered"));
    rows.add(
        row("QUERY, 503 then 200: idempotent (RFC 10008), so the same body again")
            .call(HttpCall.of("QUERY", "/search").body(HttpCall.Form.REPEATABLE, "name"))
            .replies(status(503), OK)
            .retriedAfter("503 UNAVAILABLE answered"));
    rows.add(
        row("GET, 500 then 200, but the caller says that repeating adds an effect")
            .get("/a")
            .options(RetryOptions.builder().replayable(false))
            .replies(status(500).body("oops"))
            .answers(500, "oops")
            .endsAfter("500 ERROR_STATUS answered", "NOT_REPLAYABLE 1"));
    return rows;
  }

  private static List<Scenario> accepted() {
    return List.of(
        row("GET, 200: one attempt, nothing else")
            .get("/a?q=1")
            .replies(OK)
            .answers(200, "ok")
            .requests(1)
            .trace("attempt 1: 200", "done ACCEPTED 1")
            .expect(e -> e.permits("succeeded").budget("SUCCEEDED").connections(1)),
        row("POST, 202 + Retry-After: polling is the caller's business")
            .post("/jobs", "job")
            .replies(status(202).header("Retry-After", "1").body("accepted"))
            .answers(202, "accepted")
            .endsAfter("202", "ACCEPTED 1"),
        row("GET, 302: redirects are the client's business")
            .get("/a")
            .replies(status(302).header("Location", "/b").header("Retry-After", "1"))
            .answers(302, "")
            .endsAfter("302", "ACCEPTED 1"),
        row("GET, 304: accepted")
            .get("/a")
            .header("If-None-Match", "\"1\"")
            .replies(status(304).header("ETag", "\"1\""))
            .answers(304, "")
            .endsAfter("304", "ACCEPTED 1"),
        row("DELETE, 204: accepted")
            .call(HttpCall.of("DELETE", "/a"))
            .replies(status(204))
            .answers(204, "")
            .endsAfter("204", "ACCEPTED 1"),
        row("GET, 200 with x-should-retry: true: nothing turns a success into a failure")
            .get("/a")
            .replies(OK.header("x-should-retry", "true").header("Retry-After", "2"))
            .answers(200, "ok")
            .endsAfter("200", "ACCEPTED 1"));
  }

  private static List<Scenario> conflicts() {
    String conflict = "409 CONFLICT answered";
    Reply inProgress = status(409).header("Retry-After", "1").body("in progress");
    return List.of(
        row("GET, 409 without a server delay: only the server knows which conflict it is")
            .get("/a")
            .replies(status(409).body("conflict"))
            .answers(409, "conflict")
            .endsAfter(conflict, "NOT_RETRYABLE 1"),
        row("PUT, 409 + Retry-After then 200: in progress, so retried")
            .put("/a", "body")
            .replies(inProgress, OK)
            .retriedAfter(conflict, "wait 1s server delay"),
        row("POST with a key, 409 + Retry-After then 200: asked again with the same key")
            .post("/a", "body")
            .retry(b -> b.idempotencyKeys(IdempotencyKeys.randomUuid()))
            .replies(inProgress, OK)
            .retriedAfter(conflict, "wait 1s server delay")
            .expect(e -> e.key("minted").permits("succeeded", "succeeded")),
        row("POST without a key, 409 + Retry-After: never")
            .post("/a", "body")
            .replies(inProgress)
            .answers(409, "in progress")
            .endsAfter(conflict, "NOT_REPLAYABLE 1 server delay 1s"),
        row("PUT, 409 + x-should-retry: true then 200: retried")
            .put("/a", "body")
            .replies(status(409).header("x-should-retry", "true"), OK)
            .retriedAfter(conflict),
        row("POST with a key, 409 without a server delay, retry409WhenKeyed: retried")
            .post("/a", "body")
            .retry(b ->
                b.idempotencyKeys(IdempotencyKeys.randomUuid())
                    .classifier(StandardRules.builder().retry409WhenKeyed(true).build()))
            .replies(status(409), OK)
            .retriedAfter(conflict)
            .expect(e -> e.key("minted")),
        row("PUT without a key, 409 without a server delay, retry409WhenKeyed: not retried")
            .put("/a", "body")
            .retry(b -> b.classifier(StandardRules.builder().retry409WhenKeyed(true).build()))
            .replies(status(409))
            .answers(409, "")
            .endsAfter(conflict, "NOT_RETRYABLE 1"));
  }

  private static List<Scenario> special() {
    return List.of(
        row("GET, 425 twice: worth one retry and no more")
            .get("/a")
            .replies(status(425), status(425).body("still"))
            .answers(425, "still")
            .endsAfter("425 TOO_EARLY refused", "425 TOO_EARLY refused", "NOT_RETRYABLE 2"),
        row("GET, 417: never, even with x-should-retry: true")
            .get("/a")
            .replies(status(417).header("x-should-retry", "true"))
            .answers(417, "")
            .endsAfter("417 ERROR_STATUS answered", "NOT_RETRYABLE 1"),
        row("GET, 423 then 200, alsoRetry(423): retried")
            .get("/a")
            .retry(b -> b.classifier(StandardRules.builder().alsoRetry(423).build()))
            .replies(status(423), OK)
            .retriedAfter("423 ERROR_STATUS answered"),
        row("GET, 503 with x-should-retry: true, neverRetry(503): not retried")
            .get("/a")
            .retry(b -> b.classifier(StandardRules.builder().neverRetry(503).build()))
            .replies(status(503).header("x-should-retry", "true"))
            .answers(503, "")
            .endsAfter("503 UNAVAILABLE answered", "NOT_RETRYABLE 1"));
  }
}
