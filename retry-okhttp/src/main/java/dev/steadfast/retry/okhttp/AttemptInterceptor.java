package dev.steadfast.retry.okhttp;

import dev.steadfast.retry.internal.CallContext;
import java.io.IOException;
import okhttp3.Interceptor;
import okhttp3.Response;

/**
 * The outermost application interceptor of the client that {@link RetryingCallFactory} derives: an
 * attempt begins where its call leaves the dispatcher's queue.
 */
final class AttemptInterceptor implements Interceptor {
  private final AttemptRegistry registry;

  private final boolean alone; // no other application interceptor

  AttemptInterceptor(AttemptRegistry registry, boolean alone) {
    this.registry = registry;
    this.alone = alone;
  }

  @Override
  public Response intercept(Chain chain) throws IOException {
    WireTrace wire = registry.get(chain.call());
    if (wire == null) {
      if (chain.call().isCanceled() || AttemptRegistry.comesTooLate(chain.call())) {
        throw new IOException("Canceled"); // an attempt that was given up in the queue
      }
      return chain.proceed(chain.request());
    }
    Runnable undo = wire.attempt().enter();
    // Of an enqueued call, the scope does not come along to the dispatcher's thread by itself.
    CallContext before = CallContext.bind(wire.forOthers(CallContext.current()));
    Runnable unmark = alone ? () -> {} : wire.markAttempt();
    try {
      return wire.attempted(chain, wire.withTimeLeft(chain.request()), alone);
    } finally {
      unmark.run();
      CallContext.bind(before);
      undo.run();
    }
  }
}
