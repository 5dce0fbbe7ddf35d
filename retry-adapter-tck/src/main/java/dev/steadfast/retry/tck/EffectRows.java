package dev.steadfast.retry.tck;

import static dev.steadfast.retry.tck.Reply.status;
import static dev.steadfast.retry.tck.Scenario.row;

import dev.steadfast.retry.http.IdempotencyKeys;
import dev.steadfast.retry.http.StandardRules;
import java.util.ArrayList;
import java.util.List;

/**
 * Rows about the proof that answers give of the effect of a call (docs/effectively-once.md). {@link
 * JournalRows} has the same for journaled calls.
 */
final class EffectRows {
  private static final String CONFLICT = "409 CONFLICT answered";
  private static final Reply IN_PROGRESS = status(409).header("Retry-After", "1").body("wait");

  private EffectRows() {}

  static List<Scenario> rows() {
    List<Scenario> rows = new ArrayList<>();
    rows.addAll(redirects());
    rows.addAll(conflicts());
    rows.addAll(others());
    rows.addAll(afterRedirects());
    return rows;
  }

  private static Scenario post(String name) {
    return row("effect: POST, " + name).post("/pay", "100");
  }

  private static Scenario keyed(String name) {
    return row("effect: POST with a key, " + name)
        .post("/pay", "100")
        .retry(b -> b.idempotencyKeys(IdempotencyKeys.randomUuid()))
        .expect(e -> e.key("minted"));
  }

  private static Reply redirect(int code) {
    return status(code).header("Location", "/there").body("there");
  }

  private static Scenario notFollowed(Scenario row, int code, String effect) {
    return row.replies(redirect(code))
        .answers(code, "there")
        .endsAfter("" + code, "ACCEPTED 1")
        .expect(e -> e.effect(effect));
  }

  private static List<Scenario> redirects() {
    List<Scenario> rows = new ArrayList<>();
    for (int code : List.of(307, 308)) {
      rows.add(notFollowed(post(code + " that is not followed: nothing was done"), code, "failed"));
      rows.add(
          keyed("503, then a " + code + " that is not followed: only the second did nothing")
              .replies(status(503), redirect(code))
              .answers(code, "there")
              .endsAfter("503 UNAVAILABLE answered", "" + code, "ACCEPTED 2")
              .expect(e -> e.effect("unknown")));
    }
    for (int code : List.of(301, 302)) {
      rows.add(notFollowed(post(code + " that is not followed: perhaps done"), code, "unknown"));
      Scenario get = row("effect: GET, " + code + " that is not followed: answered").get("/a");
      rows.add(notFollowed(get, code, "succeeded"));
    }
    rows.add(notFollowed(post("303 that is not followed: done"), 303, "succeeded"));
    return rows;
  }

  private static List<Scenario> conflicts() {
    return List.of(
        post("409 that asks to wait: somebody works on it")
            .replies(IN_PROGRESS)
            .answers(409, "wait")
            .endsAfter(CONFLICT, "NOT_REPLAYABLE 1 server delay 1s")
            .expect(e -> e.effect("unknown")),
        keyed("409 that asks to wait for an hour")
            .replies(status(409).header("Retry-After", "3600"))
            .answers(409, "")
            .endsAfter(CONFLICT, "SERVER_DELAY_TOO_LONG 1 server delay 3600s")
            .expect(e -> e.effect("unknown")),
        keyed("409 that asks to wait, neverRetry(409)")
            .retry(b -> b.classifier(StandardRules.builder().neverRetry(409).build()))
            .replies(IN_PROGRESS)
            .answers(409, "wait")
            .endsAfter(CONFLICT, "NOT_RETRYABLE 1 server delay 1s")
            .expect(e -> e.effect("unknown")),
        post("409 that says to retry")
            .replies(status(409).header("x-should-retry", "true"))
            .answers(409, "")
            .endsAfter(CONFLICT, "NOT_REPLAYABLE 1")
            .expect(e -> e.effect("unknown")),
        post("409 without a word: nothing was done")
            .replies(status(409).body("exists"))
            .answers(409, "exists")
            .endsAfter(CONFLICT, "NOT_RETRYABLE 1")
            .expect(e -> e.effect("failed")));
  }

  private static List<Scenario> others() {
    List<Scenario> rows = new ArrayList<>();
    rows.add(
        post("499: a gateway may have passed it on")
            .replies(status(499))
            .answers(499, "")
            .endsAfter("499 ERROR_STATUS answered", "NOT_RETRYABLE 1")
            .expect(e -> e.effect("unknown")));
    rows.add(
        post("408: a gateway may have passed it on")
            .replies(status(408))
            .answers(408, "")
            .endsAfter("408 ERROR_STATUS answered", "NOT_REPLAYABLE 1")
            .expect(e -> e.effect("unknown")));
    rows.add(
        post("404: nothing was done")
            .replies(status(404))
            .answers(404, "")
            .endsAfter("404 ERROR_STATUS answered", "NOT_RETRYABLE 1")
            .expect(e -> e.effect("failed")));
    for (boolean replay : new boolean[] {false, true}) {
      Reply last = status(402).body("no");
      rows.add(
          keyed("503, then a 402" + (replay ? " that is a replay" : ""))
              .replies(status(503), replay ? last.header("Idempotent-Replayed", "true") : last)
              .answers(402, "no")
              .endsAfter(
                  "503 UNAVAILABLE answered",
                  "402 ERROR_STATUS answered",
                  "NOT_RETRYABLE 2" + (replay ? " replayed" : ""))
              .expect(e -> e.effect(replay ? "failed" : "unknown")));
    }
    return rows;
  }

  private static List<Scenario> afterRedirects() {
    List<Scenario> rows = new ArrayList<>();
    for (int code : List.of(301, 302, 303, 307, 308)) {
      boolean notHere = code == 307 || code == 308;
      rows.add(
          post(code + " that is followed, then 404")
              .follows(Follows.REDIRECTS)
              .replies(redirect(code), status(404))
              .answers(404, "")
              .endsAfter("404 ERROR_STATUS answered", "NOT_RETRYABLE 1")
              .requests(2)
              .expect(e -> e.effect(notHere ? "failed" : "unknown")));
    }
    rows.add(
        keyed("303 that is followed, then 429, then 402: the first one may have been done")
            .follows(Follows.REDIRECTS)
            .replies(redirect(303), status(429), status(402))
            .answers(402, "")
            .endsAfter("429 THROTTLED answered", "402 ERROR_STATUS answered", "NOT_RETRYABLE 2")
            .requests(3)
            .expect(e -> e.effect("unknown")));
    return rows;
  }
}
