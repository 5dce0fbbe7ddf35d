package dev.steadfast.retry.okhttp;

import dev.steadfast.retry.engine.Attempt;
import okhttp3.Request;

/**
 * The end of an attempt whose call, of a factory of the user's, is over and has not come by the
 * client that the factory was given. Nobody here has seen what it did instead, could bound it, or
 * keep it from being repeated. So it ends the operation.
 */
final class Bypass {
  private Bypass() {}

  /** Whether the call has failed in that way. */
  static boolean is(Throwable thrown, WireTrace wire) {
    return wire.interceptors().withinUsersCalls()
        && !wire.reached()
        && !wire.cancelledByOthers() // in the dispatcher's queue
        && !OkHttpErrors.executorRejected(thrown);
  }

  /** The exception that the caller gets in place of an answer. */
  static Throwable answered() {
    return new IllegalStateException(
        "the call factory has answered without the client that it was given: it sends by other"
            + " means, or drops the tags of requests");
  }

  /** Ends the attempt as one that may have acted. */
  static void end(Attempt<Answer> attempt, WireTrace wire, Request request, Throwable end) {
    if (!attempt.stopped()) {
      attempt.userCodeFailed(end); // first: a guard may refuse it now, and no other may follow
      if (attempt.begin(request)) {
        wire.passOn();
      }
    }
    attempt.complete(null, end);
  }
}
