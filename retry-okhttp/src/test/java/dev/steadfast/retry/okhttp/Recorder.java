package dev.steadfast.retry.okhttp;

import dev.steadfast.retry.AttemptReport;
import dev.steadfast.retry.DelayReason;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.RetryListener;
import dev.steadfast.retry.RetryReport;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Keeps the events of a listener. Safe for use by many threads. */
final class Recorder implements RetryListener {
  private final List<AttemptReport> attempts = new CopyOnWriteArrayList<>();
  private final List<Duration> waits = new CopyOnWriteArrayList<>();
  private final List<RetryReport> ended = new CopyOnWriteArrayList<>();
  private final List<Object> requests = new CopyOnWriteArrayList<>();

  @Override
  public void attemptStarted(OperationInfo operation, int attempt, Object request) {
    requests.add(request);
  }

  @Override
  public void attemptEnded(OperationInfo operation, AttemptReport attempt) {
    attempts.add(attempt);
  }

  @Override
  public void waiting(OperationInfo operation, Duration delay, DelayReason why) {
    waits.add(delay);
  }

  @Override
  public void ended(OperationInfo operation, RetryReport report) {
    ended.add(report);
  }

  List<AttemptReport> attempts() {
    return attempts;
  }

  List<Duration> waits() {
    return waits;
  }

  List<Object> requests() {
    return requests;
  }

  List<RetryReport> ended() {
    return ended;
  }

  /** The report of the one operation that ended. */
  RetryReport report() {
    if (ended.size() != 1) {
      throw new AssertionError("operations ended: " + ended);
    }
    return ended.get(0);
  }

  /** How often requests went to the wire, as the attempts' reports say. */
  int deliveries() {
    return attempts.stream().mapToInt(each -> each.deliveries().orElseThrow()).sum();
  }

  void forget() {
    attempts.clear();
    waits.clear();
    ended.clear();
    requests.clear();
  }
}
