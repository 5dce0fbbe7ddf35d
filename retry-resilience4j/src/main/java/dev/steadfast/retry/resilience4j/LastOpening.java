package dev.steadfast.retry.resilience4j;

import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.event.CircuitBreakerOnStateTransitionEvent;
import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * When a breaker opened, which resilience4j does not tell. A consumer of events cannot be removed
 * again, so there is one for each breaker, shared by all guards that it meets. Safe for use by many
 * threads.
 */
final class LastOpening {
  // The keys are weak, and no value holds its key, so a breaker that is not in use is forgotten.
  private static final Map<CircuitBreaker, LastOpening> ALL = new WeakHashMap<>();
  private static final ReentrantLock LOCK = new ReentrantLock();

  /** The breaker's own time at which it opened. */
  private record Opened(long nanos) {}

  private final WeakReference<CircuitBreaker> breaker;
  private volatile @Nullable Opened opened;

  private LastOpening(CircuitBreaker breaker) {
    this.breaker = new WeakReference<>(breaker);
  }

  /** Watches a breaker from its first call on. */
  static LastOpening of(CircuitBreaker breaker) {
    LOCK.lock();
    try {
      LastOpening known = ALL.get(breaker);
      if (known == null) {
        known = new LastOpening(breaker);
        breaker.getEventPublisher().onStateTransition(known::transition);
        ALL.put(breaker, known);
      }
      return known;
    } finally {
      LOCK.unlock();
    }
  }

  private void transition(CircuitBreakerOnStateTransitionEvent event) {
    CircuitBreaker changed = breaker.get();
    boolean opens = event.getStateTransition().getToState() == CircuitBreaker.State.OPEN;
    opened = opens && changed != null ? new Opened(nowNanos(changed)) : null;
  }

  private static long nowNanos(CircuitBreaker breaker) {
    return breaker.getTimestampUnit().toNanos(breaker.getCurrentTimestamp());
  }

  /**
   * How long an open breaker has been open.
   *
   * @return nanoseconds by its own clock; -1 if it opened before it was watched
   */
  long openNanos() {
    Opened since = opened;
    CircuitBreaker open = breaker.get();
    return since == null || open == null ? -1 : Math.max(0, nowNanos(open) - since.nanos());
  }
}
