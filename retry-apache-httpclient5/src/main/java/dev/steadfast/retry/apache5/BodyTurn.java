package dev.steadfast.retry.apache5;

import java.io.IOException;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.hc.core5.http.nio.AsyncEntityProducer;
import org.jspecify.annotations.Nullable;

/**
 * Lets one attempt at a time send the caller's request body. The thread of an attempt that was
 * given up may still be about to produce a part of it, while another thread begins the next
 * attempt.
 */
final class BodyTurn {
  private final @Nullable AsyncEntityProducer producer;
  private final ReentrantLock lock = new ReentrantLock();
  private volatile @Nullable WireTrace owner; // written under the lock
  private boolean begun; // guarded by the lock

  BodyTurn(@Nullable AsyncEntityProducer producer) {
    this.producer = producer;
  }

  /** Produces a part of the body. */
  interface Part {
    void run() throws IOException;
  }

  /** The next attempt begins: the body starts anew, and only this attempt gets it. */
  void begins(WireTrace attempt) {
    lock.lock();
    try {
      owner = attempt;
      if (begun && producer != null) { // until then it stays whole: it may be read once
        producer.releaseResources();
      }
    } finally {
      lock.unlock();
    }
  }

  boolean isOf(WireTrace attempt) {
    return attempt.equals(owner);
  }

  /** Produces a part, unless it is the turn of another attempt by now. */
  void produce(WireTrace attempt, Part part) throws IOException {
    lock.lock();
    try {
      if (isOf(attempt)) {
        begun = true;
        part.run();
      }
    } finally {
      lock.unlock();
    }
  }
}
