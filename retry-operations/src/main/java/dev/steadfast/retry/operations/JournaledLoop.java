package dev.steadfast.retry.operations;

import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.engine.CallContext;
import dev.steadfast.retry.engine.RetryLoop;
import dev.steadfast.retry.engine.RetryTransport;
import dev.steadfast.retry.http.Journaling.Codec;
import dev.steadfast.retry.operations.OperationJournal.Claim;
import java.time.Duration;
import java.util.Objects;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A journaled operation: it is claimed in the journal, sent by the usual loop, and noted in the
 * journal before its caller is told. Confined like the loops that it is made of.
 */
final class JournaledLoop<R> implements RetryLoop<R> {
  // Why it is like this: docs/decisions/journaled-operations.md
  private static final long MOST_NOTING_NANOS = Duration.ofSeconds(1).toNanos();
  private static final long MOST_KEY_MARGIN_NANOS = Duration.ofSeconds(1).toNanos();

  private final JournaledOperation operation;
  private final RetryTransport<R> client;
  private final JournalSteps<R> steps;

  private long boundNanos; // of the operation
  private long endNanos;
  private boolean blocking;
  private @Nullable StepEnd<R> over; // what a blocking caller gets

  private volatile @Nullable RetryLoop<?> running;
  private volatile boolean sends; // that is what runs
  private volatile int stopped; // 1: cancelled, 2: interrupted

  JournaledLoop(JournaledOperation operation, RetryTransport<R> client, Codec<R> codec) {
    this.operation = operation;
    this.client = client;
    this.steps = new JournalSteps<>(operation, client, codec);
  }

  @Override
  public R run(long boundNanos) throws Throwable {
    blocking = true;
    begin(boundNanos);
    claim(end -> over = end);
    StepEnd<R> end = Objects.requireNonNull(over);
    Throwable thrown = end.thrown();
    if (thrown != null) {
      throw thrown;
    }
    return Objects.requireNonNull(end.value());
  }

  @Override
  public void start(long boundNanos, BiConsumer<@Nullable R, @Nullable Throwable> completion) {
    begin(boundNanos);
    claim(end -> completion.accept(end.value(), end.thrown()));
  }

  @Override
  public void discard(R response) {
    client.discard(response);
  }

  // The steps.

  /** Gets the end of a step. */
  private interface Next<T> {
    void go(StepEnd<T> end);
  }

  private void claim(Next<R> caller) {
    step(
        steps.claiming(blocking),
        remainingNanos(),
        claimed -> {
          StepEnd<R> unsent = steps.withoutSending(claimed);
          if (unsent == null) {
            send(JournalSteps.granted(claimed), caller);
          } else {
            tell(unsent, caller);
          }
        });
  }

  private void send(Claim.@Nullable Granted granted, Next<R> caller) {
    long nanos = sendingNanos(granted);
    sends = true;
    step(
        steps.sending(nanos),
        nanos,
        sent -> {
          sends = false;
          running = null; // what follows is noted all the same if it is cancelled now
          JournalSteps.Noted noted = steps.noted(granted, sent);
          note(noted, held -> tell(steps.told(noted, sent, held), caller));
        });
  }

  private void note(JournalSteps.Noted noted, Next<Boolean> next) {
    RetryLoop<Boolean> noting = steps.noting(noted, blocking);
    boolean interrupted = blocking && Thread.interrupted(); // kept for the caller
    long nanos = notingNanos(!interrupted && waits(noted));
    carryOut(
        noting,
        nanos,
        held -> {
          if (interrupted) {
            Thread.currentThread().interrupt();
          }
          next.go(held);
        });
  }

  private void tell(StepEnd<R> end, Next<R> caller) {
    client.over();
    caller.go(end);
  }

  /** Carries out a step that a cancellation ends. */
  private <T> void step(RetryLoop<T> loop, long nanos, Next<T> next) {
    running = loop;
    if (stopped == 1) {
      loop.cancel();
    } else if (stopped == 2) {
      loop.interrupt();
    }
    carryOut(loop, nanos, next);
  }

  private <T> void carryOut(RetryLoop<T> loop, long nanos, Next<T> next) {
    if (!blocking) {
      loop.start(nanos, (value, thrown) -> next.go(new StepEnd<>(value, thrown)));
      return;
    }
    StepEnd<T> end;
    try {
      end = StepEnd.of(loop.run(nanos));
    } catch (Throwable thrown) {
      end = StepEnd.failed(thrown);
    }
    next.go(end);
  }

  // Time.

  private long now() {
    return operation.plan().environment().ticker().getAsLong();
  }

  private void begin(long boundNanos) {
    CallContext callContext = operation.plan().callContext();
    long callerWaits = callContext == null ? Long.MAX_VALUE : callContext.remainingNanos();
    this.boundNanos = Math.min(callerWaits, Math.min(boundNanos, operation.boundNanos()));
    endNanos = now() + this.boundNanos;
  }

  private long remainingNanos() {
    return Math.max(0, endNanos - now());
  }

  /** The part of the time that no attempt may use: the end of the operation is noted in it. */
  private long reservedNanos() {
    return Math.min(MOST_NOTING_NANOS, boundNanos / 10);
  }

  // The end is noted in any case. But a caller who has cancelled or was interrupted waits for it
  // half a second at most.
  private long notingNanos(boolean waits) {
    long least = reservedNanos() / 2;
    return waits ? Math.max(remainingNanos(), least) : least;
  }

  private boolean waits(JournalSteps.Noted noted) {
    StopReason reason = noted.report().reason();
    return stopped == 0 && reason != StopReason.CANCELLED && reason != StopReason.INTERRUPTED;
  }

  /** Every attempt ends before the server may forget the key. */
  private long sendingNanos(Claim.@Nullable Granted granted) {
    long left = Math.max(0, remainingNanos() - reservedNanos());
    Duration windowLeft = granted == null ? null : granted.windowLeft();
    if (windowLeft == null) {
      return left;
    }
    long margin = Math.min(MOST_KEY_MARGIN_NANOS, windowLeft.toNanos() / 10);
    long window = windowLeft.toNanos() - margin - (now() - steps.claimedNanos());
    return Math.max(0, Math.min(left, window));
  }

  // Cancellation.

  @Override
  public void cancel() {
    stop(1);
  }

  @Override
  public void interrupt() {
    stop(2);
  }

  @Override
  public void extendBound(long boundNanos) {
    RetryLoop<?> reached = running;
    if (reached != null && sends) {
      reached.extendBound(boundNanos);
    }
  }

  private void stop(int how) {
    stopped = how;
    RetryLoop<?> reached = running;
    if (reached == null) {
      return;
    }
    if (how == 1) {
      reached.cancel();
    } else {
      reached.interrupt();
    }
  }
}
