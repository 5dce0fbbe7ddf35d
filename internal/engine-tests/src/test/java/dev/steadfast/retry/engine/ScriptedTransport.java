package dev.steadfast.retry.engine;

import dev.steadfast.retry.Disposition;
import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.Verdict;
import dev.steadfast.retry.internal.CleanReport;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * An transport whose attempts do what a test tells them, one after the other. A response is a text
 * that begins with its status: below 500 it is accepted.
 */
final class ScriptedTransport implements RetryTransport<String> {
  private final Deque<Consumer<Attempt<String>>> script = new ArrayDeque<>();
  private final Queue<Runnable> continuations = new ArrayDeque<>();
  private final List<String> discarded = new ArrayList<>();
  private final List<RetryReport> delivered = new ArrayList<>();
  private boolean boundsAttempts;
  private long stalledNanos = Long.MAX_VALUE;
  private long spentNanos;
  private @Nullable Attempt<String> current;
  private @Nullable Runnable whenDiscarding;
  private @Nullable AssertionError broken;

  /** What the next attempt does when it is started. */
  ScriptedTransport onStart(Consumer<Attempt<String>> step) {
    script.add(step);
    return this;
  }

  ScriptedTransport boundingAttempts() {
    boundsAttempts = true;
    return this;
  }

  /** The call began so long ago. */
  ScriptedTransport spent(Duration time) {
    spentNanos = time.toNanos();
    return this;
  }

  @Override
  public long spentNanos() {
    return spentNanos;
  }

  /** From now on nothing comes or goes; that time is up then, counted from the start. */
  ScriptedTransport stalledAt(String time) {
    stalledNanos = LoopFixture.nanos(time);
    return this;
  }

  /** Runs something when a response is discarded: between a decision and its wait. */
  ScriptedTransport whenDiscarding(Runnable hook) {
    whenDiscarding = hook;
    return this;
  }

  /** No assertion within a step failed; the loop takes it for a failure of the attempt. */
  void verify() {
    if (broken != null) {
      throw broken;
    }
  }

  /** The attempt that was started last. */
  Attempt<String> attempt() {
    return java.util.Objects.requireNonNull(current, "no attempt was started");
  }

  List<String> discarded() {
    return discarded;
  }

  List<RetryReport> delivered() {
    return delivered;
  }

  /** Runs what follows a cancellation; never on the canceller's own call stack. */
  void runContinuations() {
    for (Runnable next = continuations.poll(); next != null; next = continuations.poll()) {
      next.run();
    }
  }

  @Override
  public void start(Attempt<String> attempt) {
    current = attempt;
    try {
      script.remove().accept(attempt);
    } catch (AssertionError failed) {
      broken = failed;
      throw failed;
    }
  }

  @Override
  public Outcome outcome(String response) {
    return new Outcome(judged(response), evidence(Disposition.ANSWERED, status(response)));
  }

  private static Verdict judged(String response) {
    if (response.contains("broken rule")) {
      throw new IllegalArgumentException("rule");
    }
    if (status(response) < 500) {
      return Verdict.accepted();
    }
    Verdict.Retryable verdict = Verdict.retryable(FailureKind.UNAVAILABLE);
    return response.contains("doNotRetry") ? verdict.withDoNotRetry() : verdict;
  }

  @Override
  public Outcome outcome(Throwable failure) {
    boolean permanent = String.valueOf(failure.getMessage()).contains("permanent");
    return new Outcome(
        permanent ? Verdict.permanent() : Verdict.retryable(FailureKind.OTHER), evidence());
  }

  @Override
  public Evidence evidence() {
    return evidence(Disposition.UNKNOWN, -1);
  }

  private static Evidence evidence(Disposition last, int status) {
    return Evidence.of(last, Evidence.Safety.IDEMPOTENT, status, 1);
  }

  private static int status(String response) {
    return Integer.parseInt(response.substring(0, 3));
  }

  @Override
  public Map<String, List<String>> headers(String response) {
    return Map.of("Response", List.of(response));
  }

  @Override
  public boolean boundsAttempts() {
    return boundsAttempts;
  }

  @Override
  public long idleLeftNanos(long nowNanos) {
    return stalledNanos == Long.MAX_VALUE ? stalledNanos : Math.max(0, stalledNanos - nowNanos);
  }

  @Override
  public void discard(String response) {
    discarded.add(response);
    if (whenDiscarding != null) {
      whenDiscarding.run();
    }
  }

  @Override
  public String deliver(String response, @Nullable RetryReport report) {
    delivered.add(report == null ? CleanReport.of(null) : report);
    return response;
  }

  @Override
  public Throwable failure(End end, @Nullable Throwable cause) {
    return RetrierExceptions.failure(end, cause);
  }

  @Override
  public void callBack(Runnable continuation) {
    continuations.add(continuation);
  }
}
