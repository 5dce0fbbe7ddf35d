package dev.steadfast.retry.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.AttemptReport;
import dev.steadfast.retry.DelayReason;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.RetryListener;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.internal.Durations;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Writes down the events of one operation, as in {@code 1 IOException, wait 100ms backoff, 2 ok,
 * accepted}, and checks that they come complete and in order.
 */
final class EventLog implements RetryListener {
  private final List<String> trace = new ArrayList<>();
  private final List<String> violations = new ArrayList<>();
  private final CountDownLatch over = new CountDownLatch(1);
  private @Nullable OperationInfo operation;
  private @Nullable RetryReport report;
  private int started;
  private boolean open;

  @Override
  public void operationStarted(OperationInfo operation) {
    expect(this.operation == null, "started twice");
    this.operation = operation;
  }

  @Override
  public void attemptStarted(OperationInfo operation, int attempt, Object request) {
    expectSame(operation);
    expect(!open, "attempt " + attempt + " started within another");
    expect(attempt == started + 1, "attempt " + attempt + " after " + started);
    started = attempt;
    open = true;
  }

  @Override
  public void attemptEnded(OperationInfo operation, AttemptReport attempt) {
    expectSame(operation);
    expect(open && attempt.number() == started, "attempt " + attempt + " ended unstarted");
    open = false;
    trace.add(attempt.number() + " " + (attempt.kind().isPresent() ? outcome(attempt) : "ok"));
  }

  private static String outcome(AttemptReport attempt) {
    return attempt.failure().isPresent() ? attempt.outcome() : attempt.kind().orElseThrow() + "";
  }

  @Override
  public void waiting(OperationInfo operation, Duration delay, DelayReason why) {
    expectSame(operation);
    expect(!open && started > 0, "waiting within an attempt or before the first");
    trace.add("wait " + Durations.print(delay) + " " + why);
  }

  @Override
  public void ended(OperationInfo operation, RetryReport report) {
    expectSame(operation);
    expect(!open, "ended within an attempt");
    expect(this.report == null, "ended twice");
    this.report = report;
    trace.add(report.reason().toString());
    over.countDown();
  }

  private void expectSame(OperationInfo other) {
    // Identity: each operation has an object of its own, for use as a key.
    expect(other.equals(operation), "an event of another operation");
    expect(report == null, "an event after the end");
  }

  private void expect(boolean holds, String otherwise) {
    if (!holds) {
      violations.add(otherwise);
    }
  }

  /** Waits, in real time, until the operation is over. */
  EventLog awaitEnd() throws InterruptedException {
    assertTrue(over.await(30, TimeUnit.SECONDS), () -> "not over after " + trace);
    return this;
  }

  boolean began() {
    return operation != null;
  }

  int attemptsStarted() {
    return started;
  }

  RetryReport report() {
    assertTrue(report != null, () -> "not over after " + trace);
    return report;
  }

  String trace() {
    return String.join(", ", trace);
  }

  /** Everything came once and in order, and the operation is over. */
  void verify() {
    assertEquals(List.of(), violations, this::trace);
    assertEquals(started, report().attempts(), this::trace);
    assertEquals(started, report().attemptReports().size(), this::trace);
  }
}
