package dev.steadfast.retry.http;

import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.engine.RetryLoop;
import dev.steadfast.retry.engine.RetryTransport;
import dev.steadfast.retry.http.OperationJournal.Claim;
import dev.steadfast.retry.internal.CallContext;
import java.time.Duration;
import java.util.Objects;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A journaled operation: it is claimed in the journal, sent by the usual loop, and noted in the
 * journal before its caller is told. Confined like the loops that it is made of.
 */
final class JournaledLoop<R> implements RetryLoop<R> {
  private static final long MOST_NOTING_NANOS = Duration.ofSeconds(1).toNanos();
  private static final long MOST_KEY_MARGIN_NANOS = Duration.ofSeconds(1).toNanos();

  private final JournaledOperation operation;
  private final RetryTransport<R> client;
  private final JournalSteps<R> steps;

  private long boundNanos; // of the operation
  private long endNanos;

  private volatile @Nullable RetryLoop<?> running;
  private volatile int stopped; // 1: cancelled, 2: interrupted

  JournaledLoop(
      JournaledOperation operation,
      RetryTransport<R> client,
      OperationJournal.AnswerCodec<R> codec) {
    this.operation = operation;
    this.client = client;
    this.steps = new JournalSteps<>(operation, client, codec);
  }

  @Override
  public R run(long boundNanos) throws Throwable {
    begin(boundNanos);
    StepEnd<Claim> claimed = run(steps.claiming(true), remainingNanos());
    StepEnd<R> end = steps.withoutSending(claimed);
    if (end == null) {
      Claim.@Nullable Granted granted = JournalSteps.granted(claimed);
      long nanos = sendingNanos(granted);
      StepEnd<R> sent = run(steps.sending(nanos), nanos);
      JournalSteps.Noted noted = steps.noted(granted, sent);
      end = steps.told(noted, sent, note(noted));
    }
    client.over();
    Throwable thrown = end.thrown();
    if (thrown != null) {
      throw thrown;
    }
    return Objects.requireNonNull(end.value());
  }

  // An interrupt is kept for the caller.
  private StepEnd<Boolean> note(JournalSteps.Noted noted) {
    running = null;
    boolean interrupted = Thread.interrupted();
    try {
      boolean waits = !interrupted && waits(noted);
      return ended(steps.noting(noted, true), notingNanos(waits));
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private <T> StepEnd<T> run(RetryLoop<T> loop, long nanos) {
    enter(loop);
    return ended(loop, nanos);
  }

  private static <T> StepEnd<T> ended(RetryLoop<T> loop, long nanos) {
    try {
      return StepEnd.of(loop.run(nanos));
    } catch (Throwable thrown) {
      return StepEnd.failed(thrown);
    }
  }

  @Override
  public void start(long boundNanos, BiConsumer<@Nullable R, @Nullable Throwable> completion) {
    begin(boundNanos);
    start(
        steps.claiming(false),
        remainingNanos(),
        claimed -> {
          StepEnd<R> early = steps.withoutSending(claimed);
          if (early != null) {
            finish(early, completion);
            return;
          }
          Claim.@Nullable Granted granted = JournalSteps.granted(claimed);
          long nanos = sendingNanos(granted);
          start(
              steps.sending(nanos),
              nanos,
              sent -> {
                JournalSteps.Noted noted = steps.noted(granted, sent);
                running = null; // noted all the same if it is cancelled now
                steps
                    .noting(noted, false)
                    .start(
                        notingNanos(waits(noted)),
                        (held, thrown) ->
                            finish(
                                steps.told(noted, sent, new StepEnd<>(held, thrown)), completion));
              });
        });
  }

  /** Gets the end of a part. */
  private interface Next<T> {
    void go(StepEnd<T> end);
  }

  private <T> void start(RetryLoop<T> loop, long nanos, Next<T> next) {
    enter(loop);
    loop.start(nanos, (value, thrown) -> next.go(new StepEnd<>(value, thrown)));
  }

  @Override
  public void discard(R response) {
    client.discard(response);
  }

  private void finish(StepEnd<R> end, BiConsumer<@Nullable R, @Nullable Throwable> completion) {
    client.over();
    completion.accept(end.value(), end.thrown());
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

  private void enter(RetryLoop<?> loop) {
    running = loop;
    if (stopped == 1) {
      loop.cancel();
    } else if (stopped == 2) {
      loop.interrupt();
    }
  }

  @Override
  public void cancel() {
    stop(1);
  }

  @Override
  public void interrupt() {
    stop(2);
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
