package dev.steadfast.retry.httpclient;

import dev.steadfast.retry.http.OperationJournal;
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
 * An answer that a journal kept, as the client would have given it: its body goes through the
 * caller's handler.
 */
record StoredResponse<T>(HttpRequest request, int statusCode, HttpHeaders headers, T body)
    implements HttpResponse<T> {
  // The bytes are in memory. Only a handler that passes them to another thread takes any time.
  private static final long HANDLER_SECONDS = 5;

  static <T> HttpResponse<T> of(
      OperationJournal.Answer answer, HttpRequest request, BodyHandler<T> handler)
      throws IOException {
    HttpHeaders headers = HttpHeaders.of(answer.content().headers(), (name, value) -> true);
    BodySubscriber<T> subscriber =
        Objects.requireNonNull(
            handler.apply(new Head(answer.status(), headers)), "body subscriber");
    byte[] bytes = answer.content().body().orElse(new byte[0]);
    subscriber.onSubscribe(new Bytes(bytes, subscriber));
    return new StoredResponse<>(request, answer.status(), headers, collected(subscriber));
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

  /** What a body handler gets to see. */
  private record Head(int statusCode, HttpHeaders headers) implements ResponseInfo {
    @Override
    public HttpClient.Version version() {
      return HttpClient.Version.HTTP_1_1;
    }
  }

  /** Gives all bytes at the first request, which may come from any thread. */
  private static final class Bytes implements Flow.Subscription {
    private final byte[] bytes;
    private final AtomicReference<@Nullable BodySubscriber<?>> subscriber; // null: told

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

  @Override
  public Optional<HttpResponse<T>> previousResponse() {
    return Optional.empty();
  }

  @Override
  public Optional<SSLSession> sslSession() {
    return Optional.empty();
  }

  @Override
  public URI uri() {
    return request.uri();
  }

  @Override
  public HttpClient.Version version() {
    return HttpClient.Version.HTTP_1_1;
  }
}
