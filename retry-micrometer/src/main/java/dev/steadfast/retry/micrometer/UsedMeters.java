package dev.steadfast.retry.micrometer;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.IdentityHashMap;

/**
 * The meters in a registry that origins use. A meter filter may leave out or change the tag of the
 * origin; then several origins use one meter, and the last of them removes it. Confined to the
 * tasks of the registrar.
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
