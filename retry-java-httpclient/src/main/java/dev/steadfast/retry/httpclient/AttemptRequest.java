package dev.steadfast.retry.httpclient;

import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;

/**
 * The request of one attempt: its body, whether the client has got it, and what stops it on the
 * wire. A base class, so that it costs no object.
 */
abstract class AttemptRequest {
  private static final AtomicReferenceFieldUpdater<AttemptRequest, Taken> TAKEN =
      AtomicReferenceFieldUpdater.newUpdater(AttemptRequest.class, Taken.class, "taken");

  private enum Taken {
    NOT_YET,
    YES,
    NEVER
  }

  private final AttemptBody body;
  private final WireStop stop = new WireStop();
  private volatile Taken taken = Taken.NOT_YET;

  AttemptRequest(AttemptBody body) {
    this.body = body;
  }

  final AttemptBody body() {
    return body;
  }

  /** Stops the attempt on the wire. */
  final WireStop stop() {
    return stop;
  }

  /**
   * Whether the client has not taken the request. It never will from then on, so the evidence of
   * the attempt stays true: a timer may end an attempt while its thread is just about to send.
   */
  final boolean notTaken() {
    return taken != Taken.YES
        && (TAKEN.compareAndSet(this, Taken.NOT_YET, Taken.NEVER) || taken == Taken.NEVER);
  }

  /** Whether the client has taken the request, and all of its body. */
  final boolean sent() {
    return taken == Taken.YES && body.written();
  }

  /**
   * The client gets the request now.
   *
   * @return false if the attempt was given up as one that sent nothing; then nothing may be sent
   */
  final boolean handOver() {
    return TAKEN.compareAndSet(this, Taken.NOT_YET, Taken.YES);
  }

  /** The client has refused the request. The JDK's own client is known to send nothing then. */
  final void notTakenByClient() {
    taken = Taken.NEVER;
  }
}
