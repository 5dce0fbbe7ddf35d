package dev.steadfast.retry.engine;

import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.OtherPath;
import org.jspecify.annotations.Nullable;

/**
 * One attempt on its way, as a {@link RetryTransport} sees it. A response, a failure, the timer or
 * a cancellation settles it: the first of them decides, and a later one closes the response that it
 * holds.
 *
 * <p>The loop gives it to the transport. Safe for use by many threads.
 *
 * @param <R> the response
 */
public interface Attempt<R> {

  /** {@return the identity of the operation, the same object in each of its attempts} */
  OperationInfo info();

  /** {@return the number of this attempt, from 1} */
  int number();

  /**
   * {@return the time this attempt may take from now on, in nanoseconds, for clients that bound
   * themselves: 0 if none is left, {@link Long#MAX_VALUE} for no bound}
   */
  default long timeoutNanos() {
    return Math.min(ownTimeoutNanos(), remainingNanos());
  }

  /**
   * {@return the attempt timeout that the policy sets, from the beginning of the attempt to the
   * head, in nanoseconds; {@link Long#MAX_VALUE} for none}
   */
  long ownTimeoutNanos();

  /**
   * {@return the time until the operation's deadline, in nanoseconds, for clients that bound
   * themselves: 0 if none is left; {@link Long#MAX_VALUE} for no bound, also while a request body
   * is sent and nothing but the total timeout bounds the operation}
   */
  long remainingNanos();

  /**
   * The limit of the attempt or its operation that has been reached. Clients that bound themselves
   * ask after they ended the attempt by a timeout that was set from {@link #timeoutNanos}.
   *
   * @return null if none has
   */
  @Nullable TimeUp timeUp();

  /**
   * Whether the calling thread waits for the outcome of the operation.
   *
   * @return false if {@link #complete} may come after the return of {@link RetryTransport#start}
   */
  boolean blocking();

  /**
   * Called within {@link RetryTransport#start} right before the attempt goes into a queue of the
   * client, if the client's executor may run it on the calling thread. The operation's deadline
   * applies from now on. The end of an attempt that holds no thread does not wait for the return of
   * {@code start}.
   *
   * @return false if the attempt is over already; then nothing may be queued
   */
  boolean queued();

  /**
   * Called after {@link #queued} in the place of {@link #begin}: the attempt does not begin yet.
   * The operation waits, and starts the same attempt once more. No listener is told.
   *
   * @param nanos how long the operation waits
   * @return false if the attempt is over already
   */
  boolean putOff(long nanos);

  /**
   * Replaces the bound that the operation began with, because a timeout that was part of it was
   * cancelled or does not run now. A shorter bound is set before {@link #begin}. May be called from
   * any thread. The policy's total timeout does not change.
   *
   * @param boundNanos the bound from now on; {@link Long#MAX_VALUE} for none
   */
  void extendBound(long boundNanos);

  /**
   * Called when the attempt leaves the client's own queue, before anything is sent: passes the
   * guards and starts the attempt's time.
   *
   * @param request what is sent
   * @return false if the attempt is over already; then nothing may be sent
   */
  boolean begin(Object request);

  /**
   * The attempt takes another connection than the client's usual one. Called before {@link #begin}.
   *
   * @param why the reason, for the report
   */
  void takes(OtherPath why);

  /**
   * The client begins to send a request body. The total timeout does not run until {@link
   * #bodyEnded}; an attempt timeout that the policy sets does.
   */
  void bodyStarted();

  /** The last byte of a request body was sent, or the client has given up sending it. */
  void bodyEnded();

  /**
   * The response body is not bounded by the total timeout: the caller reads it, or its handler does
   * not collect it in memory. Called after {@link #head} returned true.
   */
  void leaveBodyToCaller();

  /**
   * Restores the context of the thread that began the operation on this thread: its context class
   * loader, and what the configuration captures. It has no effect in a blocking operation without
   * listeners and debug logging.
   *
   * @return undoes it; to be run on the same thread. Neither throws.
   */
  Runnable restoreContext();

  /**
   * Enters the attempt on a thread of the client's that goes on with it: restores the context, and
   * has the listeners bind to the thread what belongs to the attempt. The thread that calls {@link
   * RetryTransport#start} is in the attempt already.
   *
   * @return undoes it; to be run on the same thread. Neither throws.
   */
  Runnable enter();

  /**
   * Sets what stops the attempt on the wire. Runs at once if the attempt was stopped already.
   *
   * @param canceller stops the attempt; may be called from any thread, and more than once
   */
  void onCancel(Runnable canceller);

  /**
   * {@return whether the timer, its rejection or a cancellation ended this attempt, so that the
   * exception that the client throws now is not the client's own}
   */
  boolean stopped();

  /**
   * Judges a response by its head, where the client shows the head before the body is collected,
   * and decides what follows. Afterwards the attempt's own timeout no longer runs, the operation's
   * deadline does.
   *
   * @param head the response, as far as it is known; passed to {@link
   *     RetryTransport#outcome(Object)}
   * @return true if the response is for the caller; false if its body is to be discarded
   */
  boolean head(R head);

  /**
   * Asks the rules about a head after which the client may send another request within the attempt,
   * or of which not all is known yet. Nothing is decided: that is done by {@link #complete}, or by
   * {@link #head} once more. As after {@link #head}, the attempt's own timeout no longer runs.
   *
   * @param head the response, as far as it is known; passed to {@link RetryTransport#verdict}
   * @return true if the response is for the caller, unless the client sends another request; false
   *     if another attempt may follow, so its body is to be kept
   */
  boolean peek(R head);

  /**
   * The client has the whole response after {@link #peek} and may send another request now. The
   * attempt's own timeout runs again from now on, from its beginning.
   */
  void awaitsHead();

  /**
   * The attempt failed because user code threw, so a retry would not help. {@link #complete} must
   * still be called. It has no effect on an attempt that was {@link #stopped}: what stops it on the
   * wire makes user code throw, too.
   *
   * @param thrown what it threw
   */
  void userCodeFailed(Throwable thrown);

  /**
   * The attempt is over. Exactly one of the arguments is given. A response that comes too late is
   * discarded.
   *
   * @param response the response
   * @param failure the failure
   */
  void complete(@Nullable R response, @Nullable Throwable failure);
}
