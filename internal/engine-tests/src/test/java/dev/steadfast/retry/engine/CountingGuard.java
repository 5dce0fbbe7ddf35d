package dev.steadfast.retry.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.steadfast.retry.Guard;
import dev.steadfast.retry.OperationInfo;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;

/** A guard that counts what it hands out and what comes back. */
final class CountingGuard implements Guard {
  private final AtomicInteger asked = new AtomicInteger();
  private final AtomicInteger acquired = new AtomicInteger();
  private final AtomicInteger held = new AtomicInteger();
  private final List<String> answers = Collections.synchronizedList(new ArrayList<>());
  private final Set<Integer> refusedQuestions = new TreeSet<>();
  private final Set<Integer> refusedAcquisitions = new TreeSet<>();

  /** Refuses the question of this number, from 1: a refusal that is known before the wait. */
  CountingGuard refusingQuestion(int number) {
    refusedQuestions.add(number);
    return this;
  }

  /** Refuses the acquisition of this number, from 1: the attempt itself. */
  CountingGuard refusingAttempt(int number) {
    refusedAcquisitions.add(number);
    return this;
  }

  @Override
  public long admitsInNanos(OperationInfo operation, long nowNanos) {
    return refusedQuestions.contains(asked.incrementAndGet()) ? NEVER : 0;
  }

  @Override
  public Permit acquire(OperationInfo operation, long nowNanos) {
    int number = acquired.incrementAndGet();
    if (refusedAcquisitions.contains(number)) {
      throw new IllegalStateException("guard refused no. " + number);
    }
    held.incrementAndGet();
    return new CountedPermit(number);
  }

  private final class CountedPermit implements Permit {
    private final AtomicInteger answered = new AtomicInteger();
    private final int number;

    CountedPermit(int number) {
      this.number = number;
    }

    private void answer(String how) {
      held.decrementAndGet();
      answers.add(number + " " + how + (answered.incrementAndGet() > 1 ? " AGAIN" : ""));
    }

    @Override
    public void succeeded(long elapsedNanos) {
      answer("succeeded");
    }

    @Override
    public void failed(Guard.Failure how, Throwable failure) {
      answer("failed " + failure.getClass().getSimpleName());
    }

    @Override
    public void released() {
      answer("released");
    }
  }

  String answers() {
    return String.join(", ", answers);
  }

  /** Every permit was answered, and none twice. */
  void verify() {
    int granted = acquired.get() - (int) refusedAcquisitions.stream().filter(this::tried).count();
    assertEquals(granted, answers.size(), this::answers);
    assertEquals(0, held.get(), this::answers);
    assertEquals(-1, answers().indexOf("AGAIN"), this::answers);
  }

  private boolean tried(int number) {
    return number <= acquired.get();
  }
}
