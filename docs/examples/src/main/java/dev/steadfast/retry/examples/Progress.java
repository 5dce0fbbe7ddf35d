package dev.steadfast.retry.examples;

import java.io.Console;
import java.time.Duration;

/**
 * Shows on a terminal what goes on while it does. Where the output goes to a file or a pipe,
 * nothing is shown.
 */
final class Progress implements AutoCloseable {
  private static final boolean TERMINAL = terminal();
  private static final Duration PERIOD = Duration.ofMillis(100);
  private static final int BAR = 25;
  private static final String WIPE = "\r" + " ".repeat(95) + "\r";

  private final String title;
  private final int operations;
  private final Counter counter;
  private final Thread painter = new Thread(this::paint, "progress");
  private volatile boolean over;

  Progress(String title, int operations, Counter counter) {
    this.title = title;
    this.operations = operations;
    this.counter = counter;
    if (TERMINAL) {
      painter.setDaemon(true);
      painter.start();
    }
  }

  // Before JDK 22 a console is a terminal; since then it has to be asked.
  @SuppressWarnings("SystemConsoleNull")
  private static boolean terminal() {
    Console console = System.console();
    if (console == null) {
      return false;
    }
    try {
      return (boolean) Console.class.getMethod("isTerminal").invoke(console);
    } catch (ReflectiveOperationException before22) {
      return true;
    }
  }

  private void paint() {
    while (!over) {
      int done = counter.ended() * BAR / operations;
      System.out.printf(
          "\r   %-18s [%s%s] %3d of %d   attempts %3d   waiting %3d ",
          title,
          "#".repeat(done),
          ".".repeat(BAR - done),
          counter.ended(),
          operations,
          counter.attempts(),
          counter.waiting());
      System.out.flush();
      DemoThreads.sleep(PERIOD);
    }
    System.out.print(WIPE);
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
