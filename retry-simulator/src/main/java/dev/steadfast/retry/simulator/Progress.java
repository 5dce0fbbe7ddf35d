package dev.steadfast.retry.simulator;

import java.io.PrintStream;

/**
 * A line that says how far the work is. Written to a terminal as it goes, and elsewhere only once
 * the work has taken a while. Safe for use by many threads.
 */
final class Progress {
  private static final long QUIET_NANOS = 10 * Durations.SECOND;

  private final PrintStream out;
  private final boolean terminal;
  private String what = "";
  private long total;
  private long done;
  private int shownPercent = -1;
  private long lastLineNanos;

  Progress(PrintStream out, boolean terminal) {
    this.out = out;
    this.terminal = terminal;
    this.lastLineNanos = System.nanoTime();
  }

  /** Says nothing. */
  static Progress silent() {
    return new Progress(new PrintStream(java.io.OutputStream.nullOutputStream()), true);
  }

  synchronized void begin(String what, long total) {
    this.what = what;
    this.total = total;
    this.done = 0;
    this.shownPercent = -1;
    show();
  }

  synchronized void step() {
    done++;
    show();
  }

  synchronized void end() {
    if (terminal) {
      out.print("\r\033[K");
      out.flush();
    }
  }

  private void show() {
    int percent = total == 0 ? 100 : (int) (100L * done / total);
    if (terminal && percent != shownPercent) {
      shownPercent = percent;
      out.print("\r\033[K" + what + " " + percent + " %");
      out.flush();
    } else if (!terminal && System.nanoTime() - lastLineNanos > QUIET_NANOS) {
      lastLineNanos = System.nanoTime();
      out.println(what + " " + percent + " %");
    }
  }
}
