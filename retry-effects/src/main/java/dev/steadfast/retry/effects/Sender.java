package dev.steadfast.retry.effects;

import dev.steadfast.retry.engine.CallContext;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.internal.Checks;
import dev.steadfast.retry.internal.Durations;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Sends the requests of one operation, one after the other. A blocking sender sends on the calling
 * thread, and its futures are done; else no thread waits.
 *
 * @param <Q> the client's type of request
 */
final class Sender<Q> {
  private final Client<Q> client;
  private final boolean blocking;
  private final LongSupplier remainingNanos;
  private final @Nullable CallContext callContext = CallContext.current();
  private volatile boolean cancelled;
  private volatile @Nullable CompletableFuture<Reply> underWay;

  /**
   * A sender for an operation that the calling thread begins.
   *
   * @param remainingNanos the time that is left; {@link Long#MAX_VALUE} for no bound
   */
  Sender(Client<Q> client, boolean blocking, LongSupplier remainingNanos) {
    this.client = client;
    this.blocking = blocking;
    this.remainingNanos = remainingNanos;
  }

  /**
   * Refuses a key and a journal, which belong to one request: the helpers send several requests,
   * and each call sends others.
   *
   * @throws IllegalArgumentException if the request has a key or is journaled
   */
  static <Q> Q checked(Client<Q> client, Q request) {
    RetryOptions own = client.options(Checks.notNull("request", request));
    if (own.idempotencyKey().isPresent()) {
      throw Checks.bad("idempotencyKey", "set", "none, as a key stands for one request");
    }
    if (own.isJournaled()) {
      throw Checks.bad("journaled", "set", "not set, as the requests differ from call to call");
    }
    return request;
  }

  boolean isOutOfTime() {
    return remainingNanos.getAsLong() <= 0;
  }

  /** Sends a request as an operation of its own, in the scope that the caller's began in. */
  CompletableFuture<Reply> send(Q request) {
    checked(client, request);
    CallContext before = CallContext.bind(callContext);
    try {
      return blocking
          ? CompletableFuture.completedFuture(client.send(request, options(request)))
          : begin(request);
    } catch (InterruptedException interrupted) {
      return CompletableFuture.failedFuture(interrupted);
    } finally {
      CallContext.bind(before);
    }
  }

  private CompletableFuture<Reply> begin(Q request) {
    if (cancelled) {
      return CompletableFuture.failedFuture(new CancellationException("cancelled"));
    }
    CompletableFuture<Reply> reply = client.sendAsync(request, options(request));
    underWay = reply;
    if (cancelled) {
      reply.cancel(true);
    }
    return reply;
  }

  /**
   * The condition or the token keeps each request from taking effect twice, whatever its method.
   */
  private RetryOptions options(Q request) {
    RetryOptions.Builder options =
        RetryOptions.builder().replayable(true).paidRepeats(Integer.MAX_VALUE);
    long own = client.options(request).deadline().map(Durations::nanos).orElse(Long.MAX_VALUE);
    long bound = Math.min(own, remainingNanos.getAsLong());
    return bound == Long.MAX_VALUE
        ? options.build()
        : options.deadline(Duration.ofNanos(Math.max(1, bound))).build();
  }

  /** Ends the request that is under way; no other is sent. */
  void cancel() {
    cancelled = true;
    CompletableFuture<Reply> reply = underWay;
    if (reply != null) {
      reply.cancel(true);
    }
  }

  /** The same future. Whoever completes it, no request goes on afterwards. */
  <R> CompletableFuture<R> endingWith(CompletableFuture<R> result) {
    result.whenComplete((done, thrown) -> cancel());
    return result;
  }

  /**
   * The result of a future that is done.
   *
   * @throws InterruptedException if the calling thread was interrupted while it sent
   */
  static <R> R result(CompletableFuture<R> done) throws InterruptedException {
    try {
      return done.get();
    } catch (ExecutionException failed) {
      Throwable cause = failed.getCause();
      if (cause instanceof InterruptedException interrupted) {
        throw interrupted;
      }
      if (cause instanceof RuntimeException thrown) {
        throw thrown;
      }
      if (cause instanceof Error thrown) {
        throw thrown;
      }
      throw new CompletionException(cause);
    }
  }
}
