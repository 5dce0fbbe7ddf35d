package dev.steadfast.retry.okhttp;

import dev.steadfast.retry.engine.Attempt;
import java.io.IOException;
import okhttp3.Call;
import okhttp3.Callback;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;

/**
 * The end of an attempt, on a thread of the dispatcher. If the operation ends with it, the callback
 * is called after the loop has returned. So what the callback throws reaches the dispatcher.
 */
final class DispatchedAttempt implements Callback {
  private final RunningCall owner;
  private final OkHttpTransport transport;
  private final Attempt<Answer> attempt;
  private final WireTrace wire;
  private @Nullable Thread thread;
  private @Nullable Answer answer; // for the callback, as is the failure
  private @Nullable Throwable failure;

  DispatchedAttempt(
      RunningCall owner, OkHttpTransport transport, Attempt<Answer> attempt, WireTrace wire) {
    this.owner = owner;
    this.transport = transport;
    this.attempt = attempt;
    this.wire = wire;
  }

  boolean isHere() {
    return Thread.currentThread().equals(thread);
  }

  void tells(@Nullable Answer answer, @Nullable Throwable failure) {
    this.answer = answer;
    this.failure = failure;
  }

  @Override
  public void onFailure(Call call, IOException thrown) {
    arrived(null, thrown);
  }

  @Override
  public void onResponse(Call call, Response response) {
    arrived(response, null);
  }

  private void arrived(@Nullable Response response, @Nullable IOException thrown) {
    owner.arrived(this, wire);
    thread = Thread.currentThread();
    Runnable undo = attempt.restoreContext();
    try {
      if (response != null) {
        transport.answered(response, wire, attempt);
      } else {
        attempt.complete(null, thrown);
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
