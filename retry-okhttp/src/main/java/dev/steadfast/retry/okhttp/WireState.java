package dev.steadfast.retry.okhttp;

import dev.steadfast.retry.Attempt;
import dev.steadfast.retry.Exchange;
import dev.steadfast.retry.Surroundings;
import dev.steadfast.retry.Verdict;
import dev.steadfast.retry.http.HttpOperation;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.net.Socket;
import java.net.SocketException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import okhttp3.Call;
import okhttp3.Connection;
import okhttp3.Headers;
import okhttp3.HttpUrl;
import okhttp3.Interceptor;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;

/**
 * What one attempt did on the wire, as the interceptors saw it: how often a request went out, on
 * what kind of connection, how it failed, and what was hidden from OkHttp on the way back.
 *
 * <p>Written by the thread of OkHttp's call; read by whoever settles the attempt, which after a
 * timeout or a cancellation is another one.
 */
final class WireState implements Runnable {
  private static final VarHandle SENT;

  static {
    try {
      SENT = MethodHandles.lookup().findVarHandle(WireState.class, "sent", int.class);
    } catch (ReflectiveOperationException impossible) {
      throw new ExceptionInInitializerError(impossible);
    }
  }

  private final HttpOperation operation;
  private final HttpUrl url;
  private final Attempt<Answer> attempt;
  private final Call call;

  // Requests sent; sealed, it is -1 - requests, so that sending and sealing exclude each other.
  private volatile int sent;
  private volatile boolean reused;
  private volatile @Nullable Socket socket; // its reads are bounded by the attempt; HTTP/1 alone
  private volatile boolean unsent;
  private volatile boolean earlierTaken; // a request before the last one may have been processed
  private volatile boolean keyLost; // one that is not idempotent went elsewhere without its key
  private volatile int status;
  private volatile boolean handedBack;
  private volatile boolean dropped;
  private volatile boolean held;
  private volatile boolean interrupted;
  private volatile boolean broken;
  private volatile @Nullable IOException failure;
  private @Nullable List<String> hiddenRetryAfter;

  WireState(HttpOperation operation, HttpUrl url, Attempt<Answer> attempt, Call call) {
    this.operation = operation;
    this.url = url;
    this.attempt = attempt;
    this.call = call;
  }

  Attempt<Answer> attempt() {
    return attempt;
  }

  Call call() {
    return call;
  }

  /** Stops the attempt on the wire: its canceller. */
  @Override
  public void run() {
    call.cancel();
  }

  /**
   * Makes the attempt, unless it is over before it began.
   *
   * @param alone whether no interceptor of the client's comes before the {@link WireGuard}
   */
  Response attempted(Interceptor.Chain chain, Request request, boolean alone) throws IOException {
    if (call.isCanceled() || held || !attempt.begin(request)) {
      throw new IOException("Canceled");
    }
    try {
      return alone ? revealed(chain, request) : chain.proceed(request);
    } catch (IOException thrown) {
      interrupted = Thread.currentThread().isInterrupted(); // who judges may be another thread
      if (interrupted && !(thrown instanceof InterruptedIOException)) {
        throw interruption(thrown); // the socket of a virtual thread says that it was closed
      }
      throw canceled(thrown) ? new IOException("Canceled", thrown) : thrown;
    } catch (RuntimeException | Error bug) {
      broken = true; // OkHttp may make an IOException of it
      throw bug;
    } catch (Throwable undeclared) {
      throw declared(undeclared);
    }
  }

  /** Goes on, and shows on the way back what the {@link WireGuard} hid from OkHttp. */
  Response revealed(Interceptor.Chain chain, Request request) throws IOException {
    try {
      return reveal(chain.proceed(request));
    } catch (Sealed sealed) {
      throw sealed.opened();
    }
  }

  /** What applies to other operations that the attempt begins, an authenticator's for one. */
  @Nullable Surroundings forOthers(@Nullable Surroundings here) {
    Surroundings own = operation.plan().surroundings();
    return own == null ? here : own.beyond();
  }

  /** The request with the time that is left now: some went by in the dispatcher's queue. */
  Request withTimeLeft(Request request) {
    if (!operation.tellsTimeLeft()) {
      return request;
    }
    Request.Builder late = request.newBuilder();
    operation.headers(attempt.number(), attempt.timeoutNanos(), late::header);
    return late.build();
  }

  // A cancelled call fails with whatever its closed socket says; the caller knows one word for it.
  private boolean canceled(IOException thrown) {
    return cancelledByOthers()
        && !(thrown instanceof InterruptedIOException)
        && !"Canceled".equals(thrown.getMessage());
  }

  // OkHttp 5 lets an InterruptedException through while it connects.
  private IOException declared(Throwable undeclared) {
    if (!(undeclared instanceof InterruptedException)) {
      broken = true;
      return new IOException(undeclared);
    }
    interrupted = true;
    Thread.currentThread().interrupt();
    return interruption(undeclared);
  }

  private static IOException interruption(Throwable cause) {
    IOException interruption = new InterruptedIOException("interrupted");
    interruption.initCause(cause);
    return interruption;
  }

  /**
   * Whether it is worth a millisecond to ask whether a pooled connection is still alive: the
   * request could not be sent again, or a retry must not meet the next dead connection.
   */
  boolean asksFirst() {
    return !operation.replayable() || attempt.number() > 1;
  }

  boolean replayable() {
    return operation.replayable();
  }

  /**
   * Gives a body back to the client's own read timeout: the attempt ended with the head, and
   * reading is the caller's. Not where there is none to read: its connection may serve another call
   * by now.
   */
  void leaveBodyTo(Response response, int readTimeoutMillis) {
    boolean none =
        response.body().contentLength() == 0
            || response.code() == 204
            || response.code() == 304
            || response.request().method().equals("HEAD");
    if (none || response.networkResponse() == null) {
      return;
    }
    response.body().source().timeout().timeout(readTimeoutMillis, TimeUnit.MILLISECONDS);
    Socket bounded = socket;
    if (bounded == null) {
      return;
    }
    try {
      bounded.setSoTimeout(readTimeoutMillis);
    } catch (SocketException closed) {
      // whoever reads will see it
    }
  }

  /** The connection that the latest request goes out on. */
  void on(Connection connection) {
    boolean http1 =
        connection.protocol() == Protocol.HTTP_1_1 || connection.protocol() == Protocol.HTTP_1_0;
    socket = http1 ? connection.socket() : null;
  }

  /** A key belongs to one server, a scope to those named: a follow-up elsewhere has neither. */
  Request withoutForeignHeaders(Request request) {
    if (sameOrigin(request.url())) {
      return request;
    }
    List<String> bound = operation.headersOfOrigin();
    if (bound.stream().allMatch(name -> request.header(name) == null)) {
      return request;
    }
    Request.Builder foreign = request.newBuilder();
    bound.forEach(foreign::removeHeader);
    return foreign.build();
  }

  private boolean losesKey(Request request) {
    String header = operation.keyHeader().orElse(null);
    return header != null
        && request.header(header) == null
        && !sameOrigin(request.url())
        && !HttpOperation.idempotent(request.method());
  }

  /** What an outcome means, given what else the attempt sent. */
  Verdict weigh(Verdict verdict) {
    boolean lost = keyLost;
    return lost || earlierTaken ? operation.afterEarlierRequest(verdict, lost) : verdict;
  }

  Exchange.Facts weigh(Exchange.Facts facts) {
    return earlierTaken ? facts.afterEarlierRequest() : facts;
  }

  private boolean sameOrigin(HttpUrl other) {
    return url.scheme().equals(other.scheme())
        && url.host().equals(other.host())
        && url.port() == other.port();
  }

  /**
   * Counts a request that goes out now.
   *
   * @throws IOException if the attempt was given up; then nothing may follow
   */
  void sending(Request request, boolean onReusedConnection) throws IOException {
    int before = sent;
    while (before >= 0 && !SENT.compareAndSet(this, before, before + 1)) {
      before = sent;
    }
    if (before < 0) {
      throw new IOException("Canceled");
    }
    earlierTaken = earlierTaken || (before > 0 && !refusal(status));
    keyLost = keyLost || losesKey(request);
    reused = onReusedConnection;
    unsent = false;
    status = 0;
  }

  /**
   * Lets nothing out any more, so that what {@link #deliveries} says stays true: a timer may give
   * up an attempt as never sent whose thread is just about to send.
   */
  void seal() {
    int before = sent;
    while (before >= 0 && !SENT.compareAndSet(this, before, -1 - before)) {
      before = sent;
    }
  }

  // A challenge, or a limit: the request before this one was not processed.
  private static boolean refusal(int code) {
    return code == 401 || code == 407 || code == 421 || code == 425 || code == 429;
  }

  void answered(int code) {
    status = code;
  }

  /** A request that was counted failed. */
  void failed(IOException reason) {
    failure = reason;
  }

  /** A request that was counted did not go out after all. */
  void notSent(IOException reason) {
    int before = sent;
    while (!SENT.compareAndSet(this, before, before < 0 ? before + 1 : before - 1)) {
      before = sent;
    }
    foundDead(reason);
  }

  /** A connection was found dead before a request was counted. */
  void foundDead(IOException reason) {
    failure = reason;
    unsent = true;
  }

  /** Whether nothing of the last request can have reached the server. */
  boolean lastUnsent() {
    return unsent;
  }

  int deliveries() {
    int count = sent;
    return count < 0 ? -1 - count : count;
  }

  /** OkHttp gave the response to the loop: what breaks now is its body. */
  void handBack() {
    handedBack = true;
  }

  boolean handedBack() {
    return handedBack;
  }

  /** OkHttp's call is cancelled to get rid of its response. */
  void drop() {
    dropped = true;
    call.cancel();
  }

  /** Does not begin any more; unlike a cancellation it ends nothing that has begun. */
  void hold() {
    held = true;
  }

  /** Whether somebody cancelled OkHttp's call who is neither our timer nor our canceller. */
  boolean cancelledByOthers() {
    return (held || call.isCanceled()) && !attempt.stopped() && !dropped;
  }

  /** Whether the thread of the call was interrupted when the attempt failed. */
  boolean interrupted() {
    return interrupted;
  }

  /** Whether an interceptor threw what no interceptor may throw. */
  boolean broken() {
    return broken;
  }

  boolean reused() {
    return reused;
  }

  /** The status of the last request, 0 without an answer. */
  int status() {
    return status;
  }

  /** Whether a failure is the wire's own, and not that of a connect or of another interceptor. */
  boolean caused(Throwable thrown) {
    return thrown.equals(failure);
  }

  /**
   * Takes away what would make OkHttp send the request again by itself: it repeats a 503 that says
   * {@code Retry-After: 0}, a 408 without delay, and crashes on a delay of eleven digits.
   */
  Response hideFollowUp(Response response) {
    int code = response.code();
    if (code != 503 && code != 408) {
      return response;
    }
    hiddenRetryAfter = response.headers("Retry-After");
    Response.Builder hidden = response.newBuilder().removeHeader("Retry-After");
    return code == 408 ? hidden.header("Retry-After", "1").build() : hidden.build();
  }

  private Response reveal(Response response) {
    List<String> values = hiddenRetryAfter;
    if (values == null || (response.code() != 503 && response.code() != 408)) {
      return response;
    }
    Response network = response.networkResponse();
    return response
        .newBuilder()
        .headers(revealed(response.headers(), values))
        .networkResponse(
            network == null
                ? null
                : network.newBuilder().headers(revealed(network.headers(), values)).build())
        .build();
  }

  private static Headers revealed(Headers hidden, List<String> values) {
    Headers.Builder headers = hidden.newBuilder().removeAll("Retry-After");
    // As OkHttp takes what a server sends: other methods throw at what is not ASCII.
    values.forEach(value -> headers.addUnsafeNonAscii("Retry-After", value));
    return headers.build();
  }
}
