package dev.steadfast.retry.engine;

import dev.steadfast.retry.StopReason;
import org.jspecify.annotations.Nullable;

/** What an operation ends with, where its attempts do not tell. */
final class Ends {
  private Ends() {}

  /** The response that an operation ends with. */
  static <R> R present(Operation<R> operation, @Nullable R response) {
    if (response == null) {
      throw new IllegalStateException("an attempt ended without a response: " + operation);
    }
    return response;
  }

  /** No attempt can begin any more. */
  static Throwable deadline(Operation<?> operation) {
    TimeUp limit = ReachedLimit.of(operation, 0, operation.now());
    return limit == null
        ? operation.transport().failure(RetryTransport.End.DEADLINE, null)
        : operation.transport().timedOut(limit);
  }

  /** By the caller: cancelled or interrupted. */
  static Throwable cancelled(Operation<?> operation, StopReason reason) {
    return reason == StopReason.INTERRUPTED
        ? interrupted(operation, null)
        : operation.transport().failure(RetryTransport.End.CANCELLED, null);
  }

  static Throwable interrupted(Operation<?> operation, @Nullable Throwable cause) {
    return operation.transport().failure(RetryTransport.End.INTERRUPTED, cause);
  }

  static Throwable rejected(Operation<?> operation, @Nullable Throwable cause) {
    return operation.transport().failure(RetryTransport.End.REJECTED, cause);
  }
}
