package dev.steadfast.retry.apache5;

import dev.steadfast.retry.tck.Interference;
import dev.steadfast.retry.tck.ScenarioOutcome;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hc.client5.http.async.AsyncExecCallback;
import org.apache.hc.client5.http.async.AsyncExecChain;
import org.apache.hc.client5.http.async.AsyncExecChainHandler;
import org.apache.hc.client5.http.impl.async.CloseableHttpAsyncClient;
import org.apache.hc.core5.concurrent.FutureCallback;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.EntityDetails;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.HttpRequest;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.Message;
import org.apache.hc.core5.http.impl.BasicEntityDetails;
import org.apache.hc.core5.http.message.BasicHttpRequest;
import org.apache.hc.core5.http.nio.AsyncDataConsumer;
import org.apache.hc.core5.http.nio.AsyncEntityProducer;
import org.apache.hc.core5.http.nio.entity.BasicAsyncEntityConsumer;
import org.apache.hc.core5.http.nio.entity.BasicAsyncEntityProducer;
import org.apache.hc.core5.http.nio.support.BasicRequestProducer;
import org.apache.hc.core5.http.nio.support.BasicResponseConsumer;
import org.apache.hc.core5.http.protocol.HttpContext;
import org.apache.hc.core5.http.support.BasicRequestBuilder;

/**
 * The handlers of the scenario table's users, within an attempt.
 *
 * @param other the client that one of them sends by
 * @param released waits until that client has given back its connections
 * @param how what is done
 */
record AsyncInterfering(CloseableHttpAsyncClient other, Runnable released, Interference how)
    implements AsyncExecChainHandler {
  private static final String KEY = "Idempotency-Key";

  @Override
  public void execute(
      HttpRequest request,
      AsyncEntityProducer body,
      AsyncExecChain.Scope scope,
      AsyncExecChain chain,
      AsyncExecCallback callback)
      throws HttpException, IOException {
    switch (how) {
      case MAPS_ERRORS -> chain.proceed(request, body, scope, mapping(callback));
      case SENDS_ELSEWHERE -> elsewhere(request, body, mapping(callback));
      case WRAPS_FAILURES -> chain.proceed(request, body, scope, wrapping(callback));
      case LIMITS_ALL -> chain.proceed(request, body, scope, limiting(callback));
      case PASSES_ON -> {
        request.setHeader("X-Trace", "1");
        chain.proceed(request, body, scope, new PassingCallback(callback));
      }
      case FETCHES_TOKEN -> withToken(request, body, scope, chain, callback);
      case AUTHENTICATES_ANEW -> anew(request, body, scope, chain, callback);
      default -> changed(request, body, scope, chain, callback);
    }
  }

  private static AsyncExecCallback mapping(AsyncExecCallback to) {
    AtomicReference<IOException> made = new AtomicReference<>();
    return new PassingCallback(to) {
      @Override
      public AsyncDataConsumer handleResponse(HttpResponse response, EntityDetails details)
          throws HttpException, IOException {
        if (response.getCode() >= 400) {
          made.set(usersOwn("HTTP " + response.getCode()));
          return null;
        }
        return super.handleResponse(response, details);
      }

      @Override
      public void completed() {
        if (made.get() == null) {
          super.completed();
        } else {
          super.failed(made.get());
        }
      }
    };
  }

  private static AsyncExecCallback wrapping(AsyncExecCallback to) {
    return new PassingCallback(to) {
      @Override
      public void failed(Exception cause) {
        super.failed(usersOwn("backend: " + cause.getMessage()));
      }
    };
  }

  private static AsyncExecCallback limiting(AsyncExecCallback to) {
    return new PassingCallback(to) {
      @Override
      public AsyncDataConsumer handleResponse(HttpResponse response, EntityDetails details)
          throws HttpException, IOException {
        response.setCode(429);
        return super.handleResponse(response, details);
      }
    };
  }

  /**
   * Sends by the other client. HttpClient cancels an exchange whose result is there before {@code
   * execute} has returned, and so closes its connection; the result has to wait for that.
   */
  private void elsewhere(HttpRequest request, AsyncEntityProducer body, AsyncExecCallback to) {
    CompletableFuture<Void> begun = new CompletableFuture<>();
    other.execute(
        new BasicRequestProducer(BasicRequestBuilder.copy(request).build(), body),
        new BasicResponseConsumer<>(new BasicAsyncEntityConsumer()) {
          @Override
          public void consumeResponse(
              HttpResponse response,
              EntityDetails details,
              HttpContext context,
              FutureCallback<Message<HttpResponse, byte[]>> callback)
              throws HttpException, IOException {
            begun.join();
            super.consumeResponse(response, details, context, callback);
          }
        },
        new FutureCallback<Message<HttpResponse, byte[]>>() {
          @Override
          public void completed(Message<HttpResponse, byte[]> response) {
            CompletableFuture.runAsync(() -> handTo(response, to)); // it is not released yet
          }

          @Override
          public void failed(Exception cause) {
            to.failed(cause);
          }

          @Override
          public void cancelled() {
            to.failed(new IOException("cancelled"));
          }
        });
    begun.complete(null);
  }

  private void handTo(Message<HttpResponse, byte[]> response, AsyncExecCallback to) {
    released.run();
    byte[] bytes = response.getBody() == null ? new byte[0] : response.getBody();
    EntityDetails details = new BasicEntityDetails(bytes.length, ContentType.TEXT_PLAIN);
    try {
      AsyncDataConsumer consumer = to.handleResponse(response.getHead(), details);
      if (consumer != null) {
        consumer.consume(ByteBuffer.wrap(bytes));
        consumer.streamEnd(List.of());
      }
      to.completed();
    } catch (HttpException | IOException thrown) {
      to.failed(thrown);
    }
  }

  private static void withToken(
      HttpRequest request,
      AsyncEntityProducer body,
      AsyncExecChain.Scope scope,
      AsyncExecChain chain,
      AsyncExecCallback callback)
      throws HttpException, IOException {
    HttpRequest token =
        BasicRequestBuilder.post()
            .setHttpHost(scope.route.getTargetHost())
            .setPath("/token")
            .build();
    chain.proceed(
        token,
        new BasicAsyncEntityProducer(new byte[] {1}, null),
        scope,
        new PassingCallback(callback) {
          @Override
          public AsyncDataConsumer handleResponse(HttpResponse response, EntityDetails details) {
            return null;
          }

          @Override
          public void completed() {
            proceed(request, body, scope, chain, callback);
          }
        });
  }

  private static void proceed(
      HttpRequest request,
      AsyncEntityProducer body,
      AsyncExecChain.Scope scope,
      AsyncExecChain chain,
      AsyncExecCallback callback) {
    try {
      chain.proceed(request, body, scope, callback);
    } catch (HttpException | IOException thrown) {
      callback.failed(thrown);
    }
  }

  private static void anew(
      HttpRequest request,
      AsyncEntityProducer body,
      AsyncExecChain.Scope scope,
      AsyncExecChain chain,
      AsyncExecCallback callback)
      throws HttpException, IOException {
    HttpRequest again = BasicRequestBuilder.copy(request).build();
    AtomicBoolean challenged = new AtomicBoolean();
    chain.proceed(
        request,
        body,
        scope,
        new PassingCallback(callback) {
          @Override
          public AsyncDataConsumer handleResponse(HttpResponse response, EntityDetails details)
              throws HttpException, IOException {
            challenged.set(response.getCode() == 401);
            return challenged.get() ? null : super.handleResponse(response, details);
          }

          @Override
          public void completed() {
            if (!challenged.get()) {
              super.completed();
              return;
            }
            again.removeHeaders(KEY);
            again.setHeader("Authorization", "Basic x");
            if (body != null) {
              body.releaseResources();
            }
            proceed(again, body, scope, chain, callback);
          }
        });
  }

  private void changed(
      HttpRequest request,
      AsyncEntityProducer body,
      AsyncExecChain.Scope scope,
      AsyncExecChain chain,
      AsyncExecCallback callback)
      throws HttpException, IOException {
    AsyncEntityProducer some =
        body == null ? new BasicAsyncEntityProducer(new byte[] {1}, null) : body;
    switch (how) {
      case DROPS_KEY -> {
        request.removeHeaders(KEY);
        chain.proceed(request, body, scope, callback);
      }
      case MAKES_KEYS -> {
        request.setHeader(KEY, UUID.randomUUID().toString());
        chain.proceed(request, body, scope, callback);
      }
      case MAKES_POST -> chain.proceed(as("POST", request), some, scope, callback);
      case MAKES_PUT -> chain.proceed(as("PUT", request), some, scope, callback);
      default -> throw new AssertionError(how);
    }
  }

  private static HttpRequest as(String method, HttpRequest request) {
    BasicHttpRequest made =
        new BasicHttpRequest(
            method, request.getScheme(), request.getAuthority(), request.getPath());
    for (org.apache.hc.core5.http.Header line : request.getHeaders()) {
      made.addHeader(line);
    }
    return made;
  }

  private static IOException usersOwn(String message) {
    return new IOException(message, new ScenarioOutcome.UserCodeException());
  }
}
