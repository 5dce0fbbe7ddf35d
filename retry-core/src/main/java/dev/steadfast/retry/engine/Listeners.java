package dev.steadfast.retry.engine;

import dev.steadfast.retry.AttemptReport;
import dev.steadfast.retry.DelayReason;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.PathEvent;
import dev.steadfast.retry.RetryListener;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.internal.Durations;
import dev.steadfast.retry.internal.OriginTable;
import dev.steadfast.retry.internal.ReportFigures;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells several listeners, logs, and lets no exception of a listener through. */
final class Listeners implements RetryListener {
  private static final Logger LOG = LoggerFactory.getLogger("dev.steadfast.retry");

  private final List<RetryListener> listeners;
  private final OriginTable<LogRateLimiter> givenUp = linePerMinute();
  // Alarms have a table of their own: a harmless operation must not use up the line of a payment.
  private final OriginTable<LogRateLimiter> alarming = linePerMinute();
  private final Set<Advice> advised = ConcurrentHashMap.newKeySet();

  Listeners(List<RetryListener> listeners) {
    Set<RetryListener> told = Collections.newSetFromMap(new IdentityHashMap<>());
    List<RetryListener> once = new ArrayList<>(listeners);
    once.removeIf(each -> !told.add(each));
    this.listeners = List.copyOf(once);
  }

  /** Whether somebody listens: without, no event object need be made. */
  boolean any() {
    return !listeners.isEmpty();
  }

  @Override
  public void operationStarted(OperationInfo operation) {
    tell(each -> each.operationStarted(operation));
  }

  /**
   * Has the listeners bind to the calling thread what belongs to an attempt.
   *
   * @param undo what is to be undone beside that
   * @return undoes it all; does not throw
   */
  Runnable enterAttempt(OperationInfo operation, int attempt, Runnable undo) {
    Runnable leave = undo;
    for (RetryListener each : listeners) {
      try {
        leave = leaving(each.enterAttempt(operation, attempt), leave);
      } catch (Throwable broken) {
        LOG.warn("a retry listener threw; the operation goes on", broken);
      }
    }
    return leave;
  }

  private static Runnable leaving(@Nullable AutoCloseable entered, Runnable undo) {
    if (entered == null) {
      return undo;
    }
    return () -> {
      try {
        entered.close();
      } catch (Throwable broken) {
        LOG.warn("what a retry listener returned threw; the operation goes on", broken);
      }
      undo.run();
    };
  }

  @Override
  public void attemptStarted(OperationInfo operation, int attempt, Object request) {
    tell(each -> each.attemptStarted(operation, attempt, request));
  }

  @Override
  public void attemptEnded(OperationInfo operation, AttemptReport attempt) {
    tell(each -> each.attemptEnded(operation, attempt));
  }

  @Override
  public void pathChanged(OperationInfo operation, PathEvent event) {
    tell(each -> each.pathChanged(operation, event));
  }

  @Override
  public void waiting(OperationInfo operation, Duration delay, DelayReason why) {
    tell(each -> each.waiting(operation, delay, why));
  }

  @Override
  public void ended(OperationInfo operation, RetryReport report) {
    tell(each -> each.ended(operation, report));
  }

  static boolean logsRetries() {
    return LOG.isDebugEnabled();
  }

  /** One line per retry. */
  static void logRetry(OperationInfo operation, OperationRecord record, RetryDecision.Retry retry) {
    AttemptRecord attempt = LOG.isDebugEnabled() ? record.latest() : null;
    if (attempt != null) {
      LOG.debug(
          "{}: attempt {} ended with {}, next in {} ({})",
          operation,
          attempt.number(),
          attempt.end(operation.idempotencyKey().orElse(null)),
          Durations.printRounded(retry.delayNanos()),
          retry.why());
    }
  }

  /**
   * Logs an operation that failed: one line that names the limit, the rule or the word that ended
   * it. The line is a warning if the operation may have taken effect, or gave up after retries.
   * Many do in an outage, so only one per origin and minute is a warning, with the number left out
   * since the last. All others are logged at level DEBUG.
   *
   * @param replayable the caller's word; if repeating adds no effect, it is no harm that the effect
   *     is unknown
   */
  void logEnd(OperationInfo operation, RetryReport report, long nowNanos, Replayable replayable) {
    StopReason reason = report.reason();
    if (reason == StopReason.ACCEPTED) {
      return;
    }
    if (reason == StopReason.BODY_NOT_REPEATABLE) {
      advise(Advice.ONE_SHOT_BODY, operation);
    }
    boolean unknown = ReportFigures.effectUnknown(report) && replayable != Replayable.ALWAYS;
    boolean alarms = unknown && !Decisions.byCaller(reason);
    boolean warns = alarms || (reason.gaveUp() && report.attempts() > 1);
    OriginTable<LogRateLimiter> table = alarms ? alarming : givenUp;
    long since = LogRateLimiter.NOT_NOW;
    if (warns && LOG.isWarnEnabled()) {
      since = table.get(operation.origin()).tellNow(nowNanos);
    }
    String how = how(reason) + (unknown ? ", and may have taken effect" : "");
    if (since == LogRateLimiter.NOT_NOW) {
      LOG.debug("{}: {}: {}", operation, how, report);
    } else if (since == 0) {
      LOG.warn("{}: {}: {}", operation, how, report);
    } else {
      LOG.warn(
          "{}: {}: {}; since the last such line {} more operations of this origin did",
          operation,
          how,
          report,
          since);
    }
  }

  private static String how(StopReason reason) {
    return reason.gaveUp() ? "gave up" : "failed";
  }

  private static OriginTable<LogRateLimiter> linePerMinute() {
    return new OriginTable<>((origin, fresh) -> new LogRateLimiter());
  }

  /** Warns of a likely mistake, once. */
  void advise(Advice advice, Object operation) {
    if (advised.add(advice)) {
      LOG.warn("{}: {} (said once per configuration)", operation, advice.text());
    }
  }

  /** Whether a warning about a likely mistake has been given. */
  boolean advised(Advice advice) {
    return advised.contains(advice);
  }

  // An Error is caught, too: a listener that is broken must not end the operation.
  private void tell(Consumer<RetryListener> event) {
    for (RetryListener each : listeners) {
      try {
        event.accept(each);
      } catch (Throwable broken) {
        LOG.warn("a retry listener threw; the operation goes on", broken);
      }
    }
  }
}
