package dev.steadfast.retry.okhttp;

import dev.steadfast.retry.internal.Methods;
import java.io.IOException;
import okhttp3.Interceptor;
import okhttp3.Request;
import okhttp3.Response;

/**
 * A call that a factory of the user's makes of the client it was given, beside the call of the
 * attempt. It is no attempt, but OkHttp must not send its request again either.
 */
final class UsersOwnCall {
  private UsersOwnCall() {}

  /** Whether the request of such a call may have an effect, and is about to be sent. */
  static boolean isGuarded(Interceptor.Chain chain, LiveCalls registry) {
    return registry.interceptors().withinUsersCalls() && !Methods.reads(chain.request().method());
  }

  /** Sends such a call on from the outer half. */
  static Response throughOkHttp(Interceptor.Chain chain, LiveCalls registry) throws IOException {
    if (!registry.interceptors().withinUsersCalls()) {
      return chain.proceed(chain.request());
    }
    try {
      return HiddenServerDelay.reveal(chain.proceed(chain.request()));
    } catch (NonRecoverableException sealed) {
      throw sealed.opened();
    }
  }

  /**
   * Sends such a call on from the network half.
   *
   * @param dead whether the connection is closed, so that nothing goes out
   */
  static Response send(Interceptor.Chain chain, LiveCalls registry, boolean dead)
      throws IOException {
    Request request = chain.request();
    if (!dead) {
      registry.otherCall(chain.call());
    }
    try {
      return HiddenServerDelay.hidden(chain.proceed(request));
    } catch (IOException failure) {
      boolean oneShot = request.body() != null && request.body().isOneShot();
      if ((dead && !oneShot) || OkHttpErrors.connectionShutdown(failure)) {
        throw failure; // OkHttp takes another connection
      }
      throw new NonRecoverableException(failure);
    }
  }
}
