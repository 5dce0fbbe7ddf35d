package dev.steadfast.retry.engine;

import dev.steadfast.retry.Disposition;
import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryEnvironment;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.ServerDelay;
import dev.steadfast.retry.Verdict;
import dev.steadfast.retry.internal.Durations;
import dev.steadfast.retry.internal.TextReader;
import dev.steadfast.retry.threads.TimerScheduler;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.LongSupplier;

/**
 * Drives a {@link RetryState} through attempts in virtual time and writes down its decisions, as in
 * {@code retry 100ms backoff, stop deadline}.
 *
 * <p>An attempt is a word: {@code accept}, {@code cached}, {@code permanent}, {@code fail} or
 * {@code stale}; with modifiers, as in {@code fail+serverDelay=2s+doNotRetry}; and behind the time
 * it took, as in {@code 10s:fail}.
 */
final class Course {
  private final RetryState state;
  private final List<String> trace = new ArrayList<>();
  private long nowNanos;

  Course(RetryState state, long startNanos, long boundNanos) {
    this.state = state;
    this.nowNanos = startNanos;
    state.begin(startNanos, boundNanos);
  }

  static Course of(RetryPolicy policy, RetryBudget.Account account, LongSupplier random) {
    return new Course(RetryState.of(policy, account, random), 0, Long.MAX_VALUE);
  }

  /** Goes through attempts, separated by spaces, until a stop. */
  Course attempts(String words) {
    for (String word : words.split(" +", -1)) {
      if (!attempt(word)) {
        break;
      }
    }
    return this;
  }

  private boolean attempt(String word) {
    int colon = word.indexOf(':');
    state.startAttempt();
    nowNanos += colon < 0 ? 0 : nanos(word.substring(0, colon));
    RetryDecision decision = state.next(outcome(word.substring(colon + 1)), nowNanos);
    if (decision instanceof RetryDecision.Retry retry) {
      trace.add("retry " + Durations.print(retry.delayNanos()) + " " + word(retry.why()));
      nowNanos += retry.delayNanos();
      return true;
    }
    trace.add("stop " + word(((RetryDecision.Stop) decision).reason()));
    return false;
  }

  /** A state with guards, which has the caller's word or none. */
  static RetryState state(RetryPlan plan, RetryBudget.Account account, Admission admission) {
    return new RetryState(plan, account, admission);
  }

  static RetryPlan plan(RetryPolicy policy, LongSupplier random) {
    RetryEnvironment environment =
        new RetryEnvironment(() -> 0, () -> Instant.EPOCH, random, TimerScheduler.system());
    return RetryPlan.of(policy, RetryBudget.unlimited(), environment);
  }

  static Outcome outcome(String word) {
    Evidence.Safety safety = Evidence.Safety.IDEMPOTENT;
    Disposition last = Disposition.UNKNOWN;
    boolean spent = false;
    for (String part : word.split("\\+", -1)) {
      switch (part) {
        case "keyed" -> safety = Evidence.Safety.KEYED;
        case "unsafe" -> safety = Evidence.Safety.UNSAFE;
        case "unsent" -> last = Disposition.UNSENT;
        case "refused" -> last = Disposition.REFUSED;
        case "spent" -> spent = true;
        default -> {}
      }
    }
    return new Outcome(verdict(word), Evidence.of(last, safety, -1, 1).withBodySpent(spent));
  }

  private static Verdict verdict(String word) {
    String[] parts = word.split("\\+", -1);
    return switch (parts[0]) {
      case "accept" -> Verdict.accepted();
      case "cached" -> Verdict.acceptedWithoutServer();
      case "permanent" -> Verdict.permanent();
      case "stale" -> modified(Verdict.retryable(FailureKind.STALE_CONNECTION), parts);
      case "fail" -> modified(Verdict.retryable(FailureKind.OTHER), parts);
      default -> modified(kind(parts[0]), parts);
    };
  }

  private static Verdict.Retryable kind(String name) {
    return Verdict.retryable(FailureKind.valueOf(name.toUpperCase(Locale.ROOT)));
  }

  private static Verdict modified(Verdict.Retryable verdict, String[] parts) {
    Verdict.Retryable modified = verdict;
    for (int i = 1; i < parts.length; i++) {
      String[] modifier = parts[i].split("=", 2);
      modified =
          switch (modifier[0]) {
            case "doNotRetry" -> modified.withDoNotRetry();
            case "once" -> modified.withOneRetry();
            case "claimed" -> modified.withNothingDone();
            case "keyed", "unsafe", "unsent", "refused", "spent" -> modified;
            case "serverDelay" ->
                modified.withServerDelay(ServerDelay.atLeast(duration(modifier[1])));
            case "exactly" -> modified.withServerDelay(ServerDelay.exactly(duration(modifier[1])));
            default -> throw new IllegalArgumentException(parts[i]);
          };
    }
    return modified;
  }

  private static java.time.Duration duration(String text) {
    return java.time.Duration.ofNanos(nanos(text));
  }

  static long nanos(String text) {
    return Durations.read(new TextReader(text));
  }

  private static String word(Enum<?> reason) {
    return reason.name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }

  long nowNanos() {
    return nowNanos;
  }

  RetryState state() {
    return state;
  }

  String trace() {
    return String.join(", ", trace);
  }
}
