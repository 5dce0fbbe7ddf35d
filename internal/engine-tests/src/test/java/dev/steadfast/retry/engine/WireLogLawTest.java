package dev.steadfast.retry.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.Verdict;
import dev.steadfast.retry.engine.Evidence.Safety;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * Over random sequences of events, neither the loop nor the client itself begins another delivery
 * after an unsafe request that may have acted. What user code begins is sent, and recorded.
 */
class WireLogLawTest {
  private static final int OPERATIONS = 200_000;
  private static final int[] STATUSES = {
    200, 201, 302, 303, 307, 308, 400, 401, 404, 408, 409, 421, 425, 429, 499, 500, 503
  };

  private static final List<Safety> SAFETIES =
      List.of(Safety.READ_ONLY, Safety.IDEMPOTENT, Safety.KEYED, Safety.UNSAFE);

  private final SplittableRandom random = new SplittableRandom(20_261_123);
  private int repeated;
  private int resent;
  private int refused;

  /** A request as it really was, which only the test knows. */
  private static final class Real {
    private final Safety safety;
    private boolean mayHaveActed = true;

    Real(Safety safety) {
      this.safety = safety;
    }

    /** The law, in the words of its text. */
    boolean mayBeRepeated(Replayable word) {
      if (!mayHaveActed || word == Replayable.ALWAYS) {
        return true;
      }
      return word == Replayable.BY_REQUEST && safety != Safety.UNSAFE;
    }

    @Override
    public String toString() {
      return safety + (mayHaveActed ? " perhaps done" : " not done");
    }
  }

  @Test
  void nothingUnsafeIsRepeated() {
    for (int i = 0; i < OPERATIONS; i++) {
      Replayable word =
          random.nextInt(4) == 0 ? Replayable.of(random.nextBoolean()) : Replayable.BY_REQUEST;
      RetryPlan plan = plan(word);
      RetryState state = Course.state(plan, RetryBudget.unlimited().account("any"), Admission.FREE);
      state.begin(0, Long.MAX_VALUE);
      boolean goesOn = true;
      while (goesOn) {
        state.startAttempt();
        goesOn = attempt(plan, state);
      }
    }
    int least = OPERATIONS / 20;
    assertTrue(repeated > least && resent > least && refused > least, () -> counts());
  }

  private String counts() {
    return repeated + " repeated, " + resent + " resent, " + refused + " refused";
  }

  private boolean attempt(RetryPlan plan, RetryState state) {
    WireLog<Real> log = new WireLog<>(plan, Real::toString);
    List<Real> sent = new ArrayList<>();
    int status = requests(plan, log, sent);
    Real last = sent.isEmpty() ? null : sent.get(sent.size() - 1);
    boolean suspected = random.nextInt(8) == 0;
    boolean unseen = suspected || random.nextInt(8) == 0;
    if (unseen) {
      Real other = new Real(SAFETIES.get(random.nextInt(SAFETIES.size())));
      sent.add(other);
      if (suspected) {
        log.othersUnseen(other.safety, random.nextBoolean());
      } else {
        log.otherSent(other.safety, random.nextBoolean());
      }
    }
    boolean mapped = random.nextInt(4) == 0; // by an interceptor
    int judged = mapped ? STATUSES[random.nextInt(STATUSES.length)] : status;
    boolean claims = random.nextInt(3) == 0;
    Verdict.Retryable verdict = Verdict.retryable(FailureKind.OTHER);
    log.seal();
    int deliveries = log.deliveries();
    Evidence evidence = log.evidence(judged, false);
    assertFalse(log.sends(new Real(Safety.UNSAFE), Safety.UNSAFE, false)); // a thread that is late
    assertEquals(deliveries, log.deliveries());
    Outcome outcome = new Outcome(claims ? verdict.withNothingDone() : verdict, evidence);
    boolean again = state.next(outcome, 0) instanceof RetryDecision.Retry;
    // A claim, right or wrong, is about the last request, and the answer that the server sent.
    boolean counts = claims && (judged < 0 || judged == status) && !suspected && last != null;
    boolean safe =
        sent.stream()
            .allMatch(
                each -> (counts && each.equals(last)) || each.mayBeRepeated(plan.replayable()));
    if (again && !(claims && suspected)) {
      repeated++;
      assertTrue(safe, () -> sent + ", judged " + judged + " of " + status + ", " + evidence);
    }
    refused += again ? 0 : 1;
    return again;
  }

  /** Sends some requests, and returns the status of the last one, -1 without an answer. */
  private int requests(RetryPlan plan, WireLog<Real> log, List<Real> sent) {
    int status = -1;
    int count = random.nextInt(4);
    for (int i = 0; i < count; i++) {
      if (random.nextInt(6) == 0) {
        log.begins(random.nextBoolean());
      }
      if (random.nextInt(8) == 0) {
        log.onDeadConnection();
        status = -1;
        continue;
      }
      Real request = new Real(SAFETIES.get(random.nextInt(SAFETIES.size())));
      status = send(log, sent, request);
      while (log.maySendAgain() && random.nextInt(3) == 0) {
        resent++;
        assertTrue(request.mayBeRepeated(plan.replayable()), () -> "resent: " + sent);
        request = new Real(request.safety);
        status = send(log, sent, request);
      }
    }
    return status;
  }

  private int send(WireLog<Real> log, List<Real> sent, Real request) {
    sent.add(request);
    assertTrue(log.sends(request, request.safety, random.nextBoolean()));
    switch (random.nextInt(6)) {
      case 0 -> {
        log.notSent();
        request.mayHaveActed = false;
      }
      case 1 -> {
        log.refused();
        request.mayHaveActed = false;
      }
      case 2 -> {} // lost
      default -> {
        int status = STATUSES[random.nextInt(STATUSES.length)];
        log.answered(status);
        AnswerProof proof = AnswerProof.of(status);
        request.mayHaveActed = proof != AnswerProof.REFUSED && proof != AnswerProof.NOT_HERE;
        return status;
      }
    }
    return -1;
  }

  private static RetryPlan plan(Replayable word) {
    RetryPolicy policy =
        RetryPolicy.builder().maxAttempts(4).backoff(Backoff.none()).noTotalTimeout().build();
    return Course.plan(policy, () -> 0).withReplayable(word);
  }
}
