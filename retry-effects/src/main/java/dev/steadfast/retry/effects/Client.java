package dev.steadfast.retry.effects;

import dev.steadfast.retry.http.RetryOptions;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The functions that the helpers need of an HTTP client that retries. Immutable and safe for use by
 * many threads.
 *
 * @param <Q> the client's type of request
 */
interface Client<Q> {

  /** The method of a request. */
  String method(Q request);

  /** The first value of a header, null if the request does not have it. */
  @Nullable String header(Q request, String name);

  /** The same request with a header, in place of what it had under that name. */
  Q withHeader(Q request, String name, String value);

  /** The same request with a header, unless it has one of that name. */
  default Q withDefault(Q request, String name, String value) {
    return header(request, name) == null ? withHeader(request, name, value) : request;
  }

  /** A PUT to the target of another request, with its headers. */
  Q put(Q request, byte[] body);

  /** The options that apply to a request: those of the client, and its own. */
  RetryOptions options(Q request);

  /**
   * Sends a request and waits.
   *
   * @param options what they set wins over the options of the request
   * @throws InterruptedException if the calling thread is interrupted
   */
  Reply send(Q request, RetryOptions options) throws InterruptedException;

  /** Sends a request. Cancelling the future ends it. */
  CompletableFuture<Reply> sendAsync(Q request, RetryOptions options);
}
