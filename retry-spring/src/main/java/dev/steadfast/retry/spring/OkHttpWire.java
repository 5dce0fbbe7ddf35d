package dev.steadfast.retry.spring;

import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.okhttp.RetryingCallFactory;
import java.io.IOException;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import okhttp3.Call;
import okhttp3.Callback;
import okhttp3.MediaType;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okio.BufferedSink;
import okio.Okio;
import okio.Pipe;
import org.jspecify.annotations.Nullable;

/** OkHttp. */
record OkHttpWire(RetryingCallFactory calls) implements Wire {
  private static final long PIPE_BYTES = 64 * 1024;
  private static final Set<String> WITH_BODY =
      Set.of("POST", "PUT", "PATCH", "PROPPATCH", "QUERY", "REPORT");

  @Override
  public SpringAnswer send(Head head, byte @Nullable [] body) throws IOException {
    RequestBody known = null;
    if (body != null && body.length > 0) {
      known = RequestBody.create(body, null);
    } else if (WITH_BODY.contains(head.method().name())) {
      known = RequestBody.create(new byte[0], null); // OkHttp insists on one
    }
    return new OkHttpAnswer(calls.newCall(request(head, known)).execute());
  }

  @Override
  public SpringAnswer send(Head head, RepeatableBody body) throws IOException {
    return new OkHttpAnswer(calls.newCall(request(head, new WrittenBody(body))).execute());
  }

  @Override
  public Upload begin(Head head) throws IOException {
    Pipe pipe = new Pipe(PIPE_BYTES);
    Call call =
        calls.newCall(request(head, new PipedBody(pipe, head.headers().getContentLength())));
    CompletableFuture<SpringAnswer> answer = new CompletableFuture<>();
    call.enqueue(new Answering(answer, pipe));
    return new Upload(Okio.buffer(pipe.sink()).outputStream(), answer, call::cancel);
  }

  private static Request request(Head head, @Nullable RequestBody body) throws IOException {
    Request.Builder request =
        new Request.Builder().url(head.uri().toURL()).method(head.method().name(), body);
    head.forEachLine(request::addHeader);
    return request.tag(RetryOptions.class, head.options()).build();
  }

  private record Answering(CompletableFuture<SpringAnswer> answer, Pipe pipe) implements Callback {
    @Override
    public void onResponse(Call call, Response response) {
      pipe.cancel(); // the writing thread is told
      answer.complete(new OkHttpAnswer(response));
    }

    @Override
    public void onFailure(Call call, IOException failure) {
      pipe.cancel();
      answer.completeExceptionally(failure);
    }
  }

  /** A body that is written anew each time. */
  private static final class WrittenBody extends RequestBody {
    private final RepeatableBody body;

    WrittenBody(RepeatableBody body) {
      this.body = body;
    }

    // The type is among the headers.
    @Override
    public @Nullable MediaType contentType() {
      return null;
    }

    @Override
    public long contentLength() {
      return body.length();
    }

    @Override
    public void writeTo(BufferedSink sink) throws IOException {
      body.writeTo(sink.outputStream());
    }
  }

  /** A body that one thread writes while another one sends it, once. */
  private static final class PipedBody extends RequestBody {
    private final Pipe pipe;
    private final long length;

    PipedBody(Pipe pipe, long length) {
      this.pipe = pipe;
      this.length = length;
    }

    // The type is among the headers.
    @Override
    public @Nullable MediaType contentType() {
      return null;
    }

    @Override
    public long contentLength() {
      return length;
    }

    @Override
    public boolean isOneShot() {
      return true;
    }

    @Override
    public void writeTo(BufferedSink sink) throws IOException {
      sink.writeAll(pipe.source());
    }
  }
}
