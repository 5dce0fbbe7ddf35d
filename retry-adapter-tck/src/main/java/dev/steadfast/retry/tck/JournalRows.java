package dev.steadfast.retry.tck;

import static dev.steadfast.retry.tck.Reply.status;
import static dev.steadfast.retry.tck.Scenario.row;
import static dev.steadfast.retry.tck.ScenarioOutcome.Category.CANCELLED;
import static dev.steadfast.retry.tck.ScenarioOutcome.Category.CONNECT;
import static dev.steadfast.retry.tck.ScenarioOutcome.Category.CONNECTION_LOST;
import static dev.steadfast.retry.tck.StatusRows.OK;

import dev.steadfast.retry.http.IdempotencyKeys;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.operations.OperationJournal.Claim;
import dev.steadfast.retry.operations.OperationJournal.Refusal;
import dev.steadfast.retry.operations.OperationJournal.Settings;
import dev.steadfast.retry.tck.internal.JournalUnderTest;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * An operation with a name and a business key is begun once (docs/journaled-operations.md); with a
 * journal on the caller's thread, and again with one on threads of its own.
 */
final class JournalRows {
  private static final String LOST = "CONNECTION_LOST unknown";
  private static final String ERROR = "500 ERROR_STATUS answered";

  private static final Executor THREADS =
      Executors.newCachedThreadPool(task -> Threads.daemon("journal", task));

  private final boolean elsewhere;

  private JournalRows(boolean elsewhere) {
    this.elsewhere = elsewhere;
  }

  static List<Scenario> rows() {
    return Stream.of(new JournalRows(false), new JournalRows(true))
        .flatMap(each ->
            Stream.of(
                each.sent(),
                each.proved(),
                each.known(),
                each.begunAnew(),
                each.settled(),
                new JournalFaultRows(each).rows()))
        .flatMap(List::stream)
        .toList();
  }

  private static RetryOptions.Builder named() {
    return RetryOptions.builder().journaled("charge", "order-1");
  }

  private static HttpCall charge(String method, String body) {
    HttpCall call = HttpCall.of(method, "/pay").options(named().build());
    return body.isEmpty() ? call : call.body(HttpCall.Form.REPEATABLE, body);
  }

  private static final HttpCall FIVE = charge("POST", "5");

  Scenario of(String name) {
    return of(name, journal -> {});
  }

  Scenario of(String name, Consumer<JournalUnderTest> prepare) {
    String where = elsewhere ? ", on threads of the journal" : "";
    return row("journaled: " + name + where)
        .call(FIVE)
        .retry(b -> {
          JournalUnderTest journal = new JournalUnderTest(elsewhere ? THREADS : null);
          prepare.accept(journal);
          b.journal(journal);
        })
        .notFor(Trait.NO_JOURNAL, "its adapter has no codec for a journal");
  }

  private Scenario keyed(String name) {
    return of(name)
        .retry(b -> b.idempotencyKeys(IdempotencyKeys.randomUuid()))
        .expect(e -> e.key("hash"));
  }

  private List<Scenario> sent() {
    return List.of(
        of("POST, 200: recorded")
            .replies(OK)
            .answers(200, "ok")
            .endsAfter("200", "ACCEPTED 1")
            .expect(e -> e.saved("succeeded")),
        keyed("POST with a key, lost response then 200: one key, which derives from the name")
            .replies(Reply.closeAfterRequest(), OK)
            .retriedAfter(LOST)
            .expect(e -> e.saved("succeeded")),
        of("PUT, a body that breaks then 200: retried within the call")
            .call(charge("PUT", "5"))
            .replies(Reply.truncatedBody(200, 100, "half"), OK)
            .retriedAfter("BROKEN_BODY answered")
            .expect(e -> e.saved("succeeded")),
        of("POST, 402: failed")
            .replies(status(402).body("no money"))
            .answers(402, "no money")
            .endsAfter("402 ERROR_STATUS answered", "NOT_RETRYABLE 1")
            .expect(e -> e.saved("failed")),
        of("POST, connection refused: never sent")
            .policy(p -> p.maxAttempts(1))
            .refused()
            .fails(CONNECT)
            .requests(0)
            .trace("attempt 1: CONNECT unsent", "done ATTEMPTS_EXHAUSTED 1")
            .expect(e -> e.saved("never sent")),
        of("POST, lost response: unknown")
            .replies(Reply.closeAfterRequest())
            .fails(CONNECTION_LOST)
            .endsAfter(LOST, "NOT_REPLAYABLE 1")
            .expect(e -> e.saved("unknown")),
        keyed("POST with a key, 500 three times: unknown, and can be settled")
            .replies(status(500), status(500), status(500))
            .answers(500, "")
            .endsAfter(ERROR, ERROR, ERROR, "ATTEMPTS_EXHAUSTED 3")
            .expect(e -> e.saved("unknown, resumable")),
        keyed("POST with a key, cancelled while the server is silent: unknown")
            .replies(Reply.stallAfterRequest())
            .at(Scenario.Moment.REQUEST, Running::cancel)
            .fails(CANCELLED)
            .endsAfter("OTHER unknown", "CANCELLED 1")
            .expect(e -> e.saved("unknown, " + (elsewhere ? "not recorded, " : "") + "resumable"))
            .differs(
                Trait.CANCEL_WITHOUT_REPORT,
                "the future makes the exception, which has no report",
                e -> e.saved("nothing"))
            .notFor(Trait.NO_CANCEL, "there is no handle to cancel"));
  }

  private List<Scenario> known() {
    return List.of(
        handedBack("POST, succeeded before", FIVE, status(201).body("charged"))
            .answers(201, "charged")
            .expect(e -> e.saved("succeeded, handed back")),
        handedBack("POST, succeeded before, without a body", FIVE, status(204))
            .answers(204, "")
            .expect(e -> e.saved("succeeded, handed back")),
        handedBack("POST, failed before", FIVE, status(402).body("no money"))
            .answers(402, "no money")
            .expect(e -> e.saved("failed, handed back")),
        handedBack(
                "POST, succeeded before, chunked",
                FIVE,
                status(200).body("in parts").chunked().header("X-Id", "7"))
            .answers(200, "in parts")
            .expect(e -> e.saved("succeeded, handed back")),
        of("POST, another body under the name: refused")
            .first(1, FIVE)
            .call(charge("POST", "6"))
            .replies(OK)
            .refusedByJournal(Refusal.OTHER_REQUEST, "other request, not recorded"),
        of("POST, another method under the name: refused")
            .first(1, FIVE)
            .call(charge("PUT", "5"))
            .replies(OK)
            .refusedByJournal(Refusal.OTHER_REQUEST, "other request, not recorded"),
        of("POST, in flight elsewhere: refused", j -> j.answers(new Claim.InFlight()))
            .options(named().refuseInFlight())
            .refusedByJournal(Refusal.IN_FLIGHT, "unknown, not recorded"),
        of("POST without a key, unknown before: refused")
            .first(1, FIVE)
            .replies(Reply.closeAfterRequest())
            .refusedByJournal(Refusal.UNKNOWN, "unknown"),
        of(
                "POST, succeeded before with a body that is too long: refused",
                j -> j.settings(Settings.defaults().withMostBodyBytes(3)))
            .first(1, FIVE)
            .replies(status(200).body("long"))
            .refusedByJournal(Refusal.ANSWER_NOT_KEPT, "succeeded"));
  }

  private Scenario handedBack(String name, HttpCall call, Reply before) {
    return of(name + ": handed back")
        .first(1, call)
        .call(call)
        .replies(before)
        .requests(0)
        .trace("done ACCEPTED 0");
  }

  private List<Scenario> proved() {
    Reply elsewhere = status(307).header("Location", "/there");
    String conflict = "409 CONFLICT answered";
    return List.of(
        of("POST, 307 that is not followed: failed")
            .replies(elsewhere)
            .answers(307, "")
            .endsAfter("307", "ACCEPTED 1")
            .expect(e -> e.saved("failed")),
        keyed("POST with a key, unknown before, then a 307 that is not followed: unknown still")
            .first(1, FIVE)
            .replies(status(500), status(500), status(500), elsewhere)
            .answers(307, "")
            .endsAfter("307", "ACCEPTED 1")
            .expect(e -> e.saved("unknown, resumable")),
        of("POST, 307 that is followed, then 404: failed")
            .follows(Follows.REDIRECTS)
            .replies(elsewhere, status(404))
            .answers(404, "")
            .endsAfter("404 ERROR_STATUS answered", "NOT_RETRYABLE 1")
            .requests(2)
            .expect(e -> e.saved("failed")),
        of("POST, 499: unknown")
            .replies(status(499))
            .answers(499, "")
            .endsAfter("499 ERROR_STATUS answered", "NOT_RETRYABLE 1")
            .expect(e -> e.saved("unknown")),
        of("POST, 409 that asks to wait: unknown")
            .replies(status(409).header("Retry-After", "1"))
            .answers(409, "")
            .endsAfter(conflict, "NOT_REPLAYABLE 1 server delay 1s")
            .expect(e -> e.saved("unknown")),
        of("POST, 409 without a word: failed")
            .replies(status(409))
            .answers(409, "")
            .endsAfter(conflict, "NOT_RETRYABLE 1")
            .expect(e -> e.saved("failed")),
        keyed("POST with a key, 303 that is followed, then 429, then 402: unknown")
            .follows(Follows.REDIRECTS)
            .replies(status(303).header("Location", "/there"), status(429), status(402))
            .answers(402, "")
            .endsAfter("429 THROTTLED answered", "402 ERROR_STATUS answered", "NOT_RETRYABLE 2")
            .requests(3)
            .expect(e -> e.saved("unknown, resumable")));
  }

  private List<Scenario> begunAnew() {
    return List.of(
        of("POST, 401 before: begun anew")
            .first(1, FIVE)
            .replies(status(401), OK)
            .answers(200, "ok")
            .endsAfter("200", "ACCEPTED 1")
            .expect(e -> e.saved("succeeded")),
        of("POST, 401 to another body before: begun anew")
            .first(1, charge("POST", "6"))
            .replies(status(401), OK)
            .answers(200, "ok")
            .endsAfter("200", "ACCEPTED 1")
            .expect(e -> e.saved("succeeded")));
  }

  private List<Scenario> settled() {
    return List.of(
        keyed("POST with a key, unknown before: settled by the same call")
            .first(1, FIVE)
            .replies(status(500), status(500), status(500), OK)
            .answers(200, "ok")
            .endsAfter("200", "ACCEPTED 1")
            .expect(e -> e.saved("succeeded")),
        keyed("POST with a key, unknown before, then 404: unknown still")
            .first(1, FIVE)
            .replies(status(500), status(500), status(500), status(404))
            .answers(404, "")
            .endsAfter("404 ERROR_STATUS answered", "NOT_RETRYABLE 1")
            .expect(e -> e.saved("unknown, resumable")),
        of("PUT, unknown before: settled by the same call")
            .first(1, charge("PUT", "5"))
            .call(charge("PUT", "5"))
            .replies(status(500), status(500), status(500), OK)
            .answers(200, "ok")
            .endsAfter("200", "ACCEPTED 1")
            .expect(e -> e.saved("succeeded")));
  }
}
