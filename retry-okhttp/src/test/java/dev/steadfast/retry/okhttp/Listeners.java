package dev.steadfast.retry.okhttp;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import okhttp3.Call;
import okhttp3.EventListener;

/** A user's own event listeners, which count. */
final class Listeners implements EventListener.Factory {
  final List<Call> calls = new CopyOnWriteArrayList<>();
  final AtomicInteger started = new AtomicInteger();

  @Override
  public EventListener create(Call call) {
    calls.add(call);
    return new EventListener() {
      @Override
      public void callStart(Call begun) {
        started.incrementAndGet();
      }
    };
  }
}
