package dev.steadfast.retry.effects;

import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.okhttp.OkHttpReports;
import dev.steadfast.retry.okhttp.RetryingCallFactory;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.CompletableFuture;
import okhttp3.Call;
import okhttp3.Callback;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;

/** OkHttp, as the helpers need it. */
record OkHttpCalls(RetryingCallFactory calls) implements Client<Request> {

  @Override
  public String method(Request request) {
    return request.method();
  }

  @Override
  public @Nullable String header(Request request, String name) {
    return request.header(name);
  }

  @Override
  public Request withHeader(Request request, String name, String value) {
    return request.newBuilder().header(name, value).build();
  }

  @Override
  public Request put(Request request, byte[] body) {
    return request.newBuilder().put(RequestBody.create(body, null)).build();
  }

  @Override
  public RetryOptions options(Request request) {
    RetryOptions options = request.tag(RetryOptions.class);
    if (options == null && request.tag() instanceof RetryOptions untyped) {
      options = untyped;
    }
    return options == null ? RetryOptions.none() : options;
  }

  private Call call(Request request, RetryOptions options) {
    RetryOptions merged = options(request).with(options);
    return calls.newCall(request.newBuilder().tag(RetryOptions.class, merged).build());
  }

  @Override
  public Reply send(Request request, RetryOptions options) throws InterruptedException {
    try (Response response = call(request, options).execute()) {
      return reply(response);
    } catch (IOException failure) {
      if (failure instanceof InterruptedIOException && Thread.interrupted()) {
        InterruptedException interrupted = new InterruptedException(failure.getMessage());
        interrupted.initCause(failure);
        throw interrupted;
      }
      return Reply.failed(failure);
    }
  }

  @Override
  public CompletableFuture<Reply> sendAsync(Request request, RetryOptions options) {
    Call call = call(request, options);
    CompletableFuture<Reply> reply = new CompletableFuture<>();
    call.enqueue(new Arrival(reply));
    reply.whenComplete((answer, thrown) -> {
      if (reply.isCancelled()) {
        call.cancel();
      }
    });
    return reply;
  }

  /** Completes a future with what comes of a call. */
  private record Arrival(CompletableFuture<Reply> reply) implements Callback {
    @Override
    public void onResponse(Call call, Response response) {
      try (response) {
        reply.complete(OkHttpCalls.reply(response));
      } catch (Throwable broken) {
        reply.completeExceptionally(broken);
      }
    }

    @Override
    public void onFailure(Call call, IOException failure) {
      reply.complete(Reply.failed(failure));
    }
  }

  private static Reply reply(Response response) {
    RetryReport report = OkHttpReports.of(response);
    Reply.Head head =
        new Reply.Head(response.code(), response.headers().toMultimap(), redirected(response));
    try {
      return Reply.answered(head, response.body().bytes(), report);
    } catch (IOException broken) {
      return Reply.broken(head, broken, report);
    }
  }

  private static boolean redirected(Response response) {
    Response next = response;
    for (Response prior = next.priorResponse(); prior != null; prior = next.priorResponse()) {
      if (Reply.redirected(prior.code(), prior.request().method(), next.request().method())) {
        return true;
      }
      next = prior;
    }
    return false;
  }
}
