package dev.steadfast.retry.okhttp;

import dev.steadfast.retry.engine.CallContext;
import dev.steadfast.retry.internal.Checks;
import java.io.IOException;
import java.util.List;
import okhttp3.Interceptor;
import okhttp3.Response;

/**
 * The outermost application interceptor of the client that {@link RetryingCallFactory} derives: an
 * attempt begins where its call leaves the dispatcher's queue.
 */
final class OuterHalf implements Interceptor {
  private final LiveCalls registry;

  private final boolean alone; // no other application interceptor

  OuterHalf(LiveCalls registry, boolean alone) {
    this.registry = registry;
    this.alone = alone;
  }

  /**
   * One layer retries, and a client that a factory has derived belongs to that factory.
   *
   * @throws IllegalArgumentException if a client with these interceptors is such a one
   */
  static void requireNotWithinFactory(List<Interceptor> interceptors) {
    if (interceptors.stream().anyMatch(OuterHalf.class::isInstance)) {
      throw Checks.bad(
          "client", "one that a RetryingCallFactory has derived", "one that does not retry");
    }
  }

  @Override
  public Response intercept(Chain chain) throws IOException {
    WireTrace wire = registry.get(chain.call());
    if (wire == null) {
      if (chain.call().isCanceled() || LiveCalls.comesTooLate(chain.call())) {
        throw new IOException("Canceled"); // an attempt that was given up in the queue
      }
      return alone ? UsersOwnCall.throughOkHttp(chain, registry) : chain.proceed(chain.request());
    }
    Runnable undo = wire.attempt().enter();
    // The scope of an enqueued call does not come along to the dispatcher's thread by itself.
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
