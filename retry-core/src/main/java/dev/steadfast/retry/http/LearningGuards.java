package dev.steadfast.retry.http;

import dev.steadfast.retry.Guard;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.Quota;
import dev.steadfast.retry.RetryEnvironment;
import dev.steadfast.retry.RetryPolicy;
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
   * Finds them.
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

  /** All guards, those that learn nothing too. */
  List<Guard> all() {
    return all;
  }

  /**
   * Learns from an answer, unless it is not known who sent it. Every success comes by here: names
   * of headers are compared, and nothing is allocated.
   *
   * @param headNanos when its head came; asked only if there is something to learn
   */
  void learn(
      RetryPlan plan,
      OperationInfo operation,
      ResponseView response,
      Signals signals,
      LongSupplier headNanos) {
    boolean failed = gate != null && response.status() >= 400;
    boolean quotas = !learning.isEmpty() && response.hasHeader(QuotaHeaders::isOne);
    String origin = failed || quotas ? response.origin().orElse(null) : null;
    if (origin == null) {
      return;
    }
    long nanos = headNanos.getAsLong();
    if (gate != null) {
      RetryPolicy policy = plan.policy();
      gate.learn(origin, response.status(), signals.serverDelay(), policy, nanos);
    }
    if (quotas && origin.equals(operation.origin())) {
      RetryEnvironment environment = plan.environment();
      long sinceNanos = environment.ticker().getAsLong() - nanos;
      Instant at = environment.clock().get().minusNanos(sinceNanos);
      List<Quota> told = QuotaHeaders.read(response, signals.serverDelay(), at);
      for (Guard guard : learning) {
        guard.learn(operation, told, nanos);
      }
    }
  }
}
