package dev.steadfast.retry.tck;

import dev.steadfast.retry.AttemptReport;
import dev.steadfast.retry.DelayReason;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.RetryListener;
import dev.steadfast.retry.RetryReport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Records the events of a listener: {@code attempt 1: 503 UNAVAILABLE answered; wait 100ms backoff;
 * attempt 2: 200; done ACCEPTED 2}.
 *
 * <p>An attempt that was started but not ended has nothing behind its number. The reason of the end
 * is followed by the number of attempts, the server delay of the last answer and {@code replayed},
 * if there are any. It also checks that the start comes first, and only once.
 */
final class Recorder implements RetryListener {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final Running run;
  private final List<String> lines = new ArrayList<>();
  private final List<Object> requests = new ArrayList<>();
  private final List<AttemptReport> attempts = new ArrayList<>();
  private @Nullable OperationInfo operation;
  private @Nullable RetryReport report;
  private boolean armed;
  private int waits;

  Recorder(Running run) {
    this.run = run;
  }

  /** Begins to record. The calls before the row's own do not count. */
  synchronized void arm() {
    armed = true;
  }

  synchronized boolean armed() {
    return armed;
  }

  @Override
  public void operationStarted(OperationInfo operation) {
    if (add(operation, null)) {
      run.reached(Scenario.Moment.STARTED, 1);
    }
  }

  @Override
  public void attemptStarted(OperationInfo operation, int attempt, Object request) {
    if (add(operation, "attempt " + attempt)) {
      synchronized (this) {
        requests.add(request);
      }
      run.reached(Scenario.Moment.ATTEMPT, attempt);
    }
  }

  @Override
  public void attemptEnded(OperationInfo operation, AttemptReport attempt) {
    String what = "attempt " + attempt.number();
    synchronized (this) {
      boolean begun = !lines.isEmpty() && lines.get(lines.size() - 1).equals(what);
      if (armed && begun) {
        lines.remove(lines.size() - 1);
      } else {
        what += " not started";
      }
    }
    if (add(operation, what + ": " + outcome(attempt))) {
      synchronized (this) {
        attempts.add(attempt);
      }
      run.reached(Scenario.Moment.ATTEMPT_ENDED, attempt.number());
    }
  }

  @Override
  public void waiting(OperationInfo operation, Duration delay, DelayReason why) {
    if (add(operation, "wait " + print(delay) + " " + why)) {
      run.reached(Scenario.Moment.BEFORE_WAIT, waits());
    }
  }

  @Override
  public void ended(OperationInfo operation, RetryReport report) {
    StringBuilder done = new StringBuilder("done ").append(report.reason().name());
    done.append(' ').append(report.attempts());
    report
        .serverDelay()
        .ifPresent(serverDelay -> done.append(" server delay ").append(print(serverDelay)));
    add(operation, done + (report.replayed() ? " replayed" : ""));
    synchronized (this) {
      this.report = report;
      notifyAll();
    }
  }

  /** Waits for the last event: a future that is cancelled is done before its operation is. */
  synchronized void awaitEnd() throws InterruptedException {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (operation != null && report == null && System.nanoTime() - end < 0) {
      wait(PATIENCE.toMillis());
    }
  }

  private static String outcome(AttemptReport attempt) {
    List<String> words = new ArrayList<>();
    attempt.status().ifPresent(status -> words.add(Integer.toString(status)));
    attempt
        .kind()
        .ifPresent(kind -> {
          words.add(kind.name());
          words.add(attempt.disposition().name().toLowerCase(Locale.ROOT));
        });
    return String.join(" ", words);
  }

  private synchronized boolean add(OperationInfo told, @Nullable String line) {
    if (!armed) {
      return false;
    }
    if (line == null) {
      if (operation != null) {
        lines.add("started again");
      }
      operation = told;
    } else {
      lines.add(told == operation ? line : "of another operation: " + line);
      waits += line.startsWith("wait ") ? 1 : 0;
    }
    return true;
  }

  /** The number of the last wait. */
  synchronized int waits() {
    return waits;
  }

  synchronized String trace() {
    return String.join("; ", lines);
  }

  synchronized @Nullable OperationInfo operation() {
    return operation;
  }

  synchronized @Nullable RetryReport report() {
    return report;
  }

  synchronized List<Object> requests() {
    return List.copyOf(requests);
  }

  synchronized List<AttemptReport> attempts() {
    return List.copyOf(attempts);
  }

  static String print(Duration duration) {
    long nanos = duration.toNanos();
    if (nanos == Long.MAX_VALUE) {
      return "for ever";
    }
    if (nanos % 1_000_000_000 == 0) {
      return nanos / 1_000_000_000 + "s";
    }
    return nanos % 1_000_000 == 0 ? nanos / 1_000_000 + "ms" : nanos + "ns";
  }
}
