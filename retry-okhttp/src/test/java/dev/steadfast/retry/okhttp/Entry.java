package dev.steadfast.retry.okhttp;

import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.internal.CleanReport;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import okhttp3.Call;
import okhttp3.Callback;
import okhttp3.Headers;
import okhttp3.Response;

/** The ways into the library. */
enum Entry {
  EXECUTE,
  ENQUEUE,
  INTERCEPTOR;

  /** What the caller got; the body has been read. */
  record Outcome(
      int status, String body, Headers headers, IOException failure, RetryReport report) {
    @Override
    public String toString() {
      return (failure == null ? status + " " + body : failure.toString()) + "; " + report;
    }
  }

  /** Carries a call out to its end. */
  Outcome make(Call call) {
    try (Response response = this == ENQUEUE ? enqueued(call) : call.execute()) {
      return new Outcome(
          response.code(),
          response.body().string(),
          response.headers(),
          null,
          OkHttpReports.of(response));
    } catch (IOException failure) {
      return new Outcome(
          -1, "", Headers.of(), failure, RetryReport.of(failure).orElse(CleanReport.of(null)));
    }
  }

  static Response enqueued(Call call) throws IOException {
    Answers answers = new Answers();
    call.enqueue(answers);
    return answers.get();
  }

  /** A callback that waits for what it gets. */
  static final class Answers implements Callback {
    private final CompletableFuture<Response> future = new CompletableFuture<>();
    private volatile Thread thread;
    private volatile Call call;

    @Override
    public void onFailure(Call failed, IOException failure) {
      called(failed);
      if (!future.completeExceptionally(failure)) {
        throw new AssertionError("called back twice: " + failure);
      }
    }

    @Override
    public void onResponse(Call answered, Response response) {
      called(answered);
      if (!future.complete(response)) {
        throw new AssertionError("called back twice: " + response);
      }
    }

    private void called(Call by) {
      thread = Thread.currentThread();
      call = by;
    }

    boolean done() {
      return future.isDone();
    }

    Thread thread() {
      return thread;
    }

    Call call() {
      return call;
    }

    Response get() throws IOException {
      try {
        return future.get(20, TimeUnit.SECONDS);
      } catch (ExecutionException e) {
        if (e.getCause() instanceof IOException failure) {
          throw failure;
        }
        throw new AssertionError(e);
      } catch (TimeoutException | InterruptedException e) {
        throw new AssertionError("no callback within 20 s", e);
      }
    }

    IOException failure() {
      try (Response response = get()) {
        throw new AssertionError("not a failure: " + response);
      } catch (IOException failure) {
        return failure;
      }
    }
  }
}
