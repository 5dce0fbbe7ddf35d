package dev.steadfast.retry.operations;

import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.TimeLimit;
import dev.steadfast.retry.Verdict;
import dev.steadfast.retry.engine.Attempt;
import dev.steadfast.retry.engine.Evidence;
import dev.steadfast.retry.engine.Outcome;
import dev.steadfast.retry.engine.RetryTransport;
import dev.steadfast.retry.engine.TimeUp;
import dev.steadfast.retry.internal.CleanReport;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The attempts of a journaled operation: a client's transport whose answer is not handed over yet,
 * because the journal comes first.
 */
final class AttemptsTransport<R> implements RetryTransport<R> {
  private final RetryTransport<R> client;
  private volatile @Nullable RetryReport report;
  private volatile long endNanos;
  private volatile boolean unsafe; // a request may have been processed, and nothing protects it

  AttemptsTransport(RetryTransport<R> client) {
    this.client = client;
  }

  /** The time when the last attempt must be over, set before the first one. */
  void endsAt(long nanos) {
    endNanos = nanos;
  }

  // The claim and the server's key expire. So no attempt goes on after that, even if the caller
  // lifts its timeout, or if an upload extends it.
  @Override
  public long mostNanos(long nowNanos) {
    return Math.min(client.mostNanos(nowNanos), Math.max(0, endNanos - nowNanos));
  }

  /** The report of the attempts. */
  RetryReport report(OperationInfo operation) {
    RetryReport told = report;
    return told == null ? CleanReport.of(operation) : told;
  }

  @Override
  public void start(Attempt<R> attempt) throws Exception {
    client.start(attempt);
  }

  @Override
  public void waits() {
    client.waits();
  }

  @Override
  public Outcome outcome(R response) {
    return noted(client.outcome(response));
  }

  @Override
  public Verdict verdict(R head) {
    return client.verdict(head);
  }

  @Override
  public Outcome outcome(Throwable failure) {
    return noted(client.outcome(failure));
  }

  @Override
  public Evidence evidence() {
    Evidence evidence = client.evidence();
    unsafe |= evidence.requests().safety() == Evidence.Safety.UNSAFE;
    return evidence;
  }

  private Outcome noted(Outcome outcome) {
    unsafe |= outcome.evidence().requests().safety() == Evidence.Safety.UNSAFE;
    return outcome;
  }

  /** Whether a request went out in a form that must not be repeated, such as without its key. */
  boolean wentOutUnsafe() {
    return unsafe;
  }

  @Override
  public Map<String, List<String>> headers(R response) {
    return client.headers(response);
  }

  @Override
  public boolean boundsAttempts() {
    return client.boundsAttempts();
  }

  @Override
  public long idleLeftNanos(long nowNanos) {
    return client.idleLeftNanos(nowNanos);
  }

  @Override
  public void discard(R response) {
    client.discard(response);
  }

  @Override
  public R deliver(R response, @Nullable RetryReport report) {
    if (report != null) {
      this.report = report;
    }
    return response;
  }

  @Override
  public boolean endsOperation(RetryReport told) {
    report = told; // whole, also of a clean first attempt
    return false;
  }

  @Override
  public Throwable timedOut(TimeUp limit) {
    return client.timedOut(limit);
  }

  @Override
  public TimeLimit boundLimit() {
    return client.boundLimit();
  }

  @Override
  public Throwable failure(End end, @Nullable Throwable cause) {
    return client.failure(end, cause);
  }
}
