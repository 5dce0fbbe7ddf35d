package dev.steadfast.retry.okhttp;

import okio.Timeout;

/**
 * The timeout of a call. Cancelling it has, as in Okio, no effect on a call that has not begun.
 * OkHttp 4 never cancels one.
 */
final class CancellableTimeout extends Timeout {
  private final Runnable lift;

  CancellableTimeout(Runnable lift) {
    this.lift = lift;
  }

  @Override
  public void cancel() {
    super.cancel();
    lift.run();
  }
}
