package dev.steadfast.retry.tck;

import static dev.steadfast.retry.tck.Reply.status;
import static dev.steadfast.retry.tck.Scenario.row;
import static dev.steadfast.retry.tck.ScenarioOutcome.Category.USER;
import static dev.steadfast.retry.tck.StatusRows.OK;

import dev.steadfast.retry.AttemptReport;
import dev.steadfast.retry.DelayReason;
import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.Guard;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.RetryListener;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.Verdict;
import dev.steadfast.retry.http.HttpClassifier;
import dev.steadfast.retry.http.HttpClassifier.OperationView;
import dev.steadfast.retry.http.ResponseView;
import dev.steadfast.retry.http.Signals;
import dev.steadfast.retry.http.TransportFailure;
import java.time.Duration;
import java.util.List;

/** Functions of the user's that throw, and the user's own classifiers. */
final class UserCodeRows {
  private UserCodeRows() {}

  static List<Scenario> rows() {
    return List.of(
        row("a classifier that throws at an answer: its exception, the answer is closed")
            .get("/a")
            .retry(b -> b.classifier(new Throwing()))
            .replies(OK)
            .fails(USER)
            .requests(1)
            .trace("attempt 1: 200 OTHER answered", "done USER_CODE_FAILED 1")
            .expect(e -> e.permits("released").budget("UNKNOWN")),
        row("a classifier that throws at a failure: its exception")
            .put("/a", "body")
            .retry(b -> b.classifier(new Throwing()))
            .replies(Reply.closeAfterRequest())
            .fails(USER)
            .requests(1)
            .trace("attempt 1: OTHER unknown", "done USER_CODE_FAILED 1")
            .expect(e -> e.permits("released").budget("UNKNOWN")),
        row("a backoff that throws: its exception, the answer is closed")
            .get("/a")
            .policy(p ->
                p.backoff((retry, previous, random) -> {
                  throw new ScenarioOutcome.UserCodeException();
                }))
            .replies(status(503))
            .fails(USER)
            .requests(1)
            .trace("attempt 1: 503 UNAVAILABLE answered", "done USER_CODE_FAILED 1"),
        row("a listener that always throws: nothing changes")
            .get("/a")
            .retry(b -> b.listener(new ThrowingListener()))
            .replies(status(503), OK)
            .retriedAfter("503 UNAVAILABLE answered"),
        row("a guard that throws when it is answered: nothing changes")
            .get("/a")
            .retry(b -> b.guard(new ThrowingGuard()))
            .replies(status(503), OK)
            .retriedAfter("503 UNAVAILABLE answered"),
        row("a classifier of one's own that takes a 200 for a failure")
            .get("/a")
            .retry(b -> b.classifier(new RetryingOn200()))
            .replies(OK.body("pending"), status(204))
            .answers(204, "")
            .endsAfter("200 OTHER answered", "204", "ACCEPTED 2"));
  }

  private static final class Throwing implements HttpClassifier {
    @Override
    public Verdict onResponse(OperationView operation, ResponseView response, Signals signals) {
      throw new ScenarioOutcome.UserCodeException();
    }

    @Override
    public Verdict onFailure(OperationView operation, TransportFailure failure) {
      throw new ScenarioOutcome.UserCodeException();
    }
  }

  private static final class RetryingOn200 implements HttpClassifier {
    @Override
    public Verdict onResponse(OperationView operation, ResponseView response, Signals signals) {
      return response.status() == 200 ? Verdict.retryable(FailureKind.OTHER) : Verdict.accepted();
    }

    @Override
    public Verdict onFailure(OperationView operation, TransportFailure failure) {
      return Verdict.permanent(StopReason.NOT_RETRYABLE);
    }
  }

  private static final class ThrowingGuard implements Guard {
    @Override
    public long admitsInNanos(OperationInfo operation, long nowNanos) {
      return 0;
    }

    @Override
    public Permit acquire(OperationInfo operation, long nowNanos) {
      return new Permit() {
        @Override
        public void succeeded(long elapsedNanos) {
          throw new ScenarioOutcome.UserCodeException();
        }

        @Override
        public void failed(Guard.Failure how, Throwable failure) {
          throw new ScenarioOutcome.UserCodeException();
        }

        @Override
        public void released() {
          throw new ScenarioOutcome.UserCodeException();
        }
      };
    }
  }

  private static final class ThrowingListener implements RetryListener {
    @Override
    public void operationStarted(OperationInfo operation) {
      throw new ScenarioOutcome.UserCodeException();
    }

    @Override
    public AutoCloseable enterAttempt(OperationInfo operation, int attempt) {
      if (attempt == 1) {
        throw new ScenarioOutcome.UserCodeException();
      }
      return () -> {
        throw new ScenarioOutcome.UserCodeException();
      };
    }

    @Override
    public void attemptStarted(OperationInfo operation, int attempt, Object request) {
      throw new ScenarioOutcome.UserCodeException();
    }

    @Override
    public void attemptEnded(OperationInfo operation, AttemptReport attempt) {
      throw new ScenarioOutcome.UserCodeException();
    }

    @Override
    public void waiting(OperationInfo operation, Duration delay, DelayReason why) {
      throw new ScenarioOutcome.UserCodeException();
    }

    @Override
    public void ended(OperationInfo operation, RetryReport report) {
      throw new ScenarioOutcome.UserCodeException();
    }
  }
}
