package dev.steadfast.retry.okhttp;

import dev.steadfast.retry.engine.CallContext;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import okhttp3.Call;
import okhttp3.Interceptor;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;

/**
 * The first interceptor of a client that has others before the {@link RetryInterceptor}. Those may
 * proceed more than once, and the timeout of the call runs while they work. So this one sees the
 * begin and the end of each call.
 */
final class AroundCalls implements Interceptor {
  private final LongSupplier ticker;
  private final CallContextCapture callContext;
  private final Map<Call, CallOperations> underWay = new ConcurrentHashMap<>();

  AroundCalls(LongSupplier ticker, CallContextCapture callContext) {
    this.ticker = ticker;
    this.callContext = callContext;
  }

  @Override
  public Response intercept(Chain chain) throws IOException {
    Call call = chain.call();
    CallOperations operations = new CallOperations(ticker, call);
    underWay.put(call, operations);
    try {
      return chain.proceed(chain.request());
    } finally {
      underWay.remove(call);
      end(operations, call);
    }
  }

  private void end(CallOperations operations, Call call) {
    if (operations.none()) {
      return;
    }
    CallContext before = CallContext.bind(callContext.of(call));
    try {
      operations.close();
    } finally {
      CallContext.bind(before);
    }
  }

  /** The operations of a call; null if the call has not come by here. */
  @Nullable CallOperations of(Call call) {
    return underWay.get(call);
  }

  int size() {
    return underWay.size();
  }
}
