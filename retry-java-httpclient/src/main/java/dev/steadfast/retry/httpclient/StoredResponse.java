package dev.steadfast.retry.httpclient;

import dev.steadfast.retry.http.ResponseView;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/**
 * An answer that was kept, as the client would have given it: its body goes through the caller's
 * handler.
 */
record StoredResponse<T>(
    HttpRequest request,
    int statusCode,
    HttpHeaders headers,
    URI uri,
    HttpClient.Version version,
    Optional<HttpResponse<T>> previousResponse,
    Optional<SSLSession> sslSession,
    Optional<String> connectionLabel,
    T body)
    implements HttpResponse<T> {
  // The bytes are in memory. Only a handler that passes them to another thread takes any time.
  private static final long HANDLER_SECONDS = 5;

  /** A response from a journal. */
  static <T> HttpResponse<T> of(
      ResponseView head, byte[] body, HttpRequest request, BodyHandler<T> handler)
      throws IOException {
    HttpHeaders headers = HttpHeaders.of(head.headerMap(), (name, value) -> true);
    Head stored = new Head(head.status(), headers, HttpClient.Version.HTTP_1_1);
    return new StoredResponse<>(
        request,
        head.status(),
        headers,
        request.uri(),
        stored.version(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        body(stored, body, handler));
  }

  /** A copy of a response whose body did not go to the caller. */
  static <T> HttpResponse<T> of(HttpResponse<T> response, byte[] bytes, BodyHandler<T> handler)
      throws IOException {
    Head head = new Head(response.statusCode(), response.headers(), response.version());
    return of(response, body(head, bytes, handler));
  }

  /** A copy of a response with another body. */
  static <T> HttpResponse<T> of(HttpResponse<T> response, T body) {
    return new StoredResponse<>(
        response.request(),
        response.statusCode(),
        response.headers(),
        response.uri(),
        response.version(),
        response.previousResponse(),
        response.sslSession(),
        NewerMethods.connectionLabel(response),
        body);
  }

  @Override
  public String toString() {
    return "(" + request.method() + " " + uri + ") " + statusCode; // as the client's
  }

  private static <T> T body(Head head, byte[] bytes, BodyHandler<T> handler) throws IOException {
    BodySubscriber<T> subscriber = Objects.requireNonNull(handler.apply(head), "body subscriber");
    subscriber.onSubscribe(new Bytes(bytes, subscriber));
    return collected(subscriber);
  }

  private static <T> T collected(BodySubscriber<T> subscriber) throws IOException {
    try {
      return subscriber.getBody().toCompletableFuture().get(HANDLER_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException refused) {
      throw new IOException("the body handler refused the stored answer", refused.getCause());
    } catch (TimeoutException slow) {
      throw new IOException("the body handler did not take the stored answer", slow);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted");
    }
  }

  /** The head that a body handler gets to see. */
  private record Head(int statusCode, HttpHeaders headers, HttpClient.Version version)
      implements ResponseInfo {}

  /** Gives all bytes at the first request, which may come from any thread. */
  private static final class Bytes implements Flow.Subscription {
    private final byte[] bytes;
    private final AtomicReference<@Nullable BodySubscriber<?>> subscriber; // null: it has the bytes

    Bytes(byte[] bytes, BodySubscriber<?> subscriber) {
      this.bytes = bytes;
      this.subscriber = new AtomicReference<>(subscriber);
    }

    @Override
    public void request(long n) {
      BodySubscriber<?> told = subscriber.getAndSet(null);
      if (told == null) {
        return;
      }
      try {
        if (n <= 0) {
          throw new IllegalArgumentException("requested: " + n + " (expected: more than zero)");
        }
        if (bytes.length > 0) {
          told.onNext(List.of(ByteBuffer.wrap(bytes).asReadOnlyBuffer()));
        }
        told.onComplete();
      } catch (Throwable thrown) {
        told.onError(thrown); // as the client does
      }
    }

    @Override
    public void cancel() {
      subscriber.set(null);
    }
  }
}
