package dev.steadfast.retry.httpclient;

import dev.steadfast.retry.engine.RetryLoop;
import dev.steadfast.retry.engine.TimerScheduler;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** An operation under way, and how its caller waits for it. */
record BlockingSend<T>(RetryLoop<Answer<T>> loop, CompletableFuture<HttpResponse<T>> future) {

  /** Waits on the calling thread. */
  HttpResponse<T> await() throws IOException, InterruptedException {
    End<T> end = new End<>();
    future.whenComplete(end);
    try {
      TimerScheduler.system().await(end.come, Long.MAX_VALUE);
      return end.result();
    } catch (InterruptedException interrupted) {
      loop.interrupt();
      return end.afterInterrupt();
    }
  }

  /**
   * The end of the future. Not {@code get()}: there a worker of a fork-join pool runs other tasks
   * while it waits, and those would see the scope that this thread is in.
   */
  private static final class End<T>
      implements BiConsumer<@Nullable HttpResponse<T>, @Nullable Throwable> {
    private final CountDownLatch come = new CountDownLatch(1);
    private @Nullable HttpResponse<T> response;
    private @Nullable Throwable failure;

    @Override
    public void accept(@Nullable HttpResponse<T> response, @Nullable Throwable failure) {
      this.response = response;
      Throwable cause = failure instanceof CompletionException ? failure.getCause() : null;
      this.failure = cause == null ? failure : cause;
      come.countDown();
    }

    // Another end may have won the race: then the caller gets it, and the interrupt after it.
    HttpResponse<T> afterInterrupt() throws IOException, InterruptedException {
      boolean again = false;
      while (come.getCount() > 0) {
        try {
          come.await();
        } catch (InterruptedException once) {
          again = true;
        }
      }
      if (again || !(failure instanceof InterruptedException)) {
        Thread.currentThread().interrupt();
      }
      return result();
    }

    HttpResponse<T> result() throws IOException, InterruptedException {
      HttpResponse<T> known = response;
      if (known != null) {
        return known;
      }
      if (failure instanceof InterruptedException interrupted) {
        throw interrupted;
      }
      if (failure instanceof CancellationException cancelled) {
        throw cancelled;
      }
      if (failure instanceof IllegalArgumentException illegal) {
        throw new IllegalArgumentException(illegal.getMessage(), illegal);
      }
      if (failure instanceof IOException broken) {
        throw Failures.withFramesOfCaller(broken);
      }
      throw new IOException(Objects.requireNonNull(failure).getMessage(), failure);
    }
  }
}
