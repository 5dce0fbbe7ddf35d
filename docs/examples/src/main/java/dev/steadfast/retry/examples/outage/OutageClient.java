package dev.steadfast.retry.examples.outage;

import java.util.concurrent.CompletableFuture;

/** A client under test: makes the same GET again and again. */
interface OutageClient extends AutoCloseable {
  /**
   * Begins an operation. Returns at once.
   *
   * @return whether it succeeded, after all its attempts; never completes exceptionally
   */
  CompletableFuture<Boolean> call();

  @Override
  void close();
}
