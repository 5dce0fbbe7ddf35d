package dev.steadfast.retry.resilience4j;

import io.github.resilience4j.bulkhead.BulkheadConfig;
import io.github.resilience4j.bulkhead.BulkheadRegistry;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;

/**
 * Guards made of real resilience4j objects, one per origin. Each attempt passes them, so a breaker
 * learns from retries too, and no permit is held during a wait.
 *
 * <p>Add the breaker before the bulkhead: an attempt passes guards in the order in which they were
 * added.
 */
public final class Resilience4jGuards {
  // Why it is like this: docs/decisions/breaker-permits.md
  private Resilience4jGuards() {}

  /**
   * A breaker per origin, known to this guard alone.
   *
   * <p>Steadfast's classification decides what a failure is: 409, 429 and other 4xx, cancellations
   * and answers from a cache are none. So the predicates of the configuration that record or ignore
   * exceptions are replaced; all else holds, the slow calls too. Mind that resilience4j's default
   * needs 100 calls before it acts.
   *
   * @param config the configuration of each breaker
   * @return a guard
   */
  public static CircuitBreakerGuard circuitBreaker(CircuitBreakerConfig config) {
    return CircuitBreakerGuard.of(config);
  }

  /**
   * A breaker per origin in the user's registry, named by the origin, so that its events,
   * Micrometer binders and actuator views show it. A breaker that is there already under that name
   * is used.
   *
   * <p>The predicates of its configuration decide what is recorded: they get the attempt's
   * exception, or an {@link dev.steadfast.retry.UnsuccessfulAttemptException} for an answer such as
   * 503; what they do not record counts as a success.
   *
   * @param registry the registry; asked once per origin
   * @return a guard
   */
  public static CircuitBreakerGuard circuitBreaker(CircuitBreakerRegistry registry) {
    return CircuitBreakerGuard.of(registry);
  }

  /**
   * A bulkhead per origin, known to this guard alone. An attempt that finds it full is refused at
   * once: a {@code maxWaitDuration} of the configuration is replaced by zero, as no thread is ever
   * blocked for a permit.
   *
   * @param config the configuration of each bulkhead
   * @return a guard
   */
  public static BulkheadGuard bulkhead(BulkheadConfig config) {
    return BulkheadGuard.of(config);
  }

  /**
   * A bulkhead per origin in the user's registry, named by the origin, so that its events,
   * Micrometer binders and actuator views show it. A bulkhead that is there already under that name
   * is used.
   *
   * <p>Its configuration holds, {@code maxWaitDuration} too: if that is not zero, the thread that
   * begins an attempt is blocked for it, past the operation's deadline if it is long, and that may
   * be a thread of the HTTP client or of the scheduler. Zero is resilience4j's default.
   *
   * @param registry the registry; asked once per origin
   * @return a guard
   */
  public static BulkheadGuard bulkhead(BulkheadRegistry registry) {
    return BulkheadGuard.of(registry);
  }
}
