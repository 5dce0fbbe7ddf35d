package dev.steadfast.retry.engine;

import dev.steadfast.retry.RetryReport;
import java.util.function.Consumer;

/** The last step of an operation. A cancellation does not undo it, but nobody waits for it then. */
record LastStepRun<R>(RetryTransport<R> transport, Operation<R> operation)
    implements CancellableStep {

  void begin(RetryTransport.LastStep<R> end, boolean left, Consumer<RetryReport> next) {
    if (left) {
      cancel();
    }
    transport.lastStep(end, next);
  }

  @Override
  public void cancel() {
    transport.leaveLastStep();
  }

  @Override
  public void help() {} // whoever does the step goes on

  @Override
  public long remainingNanos() {
    return operation.remainingNanos();
  }
}
