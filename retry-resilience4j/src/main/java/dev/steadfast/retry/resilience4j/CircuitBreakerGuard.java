package dev.steadfast.retry.resilience4j;

import dev.steadfast.retry.Guard;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.internal.Checks;
import dev.steadfast.retry.internal.OriginTable;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A resilience4j breaker per origin as a guard. Immutable except for its breakers; safe for use by
 * many threads.
 *
 * <p>The guard keeps at most 1,024 breakers. If there are more, one that is not in use is removed,
 * unless it is open and its wait is not over. It is also removed from the registry if this guard
 * had put it there. If none can be removed, further origins share a breaker named {@code (others)}.
 */
public final class CircuitBreakerGuard implements Guard {
  private final @Nullable CircuitBreakerRegistry registry;
  private final Function<String, CircuitBreaker> make;
  private final Function<OperationInfo, String> key;
  private final boolean waits;
  private final OriginTable<Instances.Held<CircuitBreaker, GuardedBreaker>> breakers;

  private CircuitBreakerGuard(
      @Nullable CircuitBreakerRegistry registry,
      Function<String, CircuitBreaker> make,
      Function<OperationInfo, String> key,
      boolean waits) {
    this.registry = registry;
    this.make = make;
    this.key = key;
    this.waits = waits;
    this.breakers =
        new OriginTable<>(
            new Instances<>(
                registry,
                make,
                (breaker, shared) -> new GuardedBreaker(breaker, waits),
                GuardedBreaker::idle));
  }

  static CircuitBreakerGuard of(CircuitBreakerConfig config) {
    CircuitBreakerConfig ours =
        CircuitBreakerConfig.from(config)
            .recordExceptions()
            .ignoreExceptions()
            .recordException(failure -> true)
            .ignoreException(failure -> false)
            .build();
    return new CircuitBreakerGuard(
        null, name -> CircuitBreaker.of(name, ours), OperationInfo::origin, false);
  }

  static CircuitBreakerGuard of(CircuitBreakerRegistry registry) {
    return new CircuitBreakerGuard(
        registry, registry::circuitBreaker, OperationInfo::origin, false);
  }

  /**
   * A guard with a breaker for each key instead of each origin. Call it before the guard is used:
   * the result has separate breakers, except for those of a registry.
   *
   * @param key gives the breaker's name; never null, of few values; safe for use by many threads
   * @return a changed copy
   */
  public CircuitBreakerGuard keyedBy(Function<OperationInfo, String> key) {
    return new CircuitBreakerGuard(registry, make, Checks.notNull("key", key), waits);
  }

  /**
   * A guard that lets an operation wait for an open breaker to become half-open, if that is before
   * the operation's deadline. An operation ends by default where it meets an open breaker.
   *
   * <p>resilience4j does not tell how long a breaker stays open. It is known to this guard if it
   * saw the breaker open, and if the configured wait is the same each time; otherwise the operation
   * ends as by default. A half-open breaker admits a few attempts; those beyond are refused. Call
   * it before the guard is used.
   *
   * @return a changed copy
   */
  public CircuitBreakerGuard waitingForHalfOpen() {
    return new CircuitBreakerGuard(registry, make, key, true);
  }

  @Override
  public long admitsInNanos(OperationInfo operation, long nowNanos) {
    long nanos = breaker(operation).admitsInNanos();
    return nanos == 0 || waits ? nanos : NEVER;
  }

  @Override
  public Permit acquire(OperationInfo operation, long nowNanos) {
    return breaker(operation).acquire();
  }

  private GuardedBreaker breaker(OperationInfo operation) {
    return breakers.get(Checks.notNull("the key of a breaker", key.apply(operation))).guarded();
  }

  @Override
  public String toString() {
    return "circuit breaker" + (waits ? ", waiting for half-open" : "");
  }
}
