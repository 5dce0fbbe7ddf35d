package dev.steadfast.retry.paths;

import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

/**
 * A connection that carries several requests at once, as far as an adapter can tell it from others:
 * the connection itself, or all that a client has to one origin. Safe for use by many threads.
 */
public final class WirePath {
  private static final AtomicIntegerFieldUpdater<WirePath> LIFE =
      AtomicIntegerFieldUpdater.newUpdater(WirePath.class, "life");

  private volatile boolean answered;
  private volatile int life;
  private volatile boolean multiplexed;

  /** A connection of which nothing is known. */
  public WirePath() {}

  /** A request was answered on it. */
  public void answers() {
    if (!answered) {
      answered = true;
    }
  }

  /** {@return whether a request was answered on it, so that it has been in use} */
  public boolean hasAnswered() {
    return answered;
  }

  /** Something came on it: a response head, or a byte of a body. */
  public void alive() {
    LIFE.incrementAndGet(this);
  }

  /** {@return a number that changes with every sign of life} */
  public int life() {
    return life;
  }

  /**
   * The client has shown by which protocol it was answered.
   *
   * @param several whether several requests share the connection
   */
  public void multiplexes(boolean several) {
    if (multiplexed != several) {
      multiplexed = several;
    }
  }

  /**
   * {@return whether several requests share the connection, so that the client keeps it after a
   * timeout; false until {@link #multiplexes} has said so}
   */
  public boolean multiplexes() {
    return multiplexed;
  }
}
