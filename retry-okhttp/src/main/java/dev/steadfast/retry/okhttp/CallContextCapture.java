package dev.steadfast.retry.okhttp;

import dev.steadfast.retry.ContextCapture;
import dev.steadfast.retry.engine.CallContext;
import dev.steadfast.retry.internal.Contexts;
import java.io.IOException;
import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;
import okhttp3.Call;
import okhttp3.EventListener;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;

/**
 * Remembers the {@link CallContext} in which a call was made, for the interceptor, which runs on a
 * thread of the dispatcher. OkHttp asks for a call's listener on the thread that makes the call; no
 * other hook of a client runs there.
 *
 * <p>If the configuration carries a context of the caller's, this is also the first interceptor,
 * and restores that context on a thread other than the one that made the call.
 */
final class CallContextCapture implements EventListener.Factory, Interceptor {
  /** The context in which a call was made. */
  private record Noted(
      @Nullable CallContext scope, ContextCapture.@Nullable Snapshot context, long thread) {}

  private final EventListener.Factory users;
  private final @Nullable ContextCapture context;
  // Weak, because nobody tells of a call's end. A call made outside of any context has no entry.
  private final Map<Call, Noted> noted = Collections.synchronizedMap(new WeakHashMap<>());

  private CallContextCapture(EventListener.Factory users, @Nullable ContextCapture context) {
    this.users = users;
    this.context = context;
  }

  /**
   * Puts itself before the listeners that the builder has, and before its interceptors.
   *
   * @param builder the builder of a client
   * @param listeners the listeners of the builder, which has no getter for them
   * @param context the context to carry, null for none
   */
  static CallContextCapture addTo(
      OkHttpClient.Builder builder,
      EventListener.Factory listeners,
      @Nullable ContextCapture context) {
    CallContextCapture capture = new CallContextCapture(usersOwn(listeners), context);
    builder.eventListenerFactory(capture);
    if (context != null) {
      builder.interceptors().add(0, capture);
    }
    return capture;
  }

  /** The user's listeners, without the factory of this class around them. */
  static EventListener.Factory usersOwn(EventListener.Factory factory) {
    return factory instanceof CallContextCapture ours ? ours.users : factory;
  }

  @Override
  public EventListener create(Call call) {
    CallContext here = CallContext.current();
    if (here != null || context != null) {
      ContextCapture.Snapshot snapshot = context == null ? null : context.capture();
      noted.put(call, new Noted(here, snapshot, Thread.currentThread().getId()));
    }
    return users.create(call);
  }

  int size() {
    return noted.size();
  }

  /** The context of a call: that of this thread, else the one in which the call was made. */
  @Nullable CallContext of(Call call) {
    Noted then = noted.get(call); // not removed: an interceptor may proceed more than once
    CallContext here = CallContext.current();
    return here == null && then != null ? then.scope() : here;
  }

  @Override
  public Response intercept(Chain chain) throws IOException {
    Noted then = noted.get(chain.call());
    if (then == null || then.thread() == Thread.currentThread().getId()) {
      return chain.proceed(chain.request());
    }
    Runnable leave = Contexts.enter(then.context());
    try {
      return chain.proceed(chain.request());
    } finally {
      leave.run();
    }
  }
}
