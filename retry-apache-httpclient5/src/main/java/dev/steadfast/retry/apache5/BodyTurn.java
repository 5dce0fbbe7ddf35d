package dev.steadfast.retry.apache5;

import java.io.IOException;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.hc.core5.http.nio.AsyncEntityProducer;

/**
 * Lets one attempt at a time send the caller's request body. The thread of an attempt that was
 * given up may still be about to produce a part of it, while another thread begins the next
 * attempt.
 */
final class BodyTurn {
  private final AsyncEntityProducer producer;
  private final ReentrantLock lock = new ReentrantLock();
  private boolean begun; // guarded by the lock

  BodyTurn(AsyncEntityProducer producer) {
    this.producer = producer;
  }

  /** Produces a part of the body. */
  interface Part {
    void run() throws IOException;
  }

  /** Another attempt is the current one: the body starts anew, and only this attempt gets it. */
  void begins() {
    lock.lock();
    try {
      if (begun) { // until then it stays whole: it may be read once
        producer.releaseResources();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Produces a part, unless another attempt is the current one by now. */
  void produce(WireTrace attempt, Part part) throws IOException {
    lock.lock();
    try {
      if (attempt.isCurrent()) {
        begun = true;
        part.run();
      }
    } finally {
      lock.unlock();
    }
  }
}
