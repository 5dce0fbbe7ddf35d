package dev.steadfast.retry.simulator;

import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.engine.Evidence;
import dev.steadfast.retry.engine.Outcome;
import dev.steadfast.retry.engine.RetryLoop;
import dev.steadfast.retry.engine.RetryTransport;
import dev.steadfast.retry.http.HttpOperation;
import dev.steadfast.retry.http.TransportFailure;
import dev.steadfast.retry.simulator.HttpViews.Answer;
import org.jspecify.annotations.Nullable;

/** A call of a simulated client: a real operation of the library, whose server is simulated. */
interface SimulatedCall extends RetryTransport<Answer> {
  /** The operation that the call is. */
  HttpOperation operation();

  /** Called once, at the end: with an answer or a failure. */
  void ended(@Nullable Answer answer, @Nullable Throwable failure);

  /** Why its request may be sent again. */
  default Evidence.Safety safety() {
    return Evidence.Safety.IDEMPOTENT;
  }

  /** Makes the call. */
  default void begin() {
    HttpOperation operation = operation();
    RetryLoop.of(operation.plan(), operation.info(), this)
        .start(operation.boundNanos(), this::ended);
  }

  @Override
  default Outcome outcome(Answer answer) {
    return operation().outcome(answer, Outcomes.answered(answer.status(), safety()));
  }

  @Override
  default Outcome outcome(Throwable failure) {
    TransportFailure what =
        failure instanceof NoAnswerException
            ? TransportFailure.of(FailureKind.TIMEOUT)
            : TransportFailure.permanent(FailureKind.OTHER, StopReason.NOT_RETRYABLE);
    return operation().outcome(what, evidence());
  }

  @Override
  default Evidence evidence() {
    return Outcomes.lost(safety());
  }

  @Override
  default Throwable failure(End end, @Nullable Throwable cause) {
    return new NoAnswerException();
  }
}
