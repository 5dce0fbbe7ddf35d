package dev.steadfast.retry.tck;

import static dev.steadfast.retry.tck.Reply.status;
import static dev.steadfast.retry.tck.Scenario.ms;
import static dev.steadfast.retry.tck.Scenario.row;
import static dev.steadfast.retry.tck.ScenarioOutcome.Category.CONNECTION_LOST;
import static dev.steadfast.retry.tck.StatusRows.OK;

import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.http.RetryOptions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Rows about the budget that pays for retries: law 2 (never a storm). */
final class BudgetRows {
  private static final Reply BUSY = status(503);

  private BudgetRows() {}

  static List<Scenario> rows() {
    return List.of(
        row("an empty budget: refused before any wait, the real answer")
            .trap(9)
            .get("/a")
            .tokens(0)
            .replies(BUSY.body("whole"))
            .answers(503, "whole")
            .endsAfter("503 UNAVAILABLE answered", "BUDGET_EXHAUSTED 1")
            .expect(e -> e.budget("refused UNAVAILABLE, FAILED")),
        row("an empty budget: refused before any wait, the real exception")
            .trap(9)
            .put("/a", "body")
            .tokens(0)
            .replies(Reply.closeAfterRequest())
            .fails(CONNECTION_LOST)
            .endsAfter("CONNECTION_LOST unknown", "BUDGET_EXHAUSTED 1")
            .expect(e -> e.budget("refused CONNECTION_LOST, FAILED")),
        row("one token: one retry")
            .get("/a")
            .tokens(1)
            .replies(BUSY, BUSY.body("2"))
            .answers(503, "2")
            .endsAfter("503 UNAVAILABLE answered", "503 UNAVAILABLE answered", "BUDGET_EXHAUSTED 2")
            .expect(e -> e.budget("took 1 UNAVAILABLE, refused UNAVAILABLE, FAILED")),
        row("a budget is not asked for what is not retried")
            .get("/a")
            .tokens(0)
            .replies(status(404))
            .answers(404, "")
            .endsAfter("404 ERROR_STATUS answered", "NOT_RETRYABLE 1")
            .expect(e -> e.budget("FAILED")),
        row("a budget is not asked once the attempts are used up")
            .get("/a")
            .tokens(0)
            .policy(p -> p.maxAttempts(1))
            .replies(BUSY)
            .answers(503, "")
            .endsAfter("503 UNAVAILABLE answered", "ATTEMPTS_EXHAUSTED 1")
            .expect(e -> e.budget("FAILED")),
        earned());
  }

  /** The default budget, emptied by ten retries; ten successes at 0.1 must pay for one more. */
  private static Scenario earned() {
    RetryOptions spending =
        RetryOptions.builder()
            .policy(RetryPolicy.builder().maxAttempts(11).backoff(Backoff.none()).build())
            .build();
    List<Reply> replies = new ArrayList<>(Collections.nCopies(11, BUSY));
    replies.addAll(Collections.nCopies(10, OK));
    replies.addAll(List.of(BUSY, BUSY.body("2")));
    return row("ten successes at a ratio of 0.1 pay for one retry, not for none and not for two")
        .trap(8)
        .retry(b -> b.budget(RetryBudget.perOrigin(0.1)))
        .first(1, HttpCall.of("GET", "/spend").options(spending))
        .first(10, HttpCall.of("GET", "/earn"))
        .get("/a")
        .policy(p -> p.backoff(Backoff.fixed(ms(1))))
        .replies(replies.toArray(Reply[]::new))
        .answers(503, "2")
        .requests(2)
        .trace(
            "attempt 1: 503 UNAVAILABLE answered",
            "wait 1ms backoff",
            "attempt 2: 503 UNAVAILABLE answered",
            "done BUDGET_EXHAUSTED 2");
  }
}
