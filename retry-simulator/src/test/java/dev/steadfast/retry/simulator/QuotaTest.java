package dev.steadfast.retry.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.RetryPolicy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Pacing by headers and by a quota that is named, at servers that count in different ways. */
class QuotaTest {
  private static final QuotaSpec.Rule NONE = new QuotaSpec.Rule("none", 0, false);
  private static final QuotaSpec.Rule HEADERS = new QuotaSpec.Rule("headers", 0, true);

  private static QuotaRun.Result run(QuotaSpec.Server server, int clients, QuotaSpec.Rule rule) {
    QuotaSpec spec = new QuotaSpec(server, clients, 16, RetryPolicy.defaults());
    return QuotaRun.run(spec, rule, Draws.of(7));
  }

  private static QuotaSpec.Server server(boolean sliding, boolean tells) {
    return new QuotaSpec.Server(100, 10 * Durations.SECOND, sliding, tells);
  }

  @Test
  void withoutPacingMostAttemptsAreRefused() {
    QuotaRun.Result result = run(server(false, true), 1, NONE);
    assertTrue(result.refused() > result.sent() / 2, result::toString);
    assertEquals(1, result.used(), 0.02);
  }

  @Test
  void headersThatAreNotThereHelpNobody() {
    assertEquals(run(server(false, false), 1, NONE), run(server(false, false), 1, HEADERS));
    assertEquals(0, run(server(false, true), 1, HEADERS).refused());
  }

  @ParameterizedTest
  @CsvSource({"false, false", "true, false", "false, true", "true, true"})
  void aQuotaThatIsNamedIsKept_withAndWithoutHeaders(boolean sliding, boolean tells) {
    QuotaSpec.Rule named = new QuotaSpec.Rule("named", 100, true);
    QuotaRun.Result result = run(server(sliding, tells), 1, named);
    assertTrue(result.refused() <= 0.02 * result.sent(), result::toString);
    // Of what headers tell, pacing leaves a tenth to others.
    assertTrue(result.used() > 0.85, result::toString);
  }

  @Test
  void severalProcessesNameTheirShare() {
    QuotaRun.Result result = run(server(false, false), 4, new QuotaSpec.Rule("named", 25, true));
    assertEquals(0, result.refused(), result::toString);
    assertTrue(result.used() > 0.95, result::toString);
  }
}
