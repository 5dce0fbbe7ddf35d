package dev.steadfast.retry.operations;

import dev.steadfast.retry.RetryReport;
import org.jspecify.annotations.Nullable;

/**
 * The end of an operation that this call does not send: with a response or a failure.
 *
 * @param response the answer of an earlier call
 * @param thrown the exception that the caller gets instead of an answer
 * @param report the report for the caller
 */
record EndWithoutSending<R>(@Nullable R response, @Nullable Throwable thrown, RetryReport report) {
  static <R> EndWithoutSending<R> failed(Throwable thrown, RetryReport report) {
    return new EndWithoutSending<>(null, thrown, report);
  }
}
