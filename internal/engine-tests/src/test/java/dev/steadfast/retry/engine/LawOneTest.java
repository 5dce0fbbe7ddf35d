package dev.steadfast.retry.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.Disposition;
import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.ServerDelay;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.Verdict;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * Nothing that may have taken effect is sent again unless that is safe: over random evidence and
 * random verdicts, no attempt follows one that was not safe to repeat.
 */
class LawOneTest {
  private static final int OPERATIONS = 200_000;
  private static final int ATTEMPTS = 5;

  /** One request, as a wire would have seen it. */
  private record Sent(boolean idempotent, boolean keyed, Disposition disposition) {
    static Sent random(SplittableRandom random) {
      Disposition[] all = Disposition.values();
      return new Sent(random.nextBoolean(), random.nextBoolean(), all[random.nextInt(all.length)]);
    }

    Evidence.Safety safety() {
      if (idempotent) {
        return Evidence.Safety.IDEMPOTENT;
      }
      return keyed ? Evidence.Safety.KEYED : Evidence.Safety.UNSAFE;
    }

    /** The law, in the words of its text. */
    boolean mayBeRepeated(Replayable word) {
      if (word == Replayable.ALWAYS) {
        return true;
      }
      boolean processed = disposition != Disposition.UNSENT && disposition != Disposition.REFUSED;
      return !processed || (word == Replayable.BY_REQUEST && (idempotent || keyed));
    }
  }

  /** What an adapter makes of the requests of an attempt. */
  private static Evidence.Requests requests(List<Sent> sent) {
    Evidence.Safety earlier = Evidence.Safety.UNPROCESSED;
    for (Sent each : sent.subList(0, sent.size() - 1)) {
      earlier = earlier.and(Evidence.of(each.disposition(), each.safety(), -1, 1).safety());
    }
    Sent last = sent.get(sent.size() - 1);
    return Evidence.Requests.of(last.disposition(), last.safety(), earlier);
  }

  private static Verdict verdict(SplittableRandom random) {
    FailureKind[] kinds = FailureKind.values();
    Verdict.Retryable again = Verdict.retryable(kinds[random.nextInt(kinds.length)]);
    return switch (random.nextInt(8)) {
      case 0 -> Verdict.permanent();
      case 1 -> Verdict.accepted();
      case 2 -> again.withNothingDone();
      case 3 -> again.withServerDelay(ServerDelay.atLeast(Duration.ofMillis(random.nextInt(100))));
      case 4 -> again.withServerDelay(ServerDelay.exactly(Duration.ofMillis(random.nextInt(100))));
      case 5 -> again.withOneRetry();
      default -> again;
    };
  }

  @Test
  void noUnsafeAttemptIsFollowedByAnother() {
    SplittableRandom random = new SplittableRandom(20_261_122);
    int refused = 0;
    int repeated = 0;
    int paid = 0;
    int bounded = 0;
    for (int i = 0; i < OPERATIONS; i++) {
      Replayable word = word(random);
      int paidRepeats = random.nextInt(4);
      RetryState state = state(word, paidRepeats);
      int processed = 0;
      boolean goesOn = true;
      while (goesOn) {
        state.startAttempt();
        List<Sent> sent = new ArrayList<>();
        int count = 1 + random.nextInt(3);
        for (int request = 0; request < count; request++) {
          sent.add(Sent.random(random));
        }
        boolean spent = random.nextInt(8) == 0;
        Verdict verdict = verdict(random);
        Evidence evidence = Evidence.of(requests(sent), -1, sent.size(), spent);
        RetryDecision decision = state.next(new Outcome(verdict, evidence), 0);
        goesOn = decision instanceof RetryDecision.Retry;
        boolean safe = safe(sent, verdict, word);
        processed += safe(sent, verdict, Replayable.NEVER) ? 0 : 1;
        boolean byWordAlone = safe && !safe(sent, verdict, Replayable.BY_REQUEST);
        if (goesOn) {
          repeated++;
          paid += byWordAlone ? 1 : 0;
          assertTrue(!byWordAlone || processed <= paidRepeats, sent + " after " + processed);
          assertTrue(safe && !spent, () -> sent + " " + verdict + ", replayable " + word);
        } else if (verdict instanceof Verdict.Retryable && !safe) {
          refused++;
          assertEquals(StopReason.NOT_REPLAYABLE, ((RetryDecision.Stop) decision).reason());
        } else {
          // And it is the only reason to refuse for what was sent.
          StopReason reason = ((RetryDecision.Stop) decision).reason();
          assertFalse(reason == StopReason.NOT_REPLAYABLE, () -> sent + " " + verdict);
          boolean early = reason == StopReason.ATTEMPTS_EXHAUSTED && state.attempts() < ATTEMPTS;
          bounded += early ? 1 : 0;
          assertTrue(!early || (byWordAlone && processed > paidRepeats), () -> sent + " early");
        }
      }
    }
    assertTrue(refused > OPERATIONS / 10 && repeated > OPERATIONS / 10, refused + " " + repeated);
    assertTrue(paid > OPERATIONS / 100 && bounded > OPERATIONS / 100, paid + " " + bounded);
  }

  private static boolean safe(List<Sent> sent, Verdict verdict, Replayable word) {
    List<Sent> processed = new ArrayList<>(sent);
    if (verdict instanceof Verdict.Retryable failure && failure.claimsUnprocessed()) {
      Sent last = processed.remove(processed.size() - 1);
      processed.add(new Sent(last.idempotent(), last.keyed(), Disposition.REFUSED));
    }
    return processed.stream().allMatch(each -> each.mayBeRepeated(word));
  }

  private static Replayable word(SplittableRandom random) {
    return random.nextInt(4) == 0 ? Replayable.of(random.nextBoolean()) : Replayable.BY_REQUEST;
  }

  private static RetryState state(Replayable word, int paidRepeats) {
    RetryPolicy policy =
        RetryPolicy.builder()
            .maxAttempts(ATTEMPTS)
            .backoff(Backoff.none())
            .noTotalTimeout()
            .build();
    RetryPlan plan = Course.plan(policy, () -> 0).withReplayable(word, paidRepeats);
    RetryBudget.Account account = RetryBudget.unlimited().account("any");
    RetryState state = Course.state(plan, account, Admission.FREE);
    state.begin(0, Long.MAX_VALUE);
    return state;
  }
}
