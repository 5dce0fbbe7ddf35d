package dev.steadfast.retry.http;

import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.Guard;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.Quota;
import dev.steadfast.retry.RetryEnvironment;
import dev.steadfast.retry.Verdict;
import dev.steadfast.retry.engine.RetryPlan;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The guards of a configuration that learn from answers. Immutable. */
final class LearningGuards {
  private final @Nullable ServerDelayGate gate;
  private final List<Guard> learning = new ArrayList<>();
  private final List<Guard> all;

  /**
   * Finds the guards that learn.
   *
   * @param gate comes before the other guards, null for none
   * @param guards those of the user
   */
  LearningGuards(@Nullable ServerDelayGate gate, List<Guard> guards) {
    this.gate = gate;
    this.all = ServerDelayGate.before(gate, guards);
    for (Guard guard : guards) {
      if (guard.learnsQuotas()) {
        learning.add(guard);
      }
    }
  }

  /** Whether anything learns from answers. */
  boolean any() {
    return gate != null || !learning.isEmpty();
  }

  /** All guards, also those that learn nothing. */
  List<Guard> all() {
    return all;
  }

  /**
   * An answer, and what it means.
   *
   * @param verdict of the rules; null if they were not asked
   */
  record Judged(ResponseView response, Signals signals, @Nullable Verdict verdict) {
    /** The answer for the gate; null if it shuts none. */
    private ServerDelayGate.@Nullable ServerAnswer told() {
      FailureKind kind = verdict == null ? null : verdict.kind();
      if (kind == null && response.status() < 400) {
        return null; // a success: nothing is allocated
      }
      return new ServerDelayGate.ServerAnswer(response.status(), kind, signals.serverDelay());
    }
  }

  /**
   * Learns from an answer, unless it is not known who sent it. Every success passes here: names of
   * headers are compared, and nothing is allocated.
   *
   * @param headNanos when its head came; asked only if there is something to learn
   */
  void learn(RetryPlan plan, OperationInfo operation, Judged judged, LongSupplier headNanos) {
    ResponseView response = judged.response();
    ServerDelayGate.ServerAnswer told = gate == null ? null : judged.told();
    boolean shuts = told != null && told.mayShut();
    boolean quotas = !learning.isEmpty() && response.hasHeader(QuotaHeaders::isOne);
    String origin = shuts || quotas ? response.origin().orElse(null) : null;
    if (origin == null) {
      return;
    }
    long nanos = headNanos.getAsLong();
    if (gate != null && told != null && shuts) {
      gate.learn(origin, told, plan.policy(), nanos);
    }
    if (quotas && origin.equals(operation.origin())) {
      RetryEnvironment environment = plan.environment();
      long sinceNanos = environment.ticker().getAsLong() - nanos;
      Instant at = environment.clock().get().minusNanos(sinceNanos);
      List<Quota> said = QuotaHeaders.read(response, judged.signals().serverDelay(), at);
      for (Guard guard : learning) {
        guard.learn(operation, said, nanos);
      }
    }
  }
}
