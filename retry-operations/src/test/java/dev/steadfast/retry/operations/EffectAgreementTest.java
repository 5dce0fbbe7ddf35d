package dev.steadfast.retry.operations;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import dev.steadfast.retry.Disposition;
import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.RetryReport.Effect;
import dev.steadfast.retry.Verdict;
import dev.steadfast.retry.http.HttpClassifier;
import dev.steadfast.retry.http.HttpOperation;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.IdempotencyKeys;
import dev.steadfast.retry.http.Journaling.EarlierRequest;
import dev.steadfast.retry.http.LeapingTime;
import dev.steadfast.retry.http.ResponseView;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.http.Signals;
import dev.steadfast.retry.http.StandardRules;
import dev.steadfast.retry.http.TestRequest;
import dev.steadfast.retry.http.TestResponse;
import dev.steadfast.retry.http.TransportFailure;
import dev.steadfast.retry.http.Wire;
import dev.steadfast.retry.operations.OperationJournal.Answer;
import dev.steadfast.retry.operations.OperationJournal.Content;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A report, its {@code effect}, and the journal say the same of each operation: over all statuses,
 * methods, wishes of the server, rules, and attempts before.
 */
class EffectAgreementTest {
  private static final List<String> METHODS = List.of("GET", "QUERY", "PUT", "POST");

  // All that some row of a table names, and a few of each other class.
  private static final int[] STATUSES =
      IntStream.of(198, 300, 400, 495, 520, 595)
          .flatMap(first -> IntStream.range(first, first + (first == 400 ? 32 : 10)))
          .filter(status -> status < 600)
          .toArray();

  // "ok" is no signal.
  private static final List<String> WISHES =
      List.of("X-Nothing: ok", "Retry-After: 1", "Retry-After: 3600", "x-should-retry: true");

  /** How the rules judge the last answer. */
  enum Rules {
    STANDARD,
    ACCEPT,
    GIVE_UP,
    RETRY;

    HttpClassifier judging(TestResponse last) {
      return new HttpClassifier() {
        @Override
        public Verdict onResponse(OperationView operation, ResponseView answer, Signals signals) {
          Verdict standard = StandardRules.defaults().onResponse(operation, answer, signals);
          if (answer.status() != last.status()) {
            return standard;
          }
          return switch (Rules.this) {
            case STANDARD -> standard;
            case ACCEPT -> Verdict.accepted();
            case GIVE_UP -> Verdict.permanent();
            case RETRY -> Verdict.retryable(FailureKind.OTHER);
          };
        }

        @Override
        public Verdict onFailure(OperationView operation, TransportFailure failure) {
          return StandardRules.defaults().onFailure(operation, failure);
        }
      };
    }
  }

  /** What came of the attempts before the last one. */
  enum Before {
    NOTHING,
    UNSENT,
    THROTTLED,
    LOST,
    UNAVAILABLE,
    IN_PROGRESS,
    UNSENT_AND_LOST;

    boolean mayHaveActed() {
      return compareTo(LOST) >= 0;
    }

    List<Object> script() {
      Wire.Failure unsent = Wire.failure(FailureKind.CONNECT, Disposition.UNSENT);
      Wire.Failure lost = Wire.failure(FailureKind.CONNECTION_LOST, Disposition.UNKNOWN);
      return switch (this) {
        case NOTHING -> List.of();
        case UNSENT -> List.of(unsent);
        case THROTTLED -> List.of(TestResponse.of(429));
        case LOST -> List.of(lost);
        case UNAVAILABLE -> List.of(TestResponse.of(503));
        case IN_PROGRESS -> List.of(TestResponse.of(409).header("Retry-After", "1"));
        case UNSENT_AND_LOST -> List.of(unsent, lost);
      };
    }
  }

  private record Case(String method, TestResponse last, Rules rules, Before before) {
    RetryReport report() {
      HttpRetry retry =
          HttpRetry.builder()
              .policy(RetryPolicy.valueOf("maxAttempts=4; backoff=none"))
              .budget(RetryBudget.unlimited())
              .idempotencyKeys(IdempotencyKeys.randomUuid())
              .classifier(rules.judging(last))
              .environment(new LeapingTime().environment())
              .build();
      List<Object> script = new ArrayList<>(before.script());
      script.add(last);
      HttpOperation operation = retry.operation(TestRequest.of(method), RetryOptions.none());
      return Wire.run(operation, script.toArray()).report();
    }

    Settlement settlement(RetryReport report, EarlierRequest earlier) {
      Answer answer = new Answer(last.status(), new Content(Map.of(), null));
      return Settlement.of(new Settlement.Facts(report, earlier, answer), no -> false);
    }

    void check() {
      RetryReport report = report();
      Effect effect = report.effect(last.status());
      assertEquals(effect == Effect.UNKNOWN, report.outcomeUnknown(), () -> this + ": " + report);
      assertEquals(
          effect, settlement(report, EarlierRequest.NONE).effect(), () -> this + ": " + report);
      if (before.mayHaveActed() && !report.replayed()) {
        assertNotEquals(Effect.FAILED, effect, this::toString);
        assertNotEquals(Effect.NEVER_SENT, effect, this::toString);
      }
      if (!report.replayed()) {
        assertNotEquals(Effect.FAILED, settlement(report, EarlierRequest.MAY_HAVE_ACTED).effect());
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void theReportAndTheJournalAgree(Before before) {
    List<Executable> checks = new ArrayList<>();
    for (int status : STATUSES) {
      for (String method : METHODS) {
        for (String wish : WISHES) {
          for (Rules rules : Rules.values()) {
            TestResponse last = TestResponse.of(status, List.of(wish));
            checks.add(new Case(method, last, rules, before)::check);
          }
        }
      }
    }
    assertAll(checks);
  }

  @Test
  void theyAgreeOnReplays() {
    List<Executable> checks = new ArrayList<>();
    for (int status : STATUSES) {
      for (Before before : Before.values()) {
        TestResponse last =
            TestResponse.of(status, List.of("Idempotent-Replayed: true", "Retry-After: 1"));
        checks.add(new Case("POST", last, Rules.STANDARD, before)::check);
      }
    }
    assertAll(checks);
  }
}
