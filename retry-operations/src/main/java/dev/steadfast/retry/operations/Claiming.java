package dev.steadfast.retry.operations;

import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.engine.Attempt;
import dev.steadfast.retry.engine.RetryTransport;
import dev.steadfast.retry.operations.OperationJournal.Claim;
import dev.steadfast.retry.operations.OperationJournal.RefusedException;
import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Claims an operation in its journal: its first attempt is put off until the journal grants the
 * claim. Confined like the loop that it belongs to.
 */
final class Claiming<R> {
  private static final Backoff POLLS =
      Backoff.fullJitter(Duration.ofMillis(20), Duration.ofSeconds(1));
  private static final long MOST_NOTING_NANOS = Duration.ofSeconds(1).toNanos();
  private static final long MOST_KEY_MARGIN_NANOS = Duration.ofSeconds(1).toNanos();

  private final JournaledOperation operation;
  private final RetryTransport<R> client;
  private final EndRecorder<R> noting;
  private final JournalCalls calls;
  private final ClaimRefusal<R> refusal;
  private final AtomicReference<@Nullable SendPermission> leave = new AtomicReference<>();

  private boolean begun;
  private long boundNanos; // of the operation, from its first claim
  private volatile long endNanos;
  private volatile long sendUntilNanos;
  private int polls;
  private long waitedNanos; // before the latest poll
  private volatile long claimedNanos;
  private volatile boolean reached; // the journal has answered this call
  private volatile @Nullable EndWithoutSending<R> unsent;

  /**
   * The permission to send.
   *
   * @param claim what the journal granted; null if it cannot be reached, and is not needed
   */
  record SendPermission(Claim.@Nullable Granted claim) {}

  Claiming(
      JournaledOperation operation,
      RetryTransport<R> client,
      ClaimRefusal<R> refusal,
      EndRecorder<R> noting) {
    this.operation = operation;
    this.client = client;
    this.refusal = refusal;
    this.noting = noting;
    this.calls = operation.calls();
  }

  /** Whether attempts may be sent. */
  boolean granted() {
    return leave.get() != null;
  }

  /** Takes the permission to send; whoever takes it tells the journal what came of it. */
  @Nullable SendPermission take() {
    return leave.getAndSet(null);
  }

  /** The reason why nothing is sent, null if that is not known here. */
  @Nullable EndWithoutSending<R> unsent(@Nullable Throwable thrown) {
    EndWithoutSending<R> end = unsent;
    return end != null && Objects.equals(end.thrown(), thrown) ? end : null;
  }

  /** Claims the operation within an attempt that is then put off, or ends the operation. */
  void start(Attempt<R> attempt) {
    begin(attempt);
    if (!attempt.queued()) {
      return;
    }
    CompletableFuture<Claim> asked = calls.ask(this::claim, this::release);
    attempt.onCancel(() -> asked.cancel(false));
    if (attempt.blocking()) {
      await(attempt, asked);
    } else {
      calls.then(asked, (claim, thrown) -> claimed(attempt, claim, thrown));
    }
  }

  private void begin(Attempt<R> attempt) {
    if (!begun) {
      begun = true;
      boundNanos = Math.min(attempt.remainingNanos(), operation.boundNanos());
      endNanos = now() + boundNanos;
    }
  }

  private Claim claim() throws IOException {
    claimedNanos = now();
    Claim claim = operation.journal().claim(operation.intent(), operation.lease());
    reached = true;
    return claim instanceof Claim.Granted granted && !sendable(granted)
        ? new Claim.InFlight() // somebody took it meanwhile
        : claim;
  }

  // The claim is written, so a journal that cannot be reached now is no reason to send without it.
  private boolean sendable(Claim.Granted granted) throws IOException {
    try {
      return operation.journal().sending(operation.intent(), granted);
    } catch (RefusedException lost) {
      throw new IOException("the journal was lost after the claim", lost);
    }
  }

  private void await(Attempt<R> attempt, CompletableFuture<Claim> asked) {
    try {
      claimed(attempt, asked.get(), null);
    } catch (ExecutionException failed) {
      claimed(attempt, null, failed.getCause());
    } catch (CancellationException over) {
      attempt.complete(null, over); // the attempt has ended already
    } catch (InterruptedException interrupted) {
      if (!asked.cancel(false) && !asked.isCompletedExceptionally()) {
        release(asked.join()); // it came together with the interrupt
      }
      Throwable told = client.failure(RetryTransport.End.INTERRUPTED, interrupted);
      RetryReport report = JournaledReport.notSent(StopReason.INTERRUPTED, operation.info());
      end(attempt, EndWithoutSending.failed(told, report));
    }
  }

  private void claimed(Attempt<R> attempt, @Nullable Claim claim, @Nullable Throwable thrown) {
    try {
      if (claim instanceof Claim.InFlight && operation.waits() && putOff(attempt)) {
        return;
      }
      EndWithoutSending<R> end = refusal.end(claim, thrown, reached);
      if (end != null) {
        end(attempt, end);
      } else {
        send(attempt, claim instanceof Claim.Granted granted ? granted : null);
      }
    } catch (Throwable broken) {
      attempt.complete(null, broken);
    }
  }

  private void end(Attempt<R> attempt, EndWithoutSending<R> end) {
    unsent = end;
    attempt.complete(end.response(), end.thrown());
  }

  /** Polls again later, if there is time for that. */
  private boolean putOff(Attempt<R> attempt) {
    polls++;
    waitedNanos = POLLS.delayNanos(polls, waitedNanos, operation.plan().environment().random());
    if (waitedNanos >= attempt.remainingNanos()) {
      return false;
    }
    attempt.putOff(waitedNanos);
    return true;
  }

  private void send(Attempt<R> attempt, Claim.@Nullable Granted granted) {
    long nanos = sendingNanos(granted);
    sendUntilNanos = now() + nanos;
    SendPermission given = new SendPermission(granted);
    leave.set(given);
    attempt.extendBound(nanos);
    if (!attempt.putOff(0) && leave.compareAndSet(given, null) && granted != null) {
      release(granted);
    }
  }

  // Gives back a claim that came too late: nobody waits for it, and nothing is sent.
  private void release(Claim claim) {
    if (claim instanceof Claim.Granted granted) {
      noting.release(granted);
    }
  }

  // Time.

  private long now() {
    return operation.now();
  }

  /** Every attempt ends before the server may forget the key. */
  private long sendingNanos(Claim.@Nullable Granted granted) {
    long left = Math.max(0, remainingNanos() - reservedNanos());
    Duration windowLeft = granted == null ? null : granted.windowLeft();
    if (windowLeft == null) {
      return left;
    }
    long margin = Math.min(MOST_KEY_MARGIN_NANOS, windowLeft.toNanos() / 10);
    long window = windowLeft.toNanos() - margin - (now() - claimedNanos);
    return Math.max(0, Math.min(left, window));
  }

  /**
   * The time that attempts may still take. The claim and the server's key expire, so no attempt
   * goes on after that, even if the caller lifts its timeout, or if an upload extends it.
   */
  long mostNanos(long nowNanos) {
    return granted() ? Math.max(0, sendUntilNanos - nowNanos) : Long.MAX_VALUE;
  }

  private long remainingNanos() {
    return Math.max(0, endNanos - now());
  }

  // The part of the time that no attempt may use: the end of the operation is noted in it.
  private long reservedNanos() {
    return Math.min(MOST_NOTING_NANOS, boundNanos / 10);
  }

  /**
   * The time to wait until the end is noted: what is left, and half a second at most if none is.
   */
  long notingNanos() {
    return Math.max(remainingNanos(), reservedNanos() / 2);
  }

  /**
   * The time when the latest claim was begun. Its lease and the time of its key begin later than
   * that.
   */
  long claimedNanos() {
    return claimedNanos;
  }
}
