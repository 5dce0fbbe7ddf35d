package dev.steadfast.retry.okhttp;

import dev.steadfast.retry.http.HttpOperation;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.internal.Checks;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import okhttp3.Call;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;

/**
 * Makes OkHttp calls that survive failure: for OkHttp itself, Retrofit, and SDKs that take a {@link
 * Call.Factory}. Immutable and safe for use by many threads.
 *
 * <pre>{@code
 * Call.Factory calls = RetryingCallFactory.wrap(okHttpClient, HttpRetry.defaults());
 * try (Response response = calls.newCall(request).execute()) { ... }
 * }</pre>
 *
 * <p>An enqueued call that waits for its retry holds no thread and none of the dispatcher's places.
 * The client keeps its pool, dispatcher, cache, interceptors and timeouts; its interceptors run
 * once per attempt. What OkHttp would resend by itself is not sent: every request on the wire is an
 * attempt that the report counts, but for redirects, authentication and the fallback to another
 * address.
 *
 * <p>Options for one operation are a request tag: {@code
 * request.newBuilder().tag(RetryOptions.class, options)}. A clone of a call is an operation of its
 * own, with a key of its own unless the caller gave one. Upgrades ({@code Connection: Upgrade}) and
 * duplex bodies pass untouched.
 */
public final class RetryingCallFactory implements Call.Factory {
  private final OkHttpClient plain;
  private final OkHttpClient client;
  private final HttpRetry retry;
  private final AttemptRegistry wires = AttemptRegistry.ofDerivedClient();
  private final Set<RetryingCall> running = ConcurrentHashMap.newKeySet();

  private RetryingCallFactory(OkHttpClient plain, HttpRetry retry) {
    this.plain = plain;
    this.retry = retry;
    this.client = derived(plain, wires);
  }

  private static OkHttpClient derived(OkHttpClient plain, AttemptRegistry wires) {
    OkHttpClient.Builder derived = plain.newBuilder();
    // One layer retries: the outer one.
    derived.interceptors().removeIf(RetryingCallFactory::ours);
    derived.networkInterceptors().removeIf(RetryingCallFactory::ours);
    derived.eventListenerFactory(CallContextCapture.usersOwn(plain.eventListenerFactory()));
    boolean alone = derived.interceptors().isEmpty();
    derived.interceptors().add(0, new AttemptInterceptor(wires, alone));
    ResendSuppressor guard = ResendSuppressor.addTo(derived, wires);
    if (!alone) {
      derived.interceptors().add(guard); // within the client's own: they see what the server sent
    }
    return derived.build();
  }

  private static boolean ours(Interceptor interceptor) {
    return interceptor instanceof RetryInterceptor
        || interceptor instanceof CallStarts
        || interceptor instanceof ResendSuppressor
        || interceptor instanceof WireProbe;
  }

  /**
   * Wraps a client.
   *
   * @param client the client; not changed
   * @param retry the configuration
   * @return a factory for calls that are retried
   */
  public static RetryingCallFactory wrap(OkHttpClient client, HttpRetry retry) {
    return new RetryingCallFactory(
        Checks.notNull("client", client), Checks.notNull("retry", retry));
  }

  /**
   * Prepares a call. Nothing is sent yet.
   *
   * @param request the request; a {@link RetryOptions} among its tags applies to this call alone
   * @return a call that is executed or enqueued once, as every OkHttp call
   * @throws IllegalArgumentException if the request carries a key header twice or with control
   *     characters, or if the key that is made for it is out of its range
   */
  @Override
  public Call newCall(Request request) {
    return untouched(request) ? plain.newCall(request) : CallProxy.complete(call(request));
  }

  RetryingCall call(Request request) {
    return new RetryingCall(this, request, operation(request));
  }

  /** What is sent within whatever the calling thread is in. */
  HttpOperation operation(Request request) {
    return retry.operation(new OkHttpViews.OfRequest(request), OkHttpViews.options(request));
  }

  /**
   * Cancels every call of this factory that is queued, on the wire or waiting. {@code
   * Dispatcher.cancelAll} does not know of those that wait.
   */
  public void cancelAll() {
    // The end of one call gives its place to the next in the dispatcher's queue: hold all first.
    List<RetryingCall> all = List.copyOf(running);
    all.forEach(RetryingCall::hold);
    all.forEach(RetryingCall::cancel);
  }

  static boolean untouched(Request request) {
    RequestBody body = request.body();
    return request.header("Upgrade") != null || (body != null && body.isDuplex());
  }

  OkHttpClient client() {
    return client;
  }

  HttpRetry retry() {
    return retry;
  }

  AttemptRegistry wires() {
    return wires;
  }

  void started(RetryingCall call) {
    running.add(call);
  }

  void ended(RetryingCall call) {
    running.remove(call);
  }

  int underWay() {
    return running.size();
  }

  @Override
  public String toString() {
    return "RetryingCallFactory(" + retry + ")";
  }
}
