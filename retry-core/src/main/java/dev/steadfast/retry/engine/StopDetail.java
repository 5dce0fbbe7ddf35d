package dev.steadfast.retry.engine;

import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.Verdict;
import dev.steadfast.retry.internal.Durations;
import org.jspecify.annotations.Nullable;

/**
 * Describes the limit, the rule or the option behind a {@link StopReason}, for reports and the log.
 *
 * @param plan the plan of the operation
 * @param state the state in which it ended
 * @param nowNanos the time of the end
 * @param refuser the guard that holds the next attempt back, empty for none
 */
record StopDetail(RetryPlan plan, RetryState state, long nowNanos, String refuser) {
  /**
   * The detail that a report gives beside the reason.
   *
   * @param last how the last attempt ended, null if none did
   * @return empty where the reason says it all
   */
  String of(StopReason reason, @Nullable Outcome last) {
    return switch (reason) {
      case ACCEPTED -> last == null ? "" : accepted(last);
      case NOT_RETRYABLE -> last == null ? "" : rule(last);
      case NOT_REPLAYABLE -> notReplayable(last);
      case ATTEMPTS_EXHAUSTED -> attempts(last);
      case DO_NOT_RETRY ->
          last != null && last.verdict() instanceof Verdict.Retryable told && told.doNotRetry()
              ? "the answer says so"
              : "a layer above retries";
      case SERVER_DELAY_TOO_LONG -> last == null ? "" : aboveCeiling(last);
      case DEADLINE -> deadline();
      case GUARD_REFUSED -> refuser;
      default -> "";
    };
  }

  private static String accepted(Outcome last) {
    boolean unseen = last.verdict() instanceof Verdict.Accepted answer && !answer.observed();
    return unseen ? "answered by a cache or an interceptor" : "";
  }

  private static String rule(Outcome last) {
    if (last.verdict() instanceof Verdict.Retryable) {
      return "a failure of this kind is retried once";
    }
    int status = last.evidence().status();
    return "the rules take " + (status < 0 ? "this failure" : "status " + status) + " as final";
  }

  private String notReplayable(@Nullable Outcome last) {
    if (plan.replayable() == Replayable.NEVER) {
      return "RetryOptions.replayable(false)";
    }
    String other = last == null ? null : last.evidence().trail().unsafe();
    return "neither the method nor a key makes it safe to send "
        + (other == null ? "the request" : other)
        + " again";
  }

  private String attempts(@Nullable Outcome last) {
    if (last != null && state.forbidsPaying(last.evidence())) {
      return "RetryOptions.paidRepeats=" + plan.word().paidRepeats();
    }
    int most = plan.policy().maxAttempts();
    String free = ", and one resend on a stale connection that does not count";
    return "maxAttempts=" + most + (state.hasResent() ? free : "");
  }

  private String aboveCeiling(Outcome last) {
    return Durations.printRounded(last.verdict().serverDelay().nanos())
        + " asked, at most "
        + Durations.printRounded(plan.nanos().maxServerDelay());
  }

  private String deadline() {
    long left = state.remainingNanos(nowNanos);
    String wait = "the next wait does not fit in the " + Durations.printRounded(left) + " left of ";
    return (left == 0 ? "" : wait) + firstDeadline(left);
  }

  private String firstDeadline(long left) {
    if (state.cutByCaller(nowNanos + left)) {
      return "the deadline of the inbound request";
    }
    boolean total =
        state.remainingTotalNanos(nowNanos) <= state.remainingBoundNanos(nowNanos)
            && plan.policy().totalTimeout().isPresent();
    return total
        ? "totalTimeout=" + Durations.print(plan.nanos().total())
        : "the deadline or timeout of this call";
  }
}
