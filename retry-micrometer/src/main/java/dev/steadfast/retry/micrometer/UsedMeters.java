package dev.steadfast.retry.micrometer;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.IdentityHashMap;

/**
 * Counts how many origins use each meter of a registry, and removes a meter with its last user.
 * Several origins use the same meter if a meter filter drops or changes the tag of the origin. Only
 * the tasks of the registrar may call this.
 */
final class UsedMeters {
  private final MeterRegistry registry;
  private final IdentityHashMap<Meter, Integer> users = new IdentityHashMap<>();

  /** No origin uses a meter. */
  UsedMeters(MeterRegistry registry) {
    this.registry = registry;
  }

  MeterRegistry registry() {
    return registry;
  }

  /** One more origin uses a meter. */
  void use(Meter meter) {
    users.merge(meter, 1, Integer::sum);
  }

  /** One origin fewer uses it. */
  void leave(Meter meter) {
    if (users.merge(meter, -1, Integer::sum) == 0) {
      users.remove(meter);
      registry.remove(meter);
    }
  }
}
