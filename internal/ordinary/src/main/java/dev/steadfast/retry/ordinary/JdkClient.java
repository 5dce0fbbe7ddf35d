package dev.steadfast.retry.ordinary;

import dev.steadfast.retry.ordinary.Entry.Way;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** {@code java.net.http}, plain or wrapped. */
public final class JdkClient implements Client {
  private final Run run;
  private final HttpClient http;

  JdkClient(Run run, HttpClient http) {
    this.run = run;
    this.http = http;
  }

  @Override
  public Run run() {
    return run;
  }

  /** The client that a program sends with. */
  public HttpClient http() {
    return http;
  }

  /** The same run, with a client of the program's around that one. */
  public JdkClient through(UnaryOperator<HttpClient> decorator) {
    return new JdkClient(run, decorator.apply(http));
  }

  /** A request to the server. */
  public HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(run.uri(path));
  }

  @Override
  public void send(String method, String path, String body, String... headers) {
    HttpRequest.Builder request = request(path);
    for (String header : headers) {
      String[] parts = header.split(": ", 2);
      request.header(parts[0], parts[1]);
    }
    boolean without = method.equals("GET") || method.equals("HEAD");
    boolean none = without || (body.isEmpty() && method.equals("DELETE"));
    send(
        request
            .method(method, none ? BodyPublishers.noBody() : BodyPublishers.ofString(body))
            .build(),
        BodyHandlers.ofByteArray());
  }

  /** Sends by the way of this run, reads the answer and notes all of it. */
  public void send(HttpRequest request, BodyHandler<?> handler) {
    try {
      answered(run.way() == Way.SEND ? http.send(request, handler) : sendAsync(request, handler));
    } catch (Exception | Error e) {
      run.note("result", "failed: " + Text.of(e));
    }
  }

  private <T> HttpResponse<T> sendAsync(HttpRequest request, BodyHandler<T> handler)
      throws Exception {
    CompletableFuture<HttpResponse<T>> future = http.sendAsync(request, handler);
    future.whenComplete((response, thrown) ->
        run.note("callbacks", response != null ? "response" : thrown.getClass().getName()));
    return future.get(Run.LIMIT_SECONDS, TimeUnit.SECONDS);
  }

  /** Notes an answer, whose body is read if the handler has left that to the caller. */
  public void answered(HttpResponse<?> response) {
    head(response);
    try {
      run.note("result", "body: " + body(response.body()));
    } catch (Exception e) {
      run.note("result", "reading failed: " + Text.of(e));
    }
  }

  /** Notes all of an answer but its body. */
  public void head(HttpResponse<?> response) {
    run.note("result", response.version() + " " + response.statusCode());
    response.headers().map().forEach((name, values) -> run.note("result", name + ": " + values));
    run.note("result", "of " + response.request().method() + " " + response.uri());
    HttpRequest request = response.request();
    request
        .headers()
        .map()
        .forEach((name, values) -> run.note("request of the answer", name + ": " + values));
    run.note("request of the answer", "body: " + request.bodyPublisher().map(each -> "some"));
    run.note("request of the answer", "timeout: " + request.timeout());
    run.note("request of the answer", "version: " + request.version());
    run.note("request of the answer", "expects to go on: " + request.expectContinue());
    run.note("result", "TLS: " + response.sslSession().isPresent());
    for (Optional<? extends HttpResponse<?>> each = response.previousResponse();
        each.isPresent();
        each = each.get().previousResponse()) {
      run.note("result", "after " + each.get().statusCode() + " of " + each.get().uri());
    }
  }

  private static String body(@Nullable Object body) throws Exception {
    if (body instanceof byte[] bytes) {
      return Text.of(bytes);
    }
    if (body instanceof InputStream stream) {
      try (stream) {
        return Text.of(stream);
      }
    }
    if (body instanceof Path file) {
      String text = Text.of(Files.readAllBytes(file));
      Files.delete(file);
      return text;
    }
    if (body instanceof Stream<?> lines) {
      try (lines) {
        String text = lines.map(String::valueOf).collect(Collectors.joining("|"));
        return Text.of(text.getBytes(StandardCharsets.UTF_8));
      }
    }
    if (body instanceof Flow.Publisher<?> publisher) {
      @SuppressWarnings("unchecked")
      Flow.Publisher<List<ByteBuffer>> buffers = (Flow.Publisher<List<ByteBuffer>>) publisher;
      return Text.of(collect(buffers));
    }
    return body instanceof String text
        ? Text.of(text.getBytes(StandardCharsets.UTF_8))
        : String.valueOf(body);
  }

  private static byte[] collect(Flow.Publisher<List<ByteBuffer>> publisher) throws Exception {
    CompletableFuture<byte[]> all = new CompletableFuture<>();
    publisher.subscribe(new Collector(all));
    return all.get(Run.LIMIT_SECONDS, TimeUnit.SECONDS);
  }

  /** Collects what a publisher sends, one list at a time. */
  private static final class Collector implements Flow.Subscriber<List<ByteBuffer>> {
    private final CompletableFuture<byte[]> all;
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private Flow.@Nullable Subscription subscription;

    Collector(CompletableFuture<byte[]> all) {
      this.all = all;
    }

    @Override
    public void onSubscribe(Flow.Subscription to) {
      subscription = to;
      to.request(1);
    }

    @Override
    public void onNext(List<ByteBuffer> item) {
      for (ByteBuffer buffer : item) {
        byte[] part = new byte[buffer.remaining()];
        buffer.get(part);
        bytes.writeBytes(part);
      }
      java.util.Objects.requireNonNull(subscription).request(1);
    }

    @Override
    public void onError(Throwable thrown) {
      all.completeExceptionally(thrown instanceof IOException ? thrown : new IOException(thrown));
    }

    @Override
    public void onComplete() {
      all.complete(bytes.toByteArray());
    }
  }
}
