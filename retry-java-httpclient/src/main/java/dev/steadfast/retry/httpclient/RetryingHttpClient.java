package dev.steadfast.retry.httpclient;

import dev.steadfast.retry.http.HttpOperation;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.Journaling;
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
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;

/**
 * An {@link HttpClient} that retries: it sends requests through another client, and sends them
 * again where that is safe. Immutable and safe for use by many threads.
 *
 * <pre>{@code
 * RetryingHttpClient http =
 *     RetryingHttpClient.wrap(HttpClient.newHttpClient(), HttpRetry.defaults());
 * }</pre>
 *
 * <p>The caller gets the last response, or the last exception as it was thrown; {@link
 * JdkReports#of} and {@link dev.steadfast.retry.RetryReport#of(Throwable)} tell what happened. A
 * response that is followed by another attempt never reaches the caller's body handler; the handler
 * is called again for each response that is meant for the caller. A body that breaks while the
 * handler collects it ({@code ofString}, {@code ofFile}) is a failure of the attempt and retried if
 * the request may be; with a handler that completes at the head ({@code ofInputStream}) reading the
 * body is the caller's. A file is then written from its start: give {@code ofFile} the options
 * {@code CREATE, WRITE, TRUNCATE_EXISTING}, as without them a shorter body leaves the tail of the
 * one that broke. The caller's code may already have used what a handler passed on, so a body that
 * breaks is retried only with {@code ofString}, {@code ofByteArray}, {@code ofFile} and {@code
 * discarding}: not with {@code fromSubscriber} and the like, a subscriber of the caller's own, or
 * one that wraps another ({@code buffering}, {@code limiting}, {@code mapping}).
 *
 * <p>The JDK's client goes on beneath as always: it follows redirects, answers challenges, and
 * sends a GET or HEAD again when a connection breaks, within one attempt and unseen by reports.
 *
 * <p>The journal of a journaled operation ({@link RetryOptions.Builder#journaled}) keeps the body
 * of the answer as it came, and the same call later gets it through its own body handler. A body
 * that is handed over with the head ({@code ofInputStream}, {@code ofPublisher}) is not kept.
 */
public final class RetryingHttpClient extends HttpClient {
  private final WrappedClient wrapped;
  private final HttpClient delegate;
  private final HttpRetry retry;
  private final RetryOptions options;
  private final RedirectedKeys redirectedKeys;
  private final KeyedRequest keyedRequest;
  private final boolean view;

  private RetryingHttpClient(
      HttpClient delegate, HttpRetry retry, Consumer<HttpClient.Builder> unreadable) {
    this.wrapped = new WrappedClient(delegate, retry, unreadable);
    this.delegate = delegate;
    this.retry = retry;
    this.options = RetryOptions.none();
    this.redirectedKeys = new RedirectedKeys(delegate, retry);
    this.keyedRequest = KeyedRequest.none();
    this.view = false;
  }

  private RetryingHttpClient(RetryingHttpClient viewed, RetryOptions options) {
    this.wrapped = viewed.wrapped;
    this.delegate = viewed.delegate;
    this.retry = viewed.retry;
    this.options = options;
    this.redirectedKeys = viewed.redirectedKeys;
    this.keyedRequest = viewed.keyedRequest.of(options);
    this.view = true;
  }

  /**
   * A client around the JDK's default one, with {@link HttpRetry#defaults()}. Hides the method of
   * {@link HttpClient}, which would make a client that does not retry.
   *
   * @return a client
   */
  public static RetryingHttpClient newHttpClient() {
    return wrap(HttpClient.newHttpClient(), HttpRetry.defaults());
  }

  /**
   * As {@link #newBuilder(HttpRetry)} with {@link HttpRetry#defaults()}. Hides the method of {@link
   * HttpClient}, which makes clients that do not retry.
   *
   * @return a builder of retrying clients
   */
  public static HttpClient.Builder newBuilder() {
    return newBuilder(HttpRetry.defaults());
  }

  /**
   * A builder of the JDK's that builds retrying clients: for libraries that take a builder and no
   * client. Not safe for use by several threads.
   *
   * @param retry the configuration
   * @return a builder with the JDK's settings and defaults; its {@code build()} gives a {@code
   *     RetryingHttpClient} and throws what {@link #wrap} throws
   */
  public static HttpClient.Builder newBuilder(HttpRetry retry) {
    return newBuilder(retry, RetryOptions.none());
  }

  /**
   * As {@link #newBuilder(HttpRetry)}, with options for all calls, as {@link #with} sets them.
   *
   * @param retry the configuration
   * @param options the options of each call
   * @return a builder of retrying clients
   */
  public static HttpClient.Builder newBuilder(HttpRetry retry, RetryOptions options) {
    return new RetryingBuilder(retry, options);
  }

  /**
   * A client that sends through another one.
   *
   * @param delegate sends the attempts; stays usable by itself, and keeps connections, redirects,
   *     cookies and all its other settings
   * @param retry the configuration
   * @return a client
   * @throws IllegalArgumentException if the delegate retries already, being a {@code
   *     RetryingHttpClient}; if the configuration has an {@link
   *     dev.steadfast.retry.limit.AdaptiveLimit} and nothing surely ends an attempt: neither an
   *     attempt timeout, nor a total timeout together with a body idle timeout; if {@code
   *     jdk.httpclient.enableAllMethodRetry}, a system property or set in the JDK's {@code
   *     conf/net.properties}, has the JDK resend unsafe requests; or if the delegate follows
   *     redirects where the configuration adds keys and {@link
   *     HttpRetry.Builder#refuseRedirectedKeys} is set
   */
  public static RetryingHttpClient wrap(HttpClient delegate, HttpRetry retry) {
    return wrap(delegate, retry, builder -> {});
  }

  /**
   * A client that sends through one of our own builder.
   *
   * @param unreadable sets on a builder the properties for which a client has no getter
   */
  static RetryingHttpClient wrap(
      HttpClient delegate, HttpRetry retry, Consumer<HttpClient.Builder> unreadable) {
    Checks.notNull("delegate", delegate);
    Checks.notNull("retry", retry);
    if (delegate instanceof RetryingHttpClient) {
      throw Checks.bad("delegate", delegate, "a client that does not retry");
    }
    AllMethodRetry.refuse(AllMethodRetry.OF_THIS_JDK);
    boolean bodiesEnd = retry.plan().bodyIdleTimeoutNanos() != Long.MAX_VALUE;
    retry.plan().requireEndOfAttempts(false, bodiesEnd);
    return new RetryingHttpClient(delegate, retry, unreadable);
  }

  /**
   * A view of this client for one operation, or for several of a kind; it shares everything else.
   *
   * <p>A view with an idempotency key among its options is for one request, because a key
   * identifies one request. The first request that is sent with the key is remembered: its method,
   * its target, the length of its body, and a checksum of the body if that can be sent again and
   * has at most 1 MiB (it is read once more for that). The same request may be sent again; {@code
   * send} and {@code sendAsync} refuse another one with an {@code IllegalArgumentException}. Views
   * made from this view with the same key remember the same request.
   *
   * <p>Closing or shutting down a view does nothing: only the client that it is a view of ends.
   *
   * @param options the options of operations of the view; a view of a view keeps the options that
   *     these do not set
   * @return a client
   */
  public RetryingHttpClient with(RetryOptions options) {
    return new RetryingHttpClient(this, this.options.with(Checks.notNull("options", options)));
  }

  /**
   * The options of this view.
   *
   * @return the options that {@link #with} was given; none for a client that is not a view
   */
  public RetryOptions options() {
    return options;
  }

  /**
   * The part of a request that a journal keeps, for {@code journal.enlist(connection,
   * client.intent(request))}. Nothing is sent. The options of this view name the operation, by
   * {@link RetryOptions.Builder#journaled}.
   *
   * @param request the request
   * @return the operation as the journal has it
   * @throws IllegalArgumentException if this view has no such options, if the body of the request
   *     is read once or too long for the journal, or if {@link #send} refuses the request
   */
  public Journaling.Kept intent(HttpRequest request) {
    return operation(original(request)).intent();
  }

  /**
   * Sends operations that a journal has and other calls or processes began.
   *
   * <p>Method, target, body, the headers that the journal keeps, and the key are those of the first
   * request. Its own timeout, HTTP version and {@code Expect: 100-continue} are not kept: those of
   * this client and its policy apply, as they suit the process that sends. Credentials are the
   * authenticator's and the cookie handler's; a header such as {@code Authorization} is not kept,
   * so a wrapped client has to add it. The thread waits for the answer, which is noted in the
   * journal and discarded.
   *
   * @return sends through this client, with its configuration; an {@link IllegalArgumentException}
   *     says that the body of a request is not kept
   */
  public Journaling.Sender sender() {
    return (journal, due) ->
        with(RetryOptions.resuming(journal, due))
            .send(JournaledRequest.of(due), HttpResponse.BodyHandlers.discarding());
  }

  /**
   * Sends a request and waits for its last response.
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
    // The client's own send would let such a thread run other tasks of its pool.
    boolean apart = Thread.currentThread() instanceof ForkJoinWorkerThread;
    JdkTransport<T> transport = transport(request, new Receiver<>(responseBodyHandler, null, true));
    wrapped.begin(transport.loop());
    try {
      return transport.run(apart).response();
    } catch (IOException thrown) {
      throw apart ? Failures.withFramesOfCaller(thrown) : thrown;
    } catch (InterruptedException | RuntimeException | Error thrown) {
      throw thrown;
    } catch (Throwable thrown) {
      throw new IOException(thrown);
    } finally {
      transport.over(); // also where the operation could not even begin
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
   * <p>Pushes of the server are handed to the push promise handler as they come, whatever becomes
   * of their attempt; a resource that an earlier attempt has brought is not accepted again.
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
    JdkTransport<T> transport =
        transport(request, new Receiver<>(responseBodyHandler, pushes, false));
    try {
      wrapped.begin(transport.loop());
    } catch (IOException closed) {
      return CompletableFuture.failedFuture(closed);
    }
    return start(transport);
  }

  private <T> JdkTransport<T> transport(HttpRequest request, Receiver<T> receiver) {
    Checks.notNull("responseBodyHandler", receiver.handler());
    JdkRequest original = original(request);
    return new JdkTransport<>(wrapped, operation(original), original, receiver);
  }

  private JdkRequest original(HttpRequest request) {
    return new JdkRequest(Checks.notNull("request", request), RequestBody.of(request, options));
  }

  private HttpOperation operation(JdkRequest original) {
    HttpOperation operation = retry.operation(original, options);
    redirectedKeys.check(!operation.headersOfOrigin().isEmpty());
    keyedRequest.check(original, operation.info());
    return operation;
  }

  private static <T> CompletableFuture<HttpResponse<T>> start(JdkTransport<T> transport) {
    CompletableFuture<HttpResponse<T>> future = begun(transport);
    RuntimeException refusal = transport.refusal();
    if (refusal != null && future.isCompletedExceptionally()) {
      throw refusal; // as the JDK does
    }
    return future;
  }

  private static <T> CompletableFuture<HttpResponse<T>> begun(JdkTransport<T> transport) {
    try {
      return transport.start();
    } catch (Throwable notBegun) {
      transport.over();
      throw notBegun;
    }
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

  /**
   * Begins a web socket of the delegate's: nothing of it is retried.
   *
   * @return the delegate's builder
   * @throws IllegalArgumentException if this is a view for a journaled operation
   */
  @Override
  public WebSocket.Builder newWebSocketBuilder() {
    options.refuseToJournal("a web socket");
    return delegate.newWebSocketBuilder();
  }

  /**
   * Lets the operations end that are under way, with their waits and further attempts, refuses new
   * ones, and closes the delegate after the last one. If the calling thread is interrupted
   * meanwhile, it goes on as {@link #shutdownNow()}. Java before 21 cannot close the delegate; the
   * rest holds there too. Does nothing on a view made by {@link #with}.
   */
  public void close() {
    if (!view) {
      wrapped.close();
    }
  }

  /** Begins what {@link #close()} does, without waiting. */
  public void shutdown() {
    if (!view) {
      wrapped.shutdown();
    }
  }

  /**
   * Ends the operations that are under way, whether on the wire or waiting, with an {@code
   * IOException}; refuses new ones; and shuts the delegate down at once, on Java 21 and newer. Does
   * nothing on a view made by {@link #with}.
   */
  public void shutdownNow() {
    if (!view) {
      wrapped.shutdownNow();
    }
  }

  /**
   * Waits for the end of all operations, and of the delegate, after a shutdown.
   *
   * @param duration the longest time to wait
   * @return whether all has ended; false on Java before 21
   * @throws InterruptedException if the thread is interrupted
   */
  public boolean awaitTermination(Duration duration) throws InterruptedException {
    return wrapped.awaitTermination(duration);
  }

  /**
   * Whether all operations and the delegate have ended after a shutdown.
   *
   * @return true after their end; false on Java before 21
   */
  public boolean isTerminated() {
    return wrapped.isTerminated();
  }

  @Override
  public String toString() {
    return "RetryingHttpClient(" + delegate + ", " + retry + ")";
  }
}
