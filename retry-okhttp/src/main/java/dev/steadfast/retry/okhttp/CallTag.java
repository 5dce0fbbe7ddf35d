package dev.steadfast.retry.okhttp;

import java.util.concurrent.atomic.AtomicReference;
import okhttp3.Call;
import org.jspecify.annotations.Nullable;

/**
 * A request tag that leads from OkHttp's call to the call that a factory of the user's put around
 * it. It belongs to the first call of OkHttp's that asks: another one that is made of the same
 * request, such as a clone, is no part of the attempt. Safe for use by many threads.
 */
final class CallTag {
  private final AtomicReference<@Nullable Call> okHttps = new AtomicReference<>();
  private volatile @Nullable Call around;

  @Nullable Call around() {
    return around;
  }

  void set(Call around) {
    this.around = around;
  }

  /** Whether it belongs to that call of OkHttp's. */
  boolean belongsTo(Call call) {
    return okHttps.compareAndSet(null, call) || call.equals(okHttps.get());
  }
}
