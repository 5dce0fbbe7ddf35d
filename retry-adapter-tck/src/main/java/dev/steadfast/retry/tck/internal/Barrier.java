package dev.steadfast.retry.tck.internal;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A place where a journal hangs until a test lets it go on. Interrupts do not help. */
public final class Barrier implements JournalUnderTest.Fault {
  private static final long PATIENCE_SECONDS = 20;

  private final CountDownLatch reached = new CountDownLatch(1);
  private final CountDownLatch open = new CountDownLatch(1);

  /** A barrier that is shut. */
  public Barrier() {}

  @Override
  public void happen() {
    reached.countDown();
    boolean interrupted = false;
    while (true) {
      try {
        assertTrue(open.await(PATIENCE_SECONDS, TimeUnit.SECONDS), "nobody has let it go on");
        break;
      } catch (InterruptedException again) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Waits until the journal hangs here. */
  public void awaitReached() throws InterruptedException {
    assertTrue(reached.await(PATIENCE_SECONDS, TimeUnit.SECONDS), "the journal was not called");
  }

  /** Lets the journal go on, now and for good. */
  public void open() {
    open.countDown();
  }
}
