package dev.steadfast.retry.spring.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * The page, the alerts and the dashboard of the journal name meters that exist, and all of them.
 */
final class JournalQueriesTest {
  private static final Path DOCS = Path.of("..", "..", "docs");
  private static final Pattern NAME = Pattern.compile("steadfast_journal_[a-z_]+");
  private static final String DELIVERIES = "steadfast_journal_deliveries_total";

  /** The names in Prometheus. */
  private static Set<String> meters() {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    JournalMeters.register(registry, () -> null);
    Set<String> names = new TreeSet<>(Set.of(DELIVERIES));
    for (Meter each : registry.getMeters()) {
      String unit = each.getId().getBaseUnit();
      names.add(each.getId().getName().replace('.', '_') + (unit == null ? "" : "_" + unit));
    }
    return names;
  }

  private static Set<String> named(String page) throws IOException {
    Set<String> names = new TreeSet<>();
    NAME.matcher(Files.readString(DOCS.resolve(page)))
        .results()
        .forEach(each -> names.add(each.group()));
    return names;
  }

  @Test
  void dashboardAndPageShowEachMeter() throws IOException {
    assertEquals(meters(), named("telemetry/journal-dashboard.json"));
    assertEquals(meters(), named("spring.md"));
  }

  @Test
  void theAlertsWatchEachGaugeOfTrouble() throws IOException {
    Set<String> watched = meters();
    watched.removeAll(Set.of(DELIVERIES, "steadfast_journal_due"));
    assertEquals(watched, named("telemetry/journal-alerts.yml"));
  }
}
