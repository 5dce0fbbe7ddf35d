package dev.steadfast.retry.operations;

import dev.steadfast.retry.RetryReport;
import org.jspecify.annotations.Nullable;

/**
 * The end of an operation that this call does not send: with a response or a failure.
 *
 * @param response the answer of an earlier call
 * @param thrown what the caller gets in the place of an answer
 * @param report what it is told
 */
record Unsent<R>(@Nullable R response, @Nullable Throwable thrown, RetryReport report) {
  static <R> Unsent<R> failed(Throwable thrown, RetryReport report) {
    return new Unsent<>(null, thrown, report);
  }
}
