package dev.steadfast.retry.journal;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** No statement reads the history or the backlog to find some operations. */
@Timeout(value = 5, unit = TimeUnit.MINUTES) // it fills a table
@Tag("laboratory")
class StatementPlansTest {
  private static final int FEW = 20; // such as the empty places that several indexes are asked for

  @Test
  void eachStatementReadsAboutWhatItGives() throws Exception {
    try (TestDatabase database = TestDatabase.postgres()) {
      BigJournal big = new BigJournal(database);
      big.fill(new BigJournal.Size(50_000, 5_000, 5_000));
      Map<String, List<ExplainedSource.Plan>> plans = big.exercise();
      plans.forEach((what, of) -> {
        assertFalse(of.isEmpty(), what);
        of.forEach(plan -> check(what, plan));
      });
    }
  }

  private static void check(String what, ExplainedSource.Plan plan) {
    String explained = what + ": " + plan.sql() + "\n" + plan.text();
    assertFalse(plan.scansAll(), explained);
    assertTrue(plan.read() <= 3L * plan.changed() + FEW, explained);
  }
}
