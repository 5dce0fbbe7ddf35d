package dev.steadfast.retry.resilience4j;

import dev.steadfast.retry.Guard;
import io.github.resilience4j.bulkhead.Bulkhead;
import io.github.resilience4j.bulkhead.BulkheadFullException;
import io.github.resilience4j.bulkhead.event.BulkheadEvent;
import io.github.resilience4j.core.EventConsumer;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One bulkhead. resilience4j lets the exception of an event consumer out of {@code
 * tryAcquirePermission} after the permit was taken, so this class listens to the event itself to
 * know whether it was.
 */
final class GuardedBulkhead {
  private static final Logger LOG = LoggerFactory.getLogger("dev.steadfast.retry");

  // The threads that are asking now, each with its last event: events are published on the thread
  // that asks. No thread-local: events of the user's own calls would leave one in their threads.
  private static final Map<Thread, Optional<BulkheadEvent.Type>> ASKING = new ConcurrentHashMap<>();
  // One object: adding it to a bulkhead twice adds it once.
  private static final EventConsumer<BulkheadEvent> WATCH = GuardedBulkhead::watch;

  private final Bulkhead bulkhead;
  private final boolean shared;

  GuardedBulkhead(Bulkhead bulkhead, boolean shared) {
    this.bulkhead = bulkhead;
    this.shared = shared;
    if (shared) {
      bulkhead.getEventPublisher().onEvent(WATCH);
    }
  }

  private static void watch(BulkheadEvent event) {
    ASKING.computeIfPresent(
        Thread.currentThread(), (asking, last) -> Optional.of(event.getEventType()));
  }

  Guard.Permit acquire() {
    if (!(shared ? enterWatched() : bulkhead.tryAcquirePermission())) {
      throw BulkheadFullException.createBulkheadFullException(bulkhead);
    }
    return new Permit();
  }

  private boolean enterWatched() {
    // Used only if a consumer before this class's own throws.
    boolean room = bulkhead.getMetrics().getAvailableConcurrentCalls() > 0;
    Thread self = Thread.currentThread();
    ASKING.put(self, Optional.empty());
    try {
      return bulkhead.tryAcquirePermission();
    } catch (Throwable thrown) {
      LOG.warn("a consumer of bulkhead events threw; the operation goes on", thrown);
      return ASKING
          .getOrDefault(self, Optional.empty())
          .map(last -> last == BulkheadEvent.Type.CALL_PERMITTED)
          .orElse(room);
    } finally {
      ASKING.remove(self);
    }
  }

  /** Whether it may be forgotten: no call is under way. */
  boolean idle() {
    Bulkhead.Metrics metrics = bulkhead.getMetrics();
    return metrics.getAvailableConcurrentCalls() == metrics.getMaxAllowedConcurrentCalls();
  }

  private final class Permit implements Guard.Permit {
    @Override
    public void succeeded(long elapsedNanos) {
      bulkhead.onComplete();
    }

    @Override
    public void failed(Guard.Failure how, Throwable failure) {
      bulkhead.onComplete();
    }

    @Override
    public void released() {
      bulkhead.releasePermission();
    }
  }
}
