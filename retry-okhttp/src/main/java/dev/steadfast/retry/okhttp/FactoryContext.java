package dev.steadfast.retry.okhttp;

import dev.steadfast.retry.http.HttpOperation;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.RequestView;
import dev.steadfast.retry.internal.Checks;
import dev.steadfast.retry.okhttp.ClientInterceptors.Around;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import okhttp3.Call;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import org.jspecify.annotations.Nullable;

/**
 * The parts that the calls of one {@link RetryingCallFactory} share. Safe for use by many threads.
 */
final class FactoryContext {
  /** A call that was begun. */
  interface Running {
    /** Begins no more attempts, not even those in the dispatcher's queue. */
    void hold();

    /** Ends it. */
    void cancel();
  }

  private final Call.Factory owner;
  private final OkHttpClient client;
  private final Call.@Nullable Factory users;
  private final HttpRetry retry;
  private final LiveCalls registry;
  private final Set<Running> running = ConcurrentHashMap.newKeySet();
  private final @Nullable Function<? super OkHttpClient, ? extends Call.Factory> around;
  private final AtomicReference<Call.@Nullable Factory> otherCalls = new AtomicReference<>();

  /**
   * The shared parts of one factory.
   *
   * @param owner the factory
   * @param plain the client that it wraps
   * @param around makes a factory of the user's around a client that does not retry, null for none
   */
  FactoryContext(
      Call.Factory owner,
      OkHttpClient plain,
      @Nullable Function<? super OkHttpClient, ? extends Call.Factory> around,
      HttpRetry retry) {
    OuterHalf.requireNotWithinFactory(plain.interceptors());
    this.owner = owner;
    this.retry = retry;
    this.registry = new LiveCalls(around(plain, around != null), SecondPool.of(retry));
    this.client = derived(plain, registry);
    this.around = around;
    this.users = around == null ? null : complete(around.apply(client), client);
  }

  private static Call.Factory complete(Call.Factory made, OkHttpClient client) {
    if (made instanceof OkHttpClient copy
        && !(keepsOurs(client.interceptors(), copy.interceptors())
            && keepsOurs(client.networkInterceptors(), copy.networkInterceptors()))) {
      throw Checks.bad(
          "call factory",
          "a client without Steadfast's interceptors",
          "one made of the given client by newBuilder(), with all its interceptors");
    }
    return made;
  }

  private static boolean keepsOurs(List<Interceptor> all, List<Interceptor> kept) {
    return all.stream()
        .filter(each -> each instanceof OuterHalf || ours(each))
        .allMatch(kept::contains);
  }

  private static Around around(OkHttpClient plain, boolean calls) {
    if (calls) {
      return Around.CALLS;
    }
    boolean none = plain.interceptors().stream().allMatch(FactoryContext::ours);
    return none ? Around.NONE : Around.INTERCEPTORS;
  }

  private static OkHttpClient derived(OkHttpClient plain, LiveCalls registry) {
    OkHttpClient.Builder derived = plain.newBuilder();
    // One layer retries: the outer one.
    derived.interceptors().removeIf(FactoryContext::ours);
    derived.networkInterceptors().removeIf(FactoryContext::ours);
    derived.eventListenerFactory(CallContextCapture.usersOwn(plain.eventListenerFactory()));
    boolean alone = derived.interceptors().isEmpty();
    derived.interceptors().add(0, new OuterHalf(registry, alone));
    ResendSuppressor guard = ResendSuppressor.addTo(derived, registry);
    if (!alone) {
      derived.interceptors().add(guard); // inside the client's own: they see what the server sent
    }
    return derived.build();
  }

  private static boolean ours(Interceptor interceptor) {
    return interceptor instanceof RetryInterceptor
        || interceptor instanceof AroundCalls
        || interceptor instanceof CallContextCapture
        || interceptor instanceof ResendSuppressor
        || interceptor instanceof WireProbe;
  }

  /** A call of the same kind, as the user would make it. */
  Call newCall(Request request) {
    return owner.newCall(request);
  }

  /** Leads from OkHttp's call to its attempt; null without a factory of the user's between them. */
  @Nullable CallTag newTag() {
    return users == null ? null : new CallTag();
  }

  /**
   * The call of an attempt.
   *
   * @param other whether it goes by the second pool
   */
  Call newAttempt(Request request, @Nullable CallTag tag, boolean other) {
    Call.Factory calls = other ? otherCalls() : usualCalls();
    return users == null || tag == null
        ? calls.newCall(request)
        : calls.newCall(request.newBuilder().tag(CallTag.class, tag).build());
  }

  private Call.Factory usualCalls() {
    return users == null ? client : users;
  }

  /** The client, or the user's factory around it, with the second pool. */
  private Call.Factory otherCalls() {
    Call.Factory known = otherCalls.get();
    SecondPool otherPool = registry.otherPool();
    if (known != null || otherPool == null) {
      return known == null ? usualCalls() : known;
    }
    OkHttpClient sibling = client.newBuilder().connectionPool(otherPool.pool()).build();
    Call.Factory made = around == null ? sibling : complete(around.apply(sibling), sibling);
    return otherCalls.compareAndSet(null, made) ? made : otherCalls();
  }

  /** The operation of a request, within the scope that the calling thread is in. */
  HttpOperation operation(Request request) {
    return operation(new CallersRequest(request), request);
  }

  /** The operation of a request for which one was made before. */
  HttpOperation operation(RequestView view, Request request) {
    return retry.operation(view, OkHttpViews.options(request));
  }

  OkHttpClient client() {
    return client;
  }

  LiveCalls registry() {
    return registry;
  }

  void started(Running call) {
    running.add(call);
  }

  void ended(Running call) {
    running.remove(call);
  }

  int underWay() {
    return running.size();
  }

  void cancelAll() {
    // The end of one call gives its place to the next in the dispatcher's queue: hold all first.
    List<Running> all = List.copyOf(running);
    all.forEach(Running::hold);
    all.forEach(Running::cancel);
  }
}
