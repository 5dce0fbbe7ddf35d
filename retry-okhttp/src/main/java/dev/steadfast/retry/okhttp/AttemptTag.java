package dev.steadfast.retry.okhttp;

import okhttp3.Call;
import org.jspecify.annotations.Nullable;

/**
 * A request tag that leads from OkHttp's call to the call that a factory of the user's put around
 * it.
 */
final class AttemptTag {
  private volatile @Nullable Call call;

  @Nullable Call call() {
    return call;
  }

  void set(Call around) {
    call = around;
  }
}
