package dev.steadfast.retry.examples;

import dev.steadfast.retry.DelayReason;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.RetryListener;
import dev.steadfast.retry.RetryReport;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Counts what goes on, and shows it on a terminal while it does. Nothing is shown where the output
 * goes to a file or a pipe.
 */
final class Progress implements RetryListener, AutoCloseable {
  private static final boolean TERMINAL = System.console() != null;
  private static final Duration PERIOD = Duration.ofMillis(100);
  private static final int BAR = 25;

  private final String title;
  private final int operations;
  private final AtomicInteger attempts = new AtomicInteger();
  private final AtomicInteger waiting = new AtomicInteger();
  private final AtomicInteger ended = new AtomicInteger();
  private volatile boolean over;
  private final Thread painter = new Thread(this::paint, "progress");

  Progress(String title, int operations) {
    this.title = title;
    this.operations = operations;
    if (TERMINAL) {
      painter.setDaemon(true);
      painter.start();
    }
  }

  @Override
  public void attemptStarted(OperationInfo operation, int attempt, Object request) {
    attempts.incrementAndGet();
    waiting.addAndGet(attempt > 1 ? -1 : 0);
  }

  @Override
  public void waiting(OperationInfo operation, Duration delay, DelayReason why) {
    waiting.incrementAndGet();
  }

  @Override
  public void ended(OperationInfo operation, RetryReport report) {
    ended.incrementAndGet();
  }

  /** How many attempts were made so far. */
  int attempts() {
    return attempts.get();
  }

  private void paint() {
    while (!over) {
      int done = ended.get() * BAR / operations;
      System.out.printf(
          "\r   %-18s [%s%s] %3d of %d   attempts %3d   waiting %3d ",
          title,
          "#".repeat(done),
          ".".repeat(BAR - done),
          ended.get(),
          operations,
          attempts.get(),
          waiting.get());
      System.out.flush();
      DemoThreads.sleep(PERIOD);
    }
    System.out.print("\r" + " ".repeat(95) + "\r");
  }

  /** Wipes the line. */
  @Override
  public void close() {
    over = true;
    try {
      painter.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
