package dev.steadfast.retry.tck;

import static dev.steadfast.retry.tck.Reply.status;
import static dev.steadfast.retry.tck.ScenarioOutcome.Category.CONNECT;
import static dev.steadfast.retry.tck.ScenarioOutcome.Category.USER;
import static dev.steadfast.retry.tck.StatusRows.OK;

import dev.steadfast.retry.operations.OperationJournal.Claim;
import dev.steadfast.retry.operations.OperationJournal.Refusal;
import dev.steadfast.retry.operations.OperationJournal.Settings;
import dev.steadfast.retry.tck.internal.JournalUnderTest;
import java.util.List;
import java.util.stream.Stream;

/** A journal that cannot be reached, or throws. */
final class JournalFaultRows {
  private final JournalRows rows;

  JournalFaultRows(JournalRows rows) {
    this.rows = rows;
  }

  List<Scenario> rows() {
    return Stream.of(broken(), faulty()).flatMap(List::stream).toList();
  }

  private List<Scenario> broken() {
    return List.of(
        rows.of(
                "POST, the journal is unreachable: refused",
                j -> j.onClaim(JournalUnderTest.unreachable()))
            .refusedByJournal(Refusal.UNREACHABLE, "unknown, not recorded"),
        rows.of(
                "POST, the journal is unreachable and not needed: sent, and said so",
                j -> {
                  j.onClaim(JournalUnderTest.unreachable());
                  j.settings(Settings.defaults().sendingUnreachable());
                })
            .replies(OK)
            .answers(200, "ok")
            .endsAfter("200", "ACCEPTED 1")
            .expect(e -> e.saved("succeeded, not recorded")),
        rows.of(
                "POST, the journal is lost at the end: the answer, and unknown",
                j -> j.onEnded(JournalUnderTest.unreachable()))
            .replies(status(404).body("real"))
            .answers(404, "real")
            .endsAfter("404 ERROR_STATUS answered", "NOT_RETRYABLE 1")
            .expect(e -> e.saved("unknown, not recorded")),
        rows.of(
                "POST, the journal is lost at the end: succeeded, and said so",
                j -> j.onEnded(JournalUnderTest.unreachable()))
            .replies(OK)
            .answers(200, "ok")
            .endsAfter("200", "ACCEPTED 1")
            .expect(e -> e.saved("succeeded, not recorded")),
        rows.of(
                "POST, connection refused and the journal is lost at the end: unknown",
                j -> j.onEnded(JournalUnderTest.unreachable()))
            .policy(p -> p.maxAttempts(1))
            .refused()
            .fails(CONNECT)
            .requests(0)
            .trace("attempt 1: CONNECT unsent", "done ATTEMPTS_EXHAUSTED 1")
            .expect(e -> e.saved("unknown, not recorded")));
  }

  private List<Scenario> faulty() {
    return List.of(
        rows.of(
                "POST, a claim that throws: nothing is sent",
                j ->
                    j.onClaim(() -> {
                      throw new ScenarioOutcome.UserCodeException();
                    }))
            .fails(USER)
            .requests(0)
            .trace("done NOT_RETRYABLE 0"),
        rows.of(
                "POST, in flight elsewhere, then the journal is unreachable and not needed: refused",
                j -> {
                  j.answers(new Claim.InFlight());
                  j.settings(Settings.defaults().sendingUnreachable());
                  j.onClaim(() -> {
                    if (j.claims() > 0) {
                      JournalUnderTest.unreachable().happen();
                    }
                  });
                })
            .refusedByJournal(Refusal.UNREACHABLE, "unknown, not recorded"),
        rows.of(
                "POST, an Error of the journal at the end: succeeded, and said so",
                j ->
                    j.onEnded(() -> {
                      throw new AssertionError("a bug");
                    }))
            .replies(OK)
            .answers(200, "ok")
            .endsAfter("200", "ACCEPTED 1")
            .expect(e -> e.saved("succeeded, not recorded")));
  }
}
