package dev.steadfast.retry.okhttp;

import java.io.IOException;
import okhttp3.Interceptor;
import okhttp3.Response;

/**
 * The outermost application interceptor of the client that {@link RetryingCallFactory} derives: an
 * attempt begins where its call leaves the dispatcher's queue.
 */
final class AttemptInterceptor implements Interceptor {
  private final Wires wires;

  AttemptInterceptor(Wires wires) {
    this.wires = wires;
  }

  @Override
  public Response intercept(Chain chain) throws IOException {
    WireState wire = wires.get(chain.call());
    return wire == null ? chain.proceed(chain.request()) : wire.attempted(chain, chain.request());
  }
}
