package dev.steadfast.retry.resilience4j;

import dev.steadfast.retry.Guard;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.internal.Checks;
import dev.steadfast.retry.internal.OriginTable;
import io.github.resilience4j.bulkhead.Bulkhead;
import io.github.resilience4j.bulkhead.BulkheadConfig;
import io.github.resilience4j.bulkhead.BulkheadRegistry;
import java.time.Duration;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A resilience4j bulkhead per origin as a guard. Immutable except for its bulkheads; safe for use
 * by many threads.
 *
 * <p>An attempt holds a permit from when it leaves the client's own queue until its response head,
 * its failure or its cancellation, never during a wait between attempts and not while the caller
 * reads the body. A full bulkhead ends the operation, because it is unknown when it will have room.
 *
 * <p>The guard keeps at most 1,024 bulkheads; if there are more, one without calls under way is
 * removed, also from the registry if this guard had put it there. If all are in use, further
 * origins share a bulkhead named {@code (others)}.
 */
public final class BulkheadGuard implements Guard {
  private final Instances<Bulkhead, GuardedBulkhead> instances;
  private final Function<OperationInfo, String> key;
  private final OriginTable<Instances.Held<Bulkhead, GuardedBulkhead>> bulkheads;

  private BulkheadGuard(
      Instances<Bulkhead, GuardedBulkhead> instances, Function<OperationInfo, String> key) {
    this.instances = instances;
    this.key = key;
    this.bulkheads = new OriginTable<>(instances);
  }

  static BulkheadGuard of(BulkheadConfig config) {
    BulkheadConfig ours = BulkheadConfig.from(config).maxWaitDuration(Duration.ZERO).build();
    return of(null, name -> Bulkhead.of(name, ours));
  }

  static BulkheadGuard of(BulkheadRegistry registry) {
    return of(registry, registry::bulkhead);
  }

  private static BulkheadGuard of(
      @Nullable BulkheadRegistry registry, Function<String, Bulkhead> make) {
    return new BulkheadGuard(
        new Instances<>(registry, make, GuardedBulkhead::new, GuardedBulkhead::idle),
        OperationInfo::origin);
  }

  /**
   * A guard with a bulkhead for each key instead of each origin. Call it before the guard is used:
   * the result has separate bulkheads, except for those of a registry.
   *
   * @param key gives the bulkhead's name; never null, of few values; safe for use by many threads
   * @return a changed copy
   */
  public BulkheadGuard keyedBy(Function<OperationInfo, String> key) {
    return new BulkheadGuard(instances, Checks.notNull("key", key));
  }

  @Override
  public long admitsInNanos(OperationInfo operation, long nowNanos) {
    name(operation); // a key function that throws must throw here, where that is no refusal
    return 0; // full now says nothing about the time after a wait
  }

  @Override
  public Permit acquire(OperationInfo operation, long nowNanos) {
    return bulkheads.get(name(operation)).guarded().acquire();
  }

  private String name(OperationInfo operation) {
    return Checks.notNull("the key of a bulkhead", key.apply(operation));
  }

  @Override
  public String toString() {
    return "bulkhead";
  }
}
