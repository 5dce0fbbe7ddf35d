package dev.steadfast.retry.apache5;

import dev.steadfast.retry.tck.Client;
import dev.steadfast.retry.tck.HttpCall;
import dev.steadfast.retry.tck.ScenarioOutcome;
import dev.steadfast.retry.tck.ScenarioOutcome.Category;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.hc.client5.http.async.methods.SimpleHttpResponse;
import org.apache.hc.client5.http.async.methods.SimpleRequestBuilder;
import org.apache.hc.client5.http.async.methods.SimpleResponseConsumer;
import org.apache.hc.client5.http.impl.async.CloseableHttpAsyncClient;
import org.apache.hc.client5.http.impl.nio.PoolingAsyncClientConnectionManager;
import org.apache.hc.client5.http.protocol.HttpClientContext;
import org.apache.hc.core5.concurrent.FutureCallback;
import org.apache.hc.core5.http.ConnectionClosedException;
import org.apache.hc.core5.http.EntityDetails;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.HttpRequest;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.message.BasicHttpRequest;
import org.apache.hc.core5.http.nio.AsyncEntityProducer;
import org.apache.hc.core5.http.nio.AsyncResponseConsumer;
import org.apache.hc.core5.http.nio.CapacityChannel;
import org.apache.hc.core5.http.nio.entity.BasicAsyncEntityProducer;
import org.apache.hc.core5.http.nio.support.BasicRequestProducer;
import org.apache.hc.core5.http.protocol.HttpContext;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.util.TimeValue;

/** The asynchronous client under test. */
final class AsyncUnderTest implements Client {
  private final CloseableHttpAsyncClient client;
  private final CloseableHttpAsyncClient plain;
  private final PoolingAsyncClientConnectionManager pool;
  private volatile CompletableFuture<Future<?>> current = new CompletableFuture<>();

  AsyncUnderTest(
      CloseableHttpAsyncClient client,
      CloseableHttpAsyncClient plain,
      PoolingAsyncClientConnectionManager pool) {
    this.client = client;
    this.plain = plain;
    this.pool = pool;
  }

  @Override
  public ScenarioOutcome call(URI uri, HttpCall call, Runnable onHead) throws InterruptedException {
    current = new CompletableFuture<>();
    HttpClientContext context = Apache5Retry.with(HttpClientContext.create(), call.options());
    Watching watching = new Watching(onHead);
    try {
      Future<SimpleHttpResponse> sent =
          client.execute(producer(uri, call), watching, context, null);
      current.complete(sent);
      SimpleHttpResponse response = sent.get();
      Parts.awaitNoLease(pool); // the future is completed a moment before
      String body = response.getBodyText() == null ? "" : response.getBodyText();
      Map<String, List<String>> headers = Apache5Views.map(response);
      return new ScenarioOutcome.Answer(
          response.getCode(), body, headers, Apache5Reports.of(response));
    } catch (ExecutionException failure) {
      Throwable thrown = failure.getCause();
      Category category = watching.head ? Category.BROKEN_READING : category(thrown);
      return new ScenarioOutcome.Failure(category, thrown);
    } catch (RuntimeException thrown) {
      return new ScenarioOutcome.Failure(category(thrown), thrown);
    }
  }

  private static BasicRequestProducer producer(URI uri, HttpCall call) {
    BasicHttpRequest request = new BasicHttpRequest(call.method(), uri);
    call.headers().forEach(line -> request.addHeader(line.getKey(), line.getValue()));
    return new BasicRequestProducer(request, entity(call.body()));
  }

  private static AsyncEntityProducer entity(HttpCall.Body body) {
    byte[] bytes = body.text().getBytes(StandardCharsets.UTF_8);
    return switch (body.form()) {
      case ABSENT -> null;
      case REPEATABLE -> new BasicAsyncEntityProducer(bytes, null);
      case ONE_SHOT -> new TestProducer(bytes, false, false);
      case UNKNOWN_LENGTH -> new TestProducer(bytes, true, false);
      case CHANGING -> new TestProducer(bytes, true, true);
    };
  }

  /** A consumer that tells of the head. */
  private static final class Watching implements AsyncResponseConsumer<SimpleHttpResponse> {
    private final SimpleResponseConsumer simple = SimpleResponseConsumer.create();
    private final Runnable onHead;
    private volatile boolean head;

    Watching(Runnable onHead) {
      this.onHead = onHead;
    }

    @Override
    public void consumeResponse(
        HttpResponse response,
        EntityDetails details,
        HttpContext context,
        FutureCallback<SimpleHttpResponse> callback)
        throws HttpException, IOException {
      head = true;
      onHead.run();
      simple.consumeResponse(response, details, context, callback);
    }

    @Override
    public void informationResponse(HttpResponse response, HttpContext context)
        throws HttpException, IOException {
      simple.informationResponse(response, context);
    }

    @Override
    public void failed(Exception cause) {
      simple.failed(cause);
    }

    @Override
    public void updateCapacity(CapacityChannel channel) throws IOException {
      simple.updateCapacity(channel);
    }

    @Override
    public void consume(ByteBuffer data) throws IOException {
      simple.consume(data);
    }

    @Override
    public void streamEnd(List<? extends Header> trailers) throws HttpException, IOException {
      simple.streamEnd(trailers);
    }

    @Override
    public void releaseResources() {
      simple.releaseResources();
    }
  }

  private static Category category(Throwable thrown) {
    Optional<Category> known = Category.ofEveryClient(thrown);
    if (known.isPresent()) {
      return known.get();
    }
    if (thrown.getCause() instanceof ScenarioOutcome.UserCodeException) {
      return Category.USER;
    }
    if (thrown instanceof SocketTimeoutException) {
      return Category.TIMEOUT;
    }
    if (thrown instanceof CancellationException) {
      return Category.CANCELLED;
    }
    if (thrown instanceof ConnectException) {
      return Category.CONNECT;
    }
    boolean half = String.valueOf(thrown.getMessage()).startsWith("Premature end");
    if (thrown instanceof HttpException || half) {
      return Category.BROKEN_ANSWER;
    }
    if (thrown instanceof ConnectionClosedException || thrown instanceof SocketException) {
      return Category.CONNECTION_LOST;
    }
    throw new AssertionError("an exception that the design does not know", thrown);
  }

  @Override
  public void cancel() {
    current.orTimeout(10, TimeUnit.SECONDS).join().cancel(true);
  }

  @Override
  public List<String> headerValues(Object request, String name) {
    return Apache5Views.lines((HttpRequest) request, name);
  }

  @Override
  public int plainGet(URI uri) throws Exception {
    return plain.execute(SimpleRequestBuilder.get(uri).build(), null).get().getCode();
  }

  @Override
  public boolean closeIdle() {
    pool.closeIdle(TimeValue.ZERO_MILLISECONDS);
    return true;
  }

  @Override
  public void close() {
    plain.close(CloseMode.IMMEDIATE);
    client.close(CloseMode.IMMEDIATE);
  }
}
