package dev.steadfast.retry.httpclient;

import dev.steadfast.retry.engine.RetryLoop;
import dev.steadfast.retry.http.HttpOperation;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.internal.Checks;
import java.io.IOException;
import java.net.Authenticator;
import java.net.CookieHandler;
import java.net.ProxySelector;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.PushPromiseHandler;
import java.net.http.WebSocket;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinWorkerThread;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;

/**
 * An {@link HttpClient} that survives failure: it sends through another client, and again where
 * that is safe. Immutable and safe for use by many threads.
 *
 * <pre>{@code
 * HttpClient http = RetryingHttpClient.wrap(HttpClient.newHttpClient(), HttpRetry.defaults());
 * }</pre>
 *
 * <p>The caller gets the last response, or the last exception as it was thrown; {@link
 * JdkReports#of} and {@link dev.steadfast.retry.RetryReport#of(Throwable)} tell what happened. A
 * response that is followed by another attempt never reaches the caller's body handler; the handler
 * is asked anew for each response that is for the caller. A body that breaks while the handler
 * collects it ({@code ofString}, {@code ofFile}) is a failure of the attempt and retried if the
 * request may be; with a handler that completes at the head ({@code ofInputStream}) reading the
 * body is the caller's. A file is then written from its start: give {@code ofFile} the options
 * {@code CREATE, WRITE, TRUNCATE_EXISTING}, as without them a shorter body leaves the tail of the
 * one that broke. What a handler has passed on to the caller's code cannot be taken back, so a body
 * that breaks under {@code fromSubscriber}, {@code fromLineSubscriber} or {@code
 * ofByteArrayConsumer} is not retried; for such a handler of your own say {@code
 * retryBrokenBody(false)}.
 *
 * <p>What the JDK does by itself goes on beneath: it follows redirects, answers challenges, and
 * sends a GET or HEAD again when a connection breaks, within one attempt and unseen by reports.
 */
public final class RetryingHttpClient extends HttpClient {
  private final HttpClient delegate;
  private final HttpRetry retry;
  private final RetryOptions options;
  private final RedirectedKeys redirectedKeys;
  private final KeyedRequest keyedRequest;

  private RetryingHttpClient(
      HttpClient delegate,
      HttpRetry retry,
      RetryOptions options,
      RedirectedKeys redirectedKeys,
      KeyedRequest keyedRequest) {
    this.delegate = delegate;
    this.retry = retry;
    this.options = options;
    this.redirectedKeys = redirectedKeys;
    this.keyedRequest = keyedRequest;
  }

  /**
   * A client that sends through another one.
   *
   * @param delegate sends the attempts; stays usable by itself, and keeps connections, redirects,
   *     cookies and all its other settings
   * @param retry what to retry and how
   * @return a client
   * @throws IllegalArgumentException if the delegate retries already, being a {@code
   *     RetryingHttpClient}; if {@code jdk.httpclient.enableAllMethodRetry}, a system property or
   *     set in the JDK's {@code conf/net.properties}, has the JDK resend unsafe requests; or if the
   *     delegate follows redirects where the configuration adds keys and {@link
   *     HttpRetry.Builder#refuseRedirectedKeys} is set
   */
  public static RetryingHttpClient wrap(HttpClient delegate, HttpRetry retry) {
    Checks.notNull("delegate", delegate);
    Checks.notNull("retry", retry);
    if (delegate instanceof RetryingHttpClient) {
      throw Checks.bad("delegate", delegate, "a client that does not retry");
    }
    AllMethodRetry.refuse(AllMethodRetry.OF_THIS_JDK);
    return new RetryingHttpClient(
        delegate,
        retry,
        RetryOptions.none(),
        new RedirectedKeys(delegate, retry),
        KeyedRequest.none());
  }

  /**
   * A view of this client for one operation, or for several of a kind; it shares everything else.
   *
   * <p>With an idempotency key among the options it is for one request, as a key stands for one
   * intent. The first request that is sent with the key is remembered: its method, its target, the
   * length of its body, and a checksum of the body if that can be sent again and has at most 1 MiB
   * (it is read once more for that). The same request may be sent again; {@code send} and {@code
   * sendAsync} refuse another one with an {@code IllegalArgumentException}. Views made from this
   * view with the same key remember the same request.
   *
   * @param options what applies to operations of the view; they take the place of options that were
   *     given before
   * @return a client
   */
  public RetryingHttpClient with(RetryOptions options) {
    return new RetryingHttpClient(
        delegate,
        retry,
        Checks.notNull("options", options),
        redirectedKeys,
        keyedRequest.of(options));
  }

  /**
   * Sends a request and waits for what comes of it.
   *
   * @param request the request
   * @param responseBodyHandler makes the body of the response that the caller gets
   * @param <T> the type of the body
   * @return the last response
   * @throws IOException the exception that the last attempt ended with; an {@link
   *     dev.steadfast.retry.AttemptRefusedException} if a guard refused an attempt
   * @throws InterruptedException if the thread was interrupted; nothing is sent any more
   * @throws IllegalArgumentException if the request is one that the delegate does not take, its key
   *     header is malformed, or the key of this view belongs to another request
   */
  @Override
  public <T> HttpResponse<T> send(HttpRequest request, BodyHandler<T> responseBodyHandler)
      throws IOException, InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException(); // as the JDK does, before anything is sent
    }
    if (Thread.currentThread() instanceof ForkJoinWorkerThread) {
      // Within the client's own send such a thread would run other tasks of its pool.
      JdkTransport<T> exchange =
          exchange(request, new Receiver<>(responseBodyHandler, null, false));
      RetryLoop<Answer<T>> loop = exchange.loop();
      return new BlockingSend<>(loop, start(loop, exchange)).await();
    }
    JdkTransport<T> exchange = exchange(request, new Receiver<>(responseBodyHandler, null, true));
    try {
      return exchange.loop().run(exchange.boundNanos()).response();
    } catch (IOException | InterruptedException | RuntimeException | Error thrown) {
      throw thrown;
    } catch (Throwable thrown) {
      throw new IOException(thrown);
    }
  }

  @Override
  public <T> CompletableFuture<HttpResponse<T>> sendAsync(
      HttpRequest request, BodyHandler<T> responseBodyHandler) {
    return sendAsync(request, responseBodyHandler, null);
  }

  /**
   * Sends a request. Cancelling the future, or one derived from it, ends the wait and the attempt;
   * completing it from outside does too.
   *
   * <p>What the server pushes is handed to the push promise handler as it comes, whatever becomes
   * of the attempt that it comes with; a resource that an earlier attempt has brought is not
   * accepted again.
   *
   * @param request the request
   * @param responseBodyHandler makes the body of the response that the caller gets
   * @param pushPromiseHandler takes what the server pushes, null to refuse it
   * @param <T> the type of the body
   * @return the future of the last response
   * @throws IllegalArgumentException if the request is one that the delegate does not take, its key
   *     header is malformed, or the key of this view belongs to another request
   */
  @Override
  public <T> CompletableFuture<HttpResponse<T>> sendAsync(
      HttpRequest request,
      BodyHandler<T> responseBodyHandler,
      @Nullable PushPromiseHandler<T> pushPromiseHandler) {
    Pushes<T> pushes = pushPromiseHandler == null ? null : new Pushes<>(pushPromiseHandler);
    JdkTransport<T> exchange =
        exchange(request, new Receiver<>(responseBodyHandler, pushes, false));
    return start(exchange.loop(), exchange);
  }

  private <T> JdkTransport<T> exchange(HttpRequest request, Receiver<T> receiver) {
    Checks.notNull("request", request);
    Checks.notNull("responseBodyHandler", receiver.handler());
    JdkRequest ask = new JdkRequest(request, RequestBody.of(request, options));
    HttpOperation operation = retry.operation(ask, options);
    redirectedKeys.check(!operation.headersOfOrigin().isEmpty());
    keyedRequest.check(ask, operation.info());
    return new JdkTransport<>(delegate, operation, ask, receiver);
  }

  private static <T> CompletableFuture<HttpResponse<T>> start(
      RetryLoop<Answer<T>> loop, JdkTransport<T> exchange) {
    CompletableFuture<HttpResponse<T>> future =
        loop.start(exchange.boundNanos(), Answer::response, CompletionException::new);
    RuntimeException refusal = exchange.refusal();
    if (refusal != null && future.isCompletedExceptionally()) {
      throw refusal; // as the JDK does
    }
    return future;
  }

  @Override
  public Optional<CookieHandler> cookieHandler() {
    return delegate.cookieHandler();
  }

  @Override
  public Optional<Duration> connectTimeout() {
    return delegate.connectTimeout();
  }

  @Override
  public Redirect followRedirects() {
    return delegate.followRedirects();
  }

  @Override
  public Optional<ProxySelector> proxy() {
    return delegate.proxy();
  }

  @Override
  public SSLContext sslContext() {
    return delegate.sslContext();
  }

  @Override
  public SSLParameters sslParameters() {
    return delegate.sslParameters();
  }

  @Override
  public Optional<Authenticator> authenticator() {
    return delegate.authenticator();
  }

  @Override
  public Version version() {
    return delegate.version();
  }

  @Override
  public Optional<Executor> executor() {
    return delegate.executor();
  }

  /** WebSockets are the delegate's: nothing of them is retried. */
  @Override
  public WebSocket.Builder newWebSocketBuilder() {
    return delegate.newWebSocketBuilder();
  }

  /**
   * Closes the delegate on Java 21 and newer; does nothing on older ones, where clients cannot be
   * closed. The delegate does not know of operations that wait for their next attempt: it refuses
   * that attempt.
   */
  public void close() {
    Jdk21Methods.close(delegate);
  }

  /** Shuts the delegate down, as {@link #close()} does but without waiting. */
  public void shutdown() {
    Jdk21Methods.shutdown(delegate);
  }

  /** Shuts the delegate down at once, on Java 21 and newer. */
  public void shutdownNow() {
    Jdk21Methods.shutdownNow(delegate);
  }

  /**
   * Waits for the delegate's end, on Java 21 and newer.
   *
   * @param duration the longest time to wait
   * @return whether it has terminated; false on older Java
   * @throws InterruptedException if the thread is interrupted
   */
  public boolean awaitTermination(Duration duration) throws InterruptedException {
    return Jdk21Methods.awaitTermination(delegate, duration);
  }

  /**
   * Whether the delegate has terminated, on Java 21 and newer.
   *
   * @return true after its end; false on older Java
   */
  public boolean isTerminated() {
    return Jdk21Methods.isTerminated(delegate);
  }

  @Override
  public String toString() {
    return "RetryingHttpClient(" + delegate + ", " + retry + ")";
  }
}
