package dev.steadfast.retry.simulator;

import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.engine.Decider;
import dev.steadfast.retry.engine.Outcome;

/** One run of the contention model. */
final class Race {
  private static final long HOP_NANOS = 10_000_000;

  private final EventQueue time = new EventQueue();
  private final Draws draws;
  private final Course course;
  private final RetryBudget.Account budget = RetryBudget.unlimited().account("row");
  private long version;
  private long calls;
  private long gaveUp;

  /** The course that is the same for all runs. */
  record Course(RetryPolicy policy, int clients, long deviationNanos) {
    Result run(Draws draws) {
      return new Race(this, draws).run();
    }
  }

  /**
   * The result of a run.
   *
   * @param calls the writes
   * @param endNanos when the last client heard of its success
   * @param gaveUp clients whose policy ended before they had written
   */
  record Result(long calls, long endNanos, long gaveUp) {}

  private Race(Course course, Draws draws) {
    this.course = course;
    this.draws = draws;
  }

  private Result run() {
    for (int i = 0; i < course.clients(); i++) {
      new Client().begin();
    }
    time.runAll();
    return new Result(calls, time.nowNanos(), gaveUp);
  }

  private long hop() {
    double deviation = course.deviationNanos();
    return deviation == 0 ? HOP_NANOS : (long) Math.abs(HOP_NANOS + deviation * draws.gaussian());
  }

  /** Reads, writes and gets the result; then waits and begins again, as its policy says. */
  private final class Client {
    private final Decider decider = Decider.begin(course.policy(), budget, draws.generator(), 0);
    private long read;
    private boolean written;

    void begin() {
      attemptAfter(0);
    }

    private void attemptAfter(long waitNanos) {
      time.schedule(waitNanos + hop(), this::read);
    }

    private void read() {
      decider.startAttempt();
      read = version;
      time.schedule(hop() + hop(), this::write);
    }

    private void write() {
      calls++;
      written = read == version;
      version += written ? 1 : 0;
      time.schedule(hop(), this::hear);
    }

    private void hear() {
      Outcome outcome = written ? Outcomes.ACCEPTED : Outcomes.CONFLICT;
      long delay = decider.next(outcome, time.nowNanos());
      if (decider.end().isEmpty()) {
        attemptAfter(delay);
      } else {
        gaveUp += written ? 0 : 1;
      }
    }
  }
}
