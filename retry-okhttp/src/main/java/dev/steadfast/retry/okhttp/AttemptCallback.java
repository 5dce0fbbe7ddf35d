package dev.steadfast.retry.okhttp;

import dev.steadfast.retry.engine.Attempt;
import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import okhttp3.Call;
import okhttp3.Callback;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;

/**
 * OkHttp's callback of an attempt, on a thread of the dispatcher. If the operation ends with the
 * attempt, the user's callback runs after the loop has returned. So its exceptions reach the
 * dispatcher.
 */
final class AttemptCallback implements Callback, OnDispatcher {
  private static final AtomicReferenceFieldUpdater<AttemptCallback, @Nullable WireTrace> WIRE =
      AtomicReferenceFieldUpdater.newUpdater(AttemptCallback.class, WireTrace.class, "wire");

  private final RunningCall owner;
  private final OkHttpTransport transport;
  private final Attempt<OkHttpAnswer> attempt;
  private volatile @Nullable WireTrace wire; // null once the end has arrived
  private @Nullable Thread thread;
  private @Nullable OkHttpAnswer answer; // like the failure, for the user's callback
  private @Nullable Throwable failure;

  AttemptCallback(
      RunningCall owner, OkHttpTransport transport, Attempt<OkHttpAnswer> attempt, WireTrace wire) {
    this.owner = owner;
    this.transport = transport;
    this.attempt = attempt;
    this.wire = wire;
  }

  @Override
  public boolean isHere() {
    return Thread.currentThread().equals(thread);
  }

  void tells(@Nullable OkHttpAnswer answer, @Nullable Throwable failure) {
    this.answer = answer;
    this.failure = failure;
  }

  @Override
  public void onFailure(Call call, IOException thrown) {
    WireTrace first = first();
    if (first != null) {
      arrived(first, null, thrown);
    }
  }

  @Override
  public void onResponse(Call call, Response response) {
    WireTrace first = first();
    if (first == null) {
      UnwantedResponse.close(response, owner.operation());
      return;
    }
    arrived(first, response, null);
  }

  // Null if the end has arrived before: a user's own call may call back more than once.
  private @Nullable WireTrace first() {
    WireTrace here = wire;
    return here != null && WIRE.compareAndSet(this, here, null) ? here : null;
  }

  private void arrived(WireTrace wire, @Nullable Response response, @Nullable IOException thrown) {
    owner.arrived(this, wire);
    thread = Thread.currentThread();
    Runnable undo = attempt.restoreContext();
    try {
      if (response != null) {
        transport.answered(response, wire, attempt);
      } else {
        transport.failed(Objects.requireNonNull(thrown), wire, attempt);
      }
      if (answer != null || failure != null) {
        owner.tell(answer, failure);
      }
    } finally {
      thread = null;
      undo.run();
    }
  }
}
