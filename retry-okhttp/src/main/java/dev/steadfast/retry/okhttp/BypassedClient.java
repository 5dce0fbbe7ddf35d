package dev.steadfast.retry.okhttp;

import dev.steadfast.retry.engine.Attempt;
import okhttp3.Request;

/**
 * The end of an attempt whose call was sent by other means. A factory of the user's made the call,
 * and has not used the client that it was given. The library has not seen what was sent, and can
 * neither bound nor count it. So the operation ends.
 */
final class BypassedClient {
  private BypassedClient() {}

  /** Whether the call has failed without using that client. */
  static boolean is(Throwable thrown, WireTrace wire) {
    return wire.interceptors().withinUsersCalls()
        && !wire.reached()
        && !wire.cancelledByOthers() // while it was in the dispatcher's queue
        && !OkHttpErrors.executorRejected(thrown);
  }

  /** The exception that the caller gets in place of an answer. */
  static Throwable answered() {
    return new IllegalStateException(
        "the call factory has answered without the client that it was given: it sends by other"
            + " means, or drops the tags of requests");
  }

  /** Ends the attempt as one that may have acted. */
  static void end(Attempt<OkHttpAnswer> attempt, WireTrace wire, Request request, Throwable end) {
    if (!attempt.stopped()) {
      attempt.userCodeFailed(end); // first: a guard may refuse to begin it, and no other may follow
      if (attempt.begin(request)) {
        wire.passOn();
      }
    }
    attempt.complete(null, end);
  }
}
