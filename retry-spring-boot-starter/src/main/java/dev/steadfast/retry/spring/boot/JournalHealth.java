package dev.steadfast.retry.spring.boot;

import dev.steadfast.retry.journal.Oversight;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/**
 * The journal in {@code /actuator/health}. It is down if its database cannot be read. Operations
 * that wait, are parked or unknown are details only: a restart mends none of them.
 */
final class JournalHealth extends AbstractHealthIndicator {
  private final Oversight oversight;

  JournalHealth(Oversight oversight) {
    super("the journal cannot be read");
    this.oversight = oversight;
  }

  @Override
  protected void doHealthCheck(Health.Builder builder) throws Exception {
    Oversight.Totals totals = oversight.totals();
    builder
        .up()
        .withDetail("due", totals.due())
        .withDetail("dueFor", totals.dueFor().toString())
        .withDetail("unknown", totals.unknown())
        .withDetail("parked", totals.parked())
        .withDetail("leftFor", totals.leftFor().toString());
  }
}
