package dev.steadfast.retry.okhttp;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import okhttp3.Call;
import okhttp3.Interceptor;
import okhttp3.Response;

/**
 * Notes when calls with a call timeout started: that time runs while interceptors before the {@link
 * RetryInterceptor} work. It is the first interceptor, where there are such.
 */
final class CallStarts implements Interceptor {
  private final LongSupplier ticker;
  private final Map<Call, Long> started = new ConcurrentHashMap<>();

  CallStarts(LongSupplier ticker) {
    this.ticker = ticker;
  }

  @Override
  public Response intercept(Chain chain) throws IOException {
    Call call = chain.call();
    if (call.timeout().timeoutNanos() == 0) {
      return chain.proceed(chain.request());
    }
    started.put(call, ticker.getAsLong());
    try {
      return chain.proceed(chain.request());
    } finally {
      started.remove(call);
    }
  }

  /** How long a call has been running, in nanoseconds; 0 if it has no timeout. */
  long elapsedNanos(Call call) {
    Long start = started.get(call);
    return start == null ? 0 : ticker.getAsLong() - start;
  }

  int size() {
    return started.size();
  }
}
