package dev.steadfast.retry.okhttp;

import dev.steadfast.retry.internal.CallContext;
import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;
import okhttp3.Call;
import okhttp3.EventListener;
import okhttp3.OkHttpClient;
import org.jspecify.annotations.Nullable;

/**
 * Notes what a call was made within, for the interceptor that meets it on a thread of the
 * dispatcher's. OkHttp asks for a call's listener when the call is made, on the thread that makes
 * it; nothing else of a client's runs there.
 */
final class CallContextCapture implements EventListener.Factory {
  private final EventListener.Factory users;
  // Weak: nobody tells of a call's end. Empty for calls that are made within nothing.
  private final Map<Call, CallContext> noted = Collections.synchronizedMap(new WeakHashMap<>());

  private CallContextCapture(EventListener.Factory users) {
    this.users = users;
  }

  /** Puts itself before the listeners that the builder has. */
  static CallContextCapture addTo(OkHttpClient.Builder builder, OkHttpClient built) {
    CallContextCapture capture = new CallContextCapture(usersOwn(built.eventListenerFactory()));
    builder.eventListenerFactory(capture);
    return capture;
  }

  /** The listeners of a client without this. */
  static EventListener.Factory usersOwn(EventListener.Factory factory) {
    return factory instanceof CallContextCapture ours ? ours.users : factory;
  }

  @Override
  public EventListener create(Call call) {
    CallContext here = CallContext.current();
    if (here != null) {
      noted.put(call, here);
    }
    return users.create(call);
  }

  int size() {
    return noted.size();
  }

  /** What applies to a call that begins on this thread: what the thread is in, else what it was. */
  @Nullable CallContext of(Call call) {
    CallContext then = noted.get(call); // kept: another interceptor may proceed more than once
    CallContext here = CallContext.current();
    return here == null ? then : here;
  }
}
