package dev.steadfast.retry.engine;

import java.util.concurrent.CountDownLatch;

/** A wait on the calling thread: ended by its time or by a cancellation. */
final class BlockingWait implements CancellableStep {
  private final CountDownLatch over = new CountDownLatch(1);

  /**
   * Waits until the next attempt is due.
   *
   * @throws InterruptedException if the thread was interrupted
   * @throws java.util.concurrent.RejectedExecutionException if the scheduler waits no more
   */
  void await(Operation<?> operation) throws InterruptedException {
    // A wait may end early, but a delay that a server asked for must pass: then wait again.
    long left = operation.leftToWaitNanos();
    while (left > 0 && !operation.plan().environment().scheduler().await(over, left)) {
      left = operation.leftToWaitNanos();
    }
  }

  @Override
  public void cancel() {
    over.countDown();
  }

  @Override
  public void help() {
    throw new UnsupportedOperationException(); // its own thread waits, and no other
  }

  @Override
  public long remainingNanos() {
    throw new UnsupportedOperationException(); // as above
  }
}
