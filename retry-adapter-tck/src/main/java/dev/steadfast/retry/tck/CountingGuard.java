package dev.steadfast.retry.tck;

import dev.steadfast.retry.Guard;
import dev.steadfast.retry.OperationInfo;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A guard that admits all attempts except those that a row names, and records the calls of its
 * permits.
 */
final class CountingGuard implements Guard {
  private final List<String> answers = new ArrayList<>();
  private int refusedAttempt;
  private int answeredQuestion;
  private long admitsInNanos;
  private int questions;
  private int acquired;

  /** Refuses the n-th attempt when its turn has come. */
  synchronized void refuseAttempt(int number) {
    refusedAttempt = number;
  }

  /** Answers the n-th question: no attempt would ever be admitted. */
  synchronized void refuseWhenAsked(int number) {
    answeredQuestion = number;
    admitsInNanos = NEVER;
  }

  /** Answers the n-th question: an attempt would be admitted after that delay. */
  synchronized void admitsAfter(int number, Duration delay) {
    answeredQuestion = number;
    admitsInNanos = delay.toNanos();
  }

  @Override
  public synchronized long admitsInNanos(OperationInfo operation, long nowNanos) {
    return ++questions == answeredQuestion ? admitsInNanos : 0;
  }

  @Override
  public synchronized Permit acquire(OperationInfo operation, long nowNanos) {
    if (acquired + 1 == refusedAttempt) {
      refusedAttempt = 0;
      throw new IllegalStateException("no permit");
    }
    answers.add("open");
    return new CountingPermit(acquired++);
  }

  private synchronized void answer(int number, String answer) {
    String before = answers.get(number);
    answers.set(number, before.equals("open") ? answer : before + " and " + answer);
  }

  /** Forgets the calls before the row's own. */
  synchronized void arm() {
    answers.clear();
    acquired = 0;
    questions = 0;
  }

  /** The name in reports. */
  @Override
  public String toString() {
    return "the test's guard";
  }

  /** {@code succeeded}, {@code failed} or {@code released}; {@code open} if never answered. */
  synchronized List<String> answers() {
    return List.copyOf(answers);
  }

  private final class CountingPermit implements Permit {
    private final int number;

    CountingPermit(int number) {
      this.number = number;
    }

    @Override
    public void succeeded(long elapsedNanos) {
      answer(number, "succeeded");
    }

    @Override
    public void failed(Guard.Failure how, Throwable failure) {
      answer(number, "failed");
    }

    @Override
    public void released() {
      answer(number, "released");
    }
  }
}
