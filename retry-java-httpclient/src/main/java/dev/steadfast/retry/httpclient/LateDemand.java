package dev.steadfast.retry.httpclient;

import dev.steadfast.retry.internal.Durations;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/**
 * The demand for a body that is read after the client's call. The client finds out that a body is
 * broken when it is asked for bytes, and before its call is over that would fail the call.
 */
final class LateDemand implements Flow.Subscription {
  private volatile Flow.@Nullable Subscription client;
  private boolean begun;
  private long held;

  /** The client can be asked, though it is not yet. */
  LateDemand of(Flow.Subscription subscription) {
    client = subscription;
    return this;
  }

  /** The client's call is over. */
  void begin() {
    long asked;
    synchronized (this) {
      begun = true;
      asked = held;
    }
    if (asked != 0) {
      ask(asked);
    }
  }

  @Override
  public void request(long n) {
    synchronized (this) {
      if (!begun) {
        held = Durations.saturatedAdd(held, n);
        return;
      }
    }
    ask(n);
  }

  private void ask(long n) {
    Flow.Subscription source = client;
    if (source != null) {
      source.request(n);
    }
  }

  @Override
  public void cancel() {
    Flow.Subscription source = client;
    if (source != null) {
      source.cancel();
    }
  }
}
