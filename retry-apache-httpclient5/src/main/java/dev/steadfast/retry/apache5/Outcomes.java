package dev.steadfast.retry.apache5;

import dev.steadfast.retry.Disposition;
import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.Verdict;
import dev.steadfast.retry.engine.Evidence;
import dev.steadfast.retry.engine.Outcome;
import dev.steadfast.retry.http.HttpOperation;
import dev.steadfast.retry.http.ResponseView;
import dev.steadfast.retry.http.TransportFailure;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** The outcomes of the attempts of one operation, of the classic and the asynchronous clients. */
final class Outcomes {
  private static final Evidence NOTHING =
      Evidence.of(Disposition.UNSENT, Evidence.Safety.UNPROCESSED, -1, 0);

  private final HttpOperation operation;
  private final SentBody body;
  private final BiFunction<Throwable, WireTrace, @Nullable TransportFailure> classifier;

  private volatile @Nullable WireTrace wire; // of the current attempt
  private volatile @Nullable Throwable earlierFailure; // of the attempt before, for a watched body

  Outcomes(
      HttpOperation operation,
      SentBody body,
      BiFunction<Throwable, WireTrace, @Nullable TransportFailure> classifier) {
    this.operation = operation;
    this.body = body;
    this.classifier = classifier;
  }

  /** An attempt begins; null until it has a trace. */
  void begins(@Nullable WireTrace attempt) {
    wire = attempt;
  }

  /** The failure that a body that has changed is told with, null for none. */
  @Nullable Throwable earlierFailure() {
    return earlierFailure;
  }

  /** The attempt before got an answer. */
  void forgetFailure() {
    earlierFailure = null;
  }

  /**
   * The outcome of an answer.
   *
   * @param of its attempt; null for an answer that a journal kept
   */
  Outcome of(ResponseView answer, @Nullable WireTrace of) {
    if (body.changed() != null) {
      return changed();
    }
    if (of == null) {
      return new Outcome(Verdict.acceptedWithoutServer(), NOTHING);
    }
    Evidence evidence = of.log.evidence(answer.status(), body.spent());
    return of.answeredByNetwork()
        ? operation.outcome(answer, evidence)
        : new Outcome(Verdict.acceptedWithoutServer(), evidence); // of the cache, or a handler's
  }

  Outcome of(Throwable failure) {
    WireTrace of = wire;
    if (of == null) {
      return operation.outcome(
          TransportFailure.permanent(FailureKind.OTHER, StopReason.NOT_RETRYABLE), NOTHING);
    }
    if (body.changed() != null) {
      return changed();
    }
    earlierFailure = body.isWatched() ? failure : null;
    Evidence evidence = of.log.evidence(-1, body.spent());
    TransportFailure classified = classifier.apply(failure, of);
    HeadView head = of.head();
    if (classified != null || head == null) {
      TransportFailure seen = classified == null ? Apache5Failures.ofHandler(failure) : classified;
      return operation.outcome(seen, evidence);
    }
    Outcome ofHead = operation.outcome(head, of.log.evidence(head.status(), body.spent()));
    return ofHead.verdict() instanceof Verdict.Accepted // it is no success
        ? operation.outcome(Apache5Failures.ofHandler(failure), evidence)
        : ofHead;
  }

  private Outcome changed() {
    WireTrace last = wire;
    return operation.outcome(
        TransportFailure.permanent(FailureKind.OTHER, StopReason.BODY_CHANGED),
        last == null ? NOTHING : last.log.evidence(-1, true));
  }

  /** The evidence of an attempt that ended from outside. Nothing goes out any more. */
  Evidence evidence() {
    WireTrace of = wire;
    if (of == null) {
      return NOTHING;
    }
    of.log.seal();
    if (of.phase() == WireTrace.Phase.HANDLERS && of.log.latest() == null) {
      of.log.othersUnseen(operation.safety(), false); // a handler may have sent by other means
    }
    return of.log.evidence(of.handedBack(), body.spent());
  }
}
