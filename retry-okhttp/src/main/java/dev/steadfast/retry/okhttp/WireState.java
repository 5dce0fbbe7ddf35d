package dev.steadfast.retry.okhttp;

import dev.steadfast.retry.Attempt;
import dev.steadfast.retry.http.HttpOperation;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import okhttp3.Call;
import okhttp3.Headers;
import okhttp3.HttpUrl;
import okhttp3.Request;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;

/**
 * What one attempt did on the wire, as the network interceptor saw it: how often a request went
 * out, on what kind of connection, and what was hidden from OkHttp on the way back.
 */
final class WireState {
  private final HttpOperation operation;
  private final HttpUrl url;
  private final Attempt<Answer> attempt;
  private final Call call;

  // Written by the thread of the call; read by whoever settles the attempt, which for a timeout is
  // another thread.
  // Requests sent; sealed, it is -1 - requests, so that sending and sealing exclude each other.
  private final AtomicInteger sent = new AtomicInteger();
  private volatile boolean reused;
  private volatile boolean unsent;
  private volatile boolean stale;
  private volatile boolean answered;
  private volatile boolean handedBack;
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

  boolean replayable() {
    return operation.replayable();
  }

  /** A key belongs to one server: a follow-up to another origin goes without it. */
  Request withoutForeignKey(Request request) {
    Optional<String> key = operation.keyHeader();
    if (key.isEmpty() || sameOrigin(request.url()) || request.header(key.get()) == null) {
      return request;
    }
    return request.newBuilder().removeHeader(key.get()).build();
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
  void sending(boolean onReusedConnection) throws IOException {
    int before = sent.get();
    while (before >= 0 && !sent.compareAndSet(before, before + 1)) {
      before = sent.get();
    }
    if (before < 0) {
      throw new IOException("Canceled");
    }
    reused = onReusedConnection;
    answered = false;
  }

  /**
   * Lets nothing out any more, so that what {@link #deliveries} says stays true: a timer may give
   * up an attempt as never sent whose thread is just about to send.
   */
  void seal() {
    int before = sent.get();
    while (before >= 0 && !sent.compareAndSet(before, -1 - before)) {
      before = sent.get();
    }
  }

  void answered() {
    answered = true;
  }

  /** A request that was counted failed. */
  void failed(IOException reason, boolean nothingSent) {
    failure = reason;
    unsent = nothingSent;
  }

  /** A connection was found dead before a request was counted. */
  void failedUnsent(IOException reason) {
    failure = reason;
    stale = true;
  }

  /** Whether nothing of the last request can have reached the server. */
  boolean lastUnsent() {
    return unsent || stale;
  }

  int deliveries() {
    int count = sent.get();
    int requests = count < 0 ? -1 - count : count;
    return unsent ? Math.max(0, requests - 1) : requests;
  }

  /** OkHttp gave the response to the loop: what breaks now is its body. */
  void handBack() {
    handedBack = true;
  }

  boolean handedBack() {
    return handedBack;
  }

  /** Whether somebody cancelled OkHttp's call who is neither our timer nor our canceller. */
  boolean cancelledByOthers() {
    return call.isCanceled() && !attempt.stopped();
  }

  boolean reused() {
    return reused;
  }

  boolean hasAnswer() {
    return answered;
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

  /** Gives back what was hidden. */
  Response reveal(Response response) {
    List<String> values = hiddenRetryAfter;
    if (values == null || (response.code() != 503 && response.code() != 408)) {
      return response;
    }
    Headers.Builder headers = response.headers().newBuilder().removeAll("Retry-After");
    values.forEach(value -> headers.add("Retry-After", value));
    return response.newBuilder().headers(headers.build()).build();
  }
}
