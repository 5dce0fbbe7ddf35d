package dev.steadfast.retry.operations;

import dev.steadfast.retry.Disposition;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.TimeLimit;
import dev.steadfast.retry.Verdict;
import dev.steadfast.retry.engine.Attempt;
import dev.steadfast.retry.engine.Evidence;
import dev.steadfast.retry.engine.Outcome;
import dev.steadfast.retry.engine.RetryTransport;
import dev.steadfast.retry.engine.TimeUp;
import dev.steadfast.retry.http.Journaling.Codec;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The transport of a journaled operation: that of its client, with two more steps. The operation is
 * claimed before its first attempt, and its end is noted before the caller is told.
 */
final class JournaledTransport<R> implements RetryTransport<R> {
  // Why it is like this: docs/decisions/journaled-operations.md
  private static final Logger LOG = LoggerFactory.getLogger("dev.steadfast.retry");
  private static final Evidence NOTHING_SENT =
      Evidence.of(Disposition.UNSENT, Evidence.Safety.UNPROCESSED, -1, 0);

  private final JournaledOperation operation;
  private final RetryTransport<R> client;
  private final EndRecorder<R> noting;
  private final Claiming<R> claiming;

  private volatile boolean blocking;
  private volatile boolean unsafe; // a request may have been processed, and nothing protects it
  private volatile boolean handedBack;
  private volatile boolean left; // the caller does not wait for the journal
  private volatile @Nullable CompletableFuture<Boolean> note; // of the end, under way

  JournaledTransport(JournaledOperation operation, RetryTransport<R> client, Codec<R> codec) {
    this.operation = operation;
    this.client = client;
    this.noting = new EndRecorder<>(operation, codec);
    this.claiming = new Claiming<>(operation, client, new ClaimRefusal<>(operation, codec), noting);
  }

  @Override
  public void start(Attempt<R> attempt) throws Exception {
    blocking = attempt.blocking();
    if (claiming.granted()) {
      client.start(attempt);
    } else {
      claiming.start(attempt);
    }
  }

  // The end.

  @Override
  public boolean hasLastStep() {
    return true;
  }

  @Override
  public void lastStep(LastStep<R> end, Consumer<RetryReport> next) {
    Claiming.SendPermission leave = claiming.take();
    if (leave == null) {
      handedBack = end.failure() == null;
      tell(unsent(end), next);
      return;
    }
    EndRecorder.Noted noted = noting.of(leave.claim(), end, unsafe);
    if (leave.claim() == null) {
      told(noted, false, next);
    } else if (blocking) {
      noteHere(noted, next);
    } else {
      operation.calls().then(note(noted), (held, lost) -> told(noted, isHeld(held, lost), next));
    }
  }

  private RetryReport unsent(LastStep<R> end) {
    EndWithoutSending<R> known = claiming.unsent(end.failure());
    if (known != null) {
      return known.report();
    }
    RetryReport report = end.report();
    StopReason reason = report == null ? StopReason.USER_CODE_FAILED : report.reason();
    return JournaledReport.notSent(reason, operation.info());
  }

  @Override
  public void leaveLastStep() {
    left = true;
    CompletableFuture<Boolean> underWay = note;
    if (underWay != null) {
      underWay.cancel(false); // the journal is told all the same
    }
  }

  private CompletableFuture<Boolean> note(EndRecorder.Noted noted) {
    if (noted.isLeft()) {
      left = true;
    }
    CompletableFuture<Boolean> telling =
        operation
            .calls()
            .tell(
                () -> noted.granted() != null && noting.tell(noted.granted(), noted.ending()),
                left ? 0 : claiming.notingNanos());
    note = telling;
    if (left) {
      telling.cancel(false); // it may have been left meanwhile
    }
    return telling;
  }

  private void noteHere(EndRecorder.Noted noted, Consumer<RetryReport> next) {
    boolean interrupted = Thread.interrupted(); // kept for the caller
    if (interrupted) {
      left = true;
    }
    CompletableFuture<Boolean> telling = note(noted);
    Boolean held = null;
    while (held == null) {
      try {
        held = telling.get();
      } catch (InterruptedException now) {
        interrupted = true;
        leaveLastStep();
      } catch (ExecutionException | RuntimeException lost) {
        held = isHeld(null, lost);
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    told(noted, held, next);
  }

  private boolean isHeld(@Nullable Boolean held, @Nullable Throwable lost) {
    if (lost != null && !left) {
      LOG.warn("the journal may not know yet that {} ended", operation.info(), lost);
    }
    return Boolean.TRUE.equals(held);
  }

  private void told(EndRecorder.Noted noted, boolean recorded, Consumer<RetryReport> next) {
    RetryReport report;
    try {
      report = noting.report(noted, recorded, claiming.claimedNanos());
    } catch (Throwable broken) { // the clock may be the user's
      LOG.warn("it cannot be told until when {} may be resumed", operation.info(), broken);
      report = noted.report();
    }
    tell(report, next);
  }

  private void tell(RetryReport report, Consumer<RetryReport> next) {
    client.over();
    next.accept(report);
  }

  @Override
  public R deliver(R response, @Nullable RetryReport report) {
    return handedBack ? response : client.deliver(response, report);
  }

  // The evidence of an attempt.

  @Override
  public Outcome outcome(R response) {
    return seen(client.outcome(response));
  }

  @Override
  public Verdict verdict(R head) {
    return client.verdict(head);
  }

  @Override
  public Outcome outcome(Throwable failure) {
    if (claiming.granted()) {
      return seen(client.outcome(failure));
    }
    EndWithoutSending<R> known = claiming.unsent(failure);
    StopReason reason = known == null ? StopReason.NOT_RETRYABLE : known.report().reason();
    return new Outcome(Verdict.permanent(reason), NOTHING_SENT);
  }

  @Override
  public Evidence evidence() {
    return seen(client.evidence());
  }

  private Outcome seen(Outcome outcome) {
    seen(outcome.evidence());
    return outcome;
  }

  private Evidence seen(Evidence evidence) {
    unsafe |= evidence.safety() == Evidence.Safety.UNSAFE;
    return evidence;
  }

  @Override
  public Map<String, List<String>> headers(R response) {
    return client.headers(response);
  }

  // Time.

  @Override
  public boolean boundsAttempts() {
    return claiming.granted() && client.boundsAttempts();
  }

  @Override
  public long idleLeftNanos(long nowNanos) {
    return client.idleLeftNanos(nowNanos);
  }

  @Override
  public long mostNanos(long nowNanos) {
    return Math.min(client.mostNanos(nowNanos), claiming.mostNanos(nowNanos));
  }

  @Override
  public Throwable timedOut(TimeUp limit) {
    return client.timedOut(limit);
  }

  @Override
  public TimeLimit boundLimit() {
    return client.boundLimit();
  }

  // All else is the client's.

  @Override
  public void waits() {
    client.waits();
  }

  @Override
  public void discard(R response) {
    client.discard(response);
  }

  @Override
  public Throwable failure(End end, @Nullable Throwable cause) {
    return client.failure(end, cause);
  }

  @Override
  public void callBack(Runnable callback) {
    client.callBack(callback);
  }
}
