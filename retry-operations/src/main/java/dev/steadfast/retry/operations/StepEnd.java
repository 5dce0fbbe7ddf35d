package dev.steadfast.retry.operations;

import org.jspecify.annotations.Nullable;

/**
 * How a step of a journaled operation ended: with exactly one of these.
 *
 * @param value its result
 * @param thrown its failure
 */
record StepEnd<T>(@Nullable T value, @Nullable Throwable thrown) {
  static <T> StepEnd<T> of(T value) {
    return new StepEnd<>(value, null);
  }

  static <T> StepEnd<T> failed(Throwable thrown) {
    return new StepEnd<>(null, thrown);
  }
}
