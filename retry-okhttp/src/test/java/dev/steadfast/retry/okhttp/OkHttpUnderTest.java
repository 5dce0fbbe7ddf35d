package dev.steadfast.retry.okhttp;

import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.tck.Client;
import dev.steadfast.retry.tck.HttpCall;
import dev.steadfast.retry.tck.ScenarioOutcome;
import dev.steadfast.retry.tck.ScenarioOutcome.Category;
import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.ProtocolException;
import java.net.SocketException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import okhttp3.Call;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okio.BufferedSink;

/** OkHttp in the words of the scenario table, whatever makes its calls. */
final class OkHttpUnderTest implements Client {
  private final Call.Factory calls;
  private final OkHttpClient plain;
  private final Way way;
  private volatile Call current;

  /** How a call is carried out. */
  interface Way {
    Response carryOut(Call call) throws IOException;

    default void cancel(Call call) {
      call.cancel();
    }
  }

  OkHttpUnderTest(Call.Factory calls, OkHttpClient plain, Way way) {
    this.calls = calls;
    this.plain = plain;
    this.way = way;
  }

  @Override
  public ScenarioOutcome call(URI uri, HttpCall call, Runnable onHead) {
    try {
      current = calls.newCall(request(uri, call));
      Response response = way.carryOut(current);
      onHead.run();
      return read(response);
    } catch (IOException | RuntimeException thrown) {
      return new ScenarioOutcome.Failure(category(thrown), thrown);
    }
  }

  private static Request request(URI uri, HttpCall call) {
    Request.Builder request =
        new Request.Builder()
            .url(uri.toString())
            .method(call.method(), body(call.body()))
            .tag(RetryOptions.class, call.options());
    for (Map.Entry<String, String> line : call.headers()) {
      request.addHeader(line.getKey(), line.getValue());
    }
    return request.build();
  }

  private static RequestBody body(HttpCall.Body body) {
    byte[] bytes = body.text().getBytes(StandardCharsets.UTF_8);
    return switch (body.form()) {
      case ABSENT -> null;
      case REPEATABLE -> RequestBody.create(bytes, null);
      default -> new UnknownLength(bytes, body.form() == HttpCall.Form.ONE_SHOT);
    };
  }

  private static final class UnknownLength extends RequestBody {
    private final byte[] bytes;
    private final boolean oneShot;

    UnknownLength(byte[] bytes, boolean oneShot) {
      this.bytes = bytes;
      this.oneShot = oneShot;
    }

    @Override
    public MediaType contentType() {
      return null;
    }

    @Override
    public boolean isOneShot() {
      return oneShot;
    }

    @Override
    public void writeTo(BufferedSink sink) throws IOException {
      sink.write(bytes);
    }
  }

  private static ScenarioOutcome read(Response response) {
    try (response) {
      String body = response.body().string();
      return new ScenarioOutcome.Answer(
          response.code(), body, response.headers().toMultimap(), OkHttpReports.of(response));
    } catch (IOException broken) {
      return new ScenarioOutcome.Failure(Category.BROKEN_READING, broken);
    }
  }

  /**
   * By docs/timeouts-and-cancellation.md, "What the caller gets", and by what OkHttp itself throws.
   */
  private static Category category(Exception thrown) {
    Optional<Category> known = Category.ofEveryClient(thrown);
    if (known.isPresent()) {
      return known.get();
    }
    if (thrown.getCause()
        instanceof ScenarioOutcome.UserCodeException) { // a callback takes no other
      return Category.USER;
    }
    if (thrown.getCause() instanceof IllegalArgumentException) { // an interceptor's
      return Category.ILLEGAL_ARGUMENT;
    }
    if (thrown instanceof InterruptedIOException) {
      return interruptedOrTimedOut(thrown);
    }
    if (thrown instanceof ConnectException) {
      return Category.CONNECT;
    }
    if (thrown.getClass() == IOException.class && "Canceled".equals(thrown.getMessage())) {
      return Category.CANCELLED;
    }
    return broken(thrown);
  }

  private static Category interruptedOrTimedOut(Exception thrown) {
    boolean interrupted = Thread.interrupted(); // the flag is kept
    String message = String.valueOf(thrown.getMessage());
    if (interrupted && "interrupted".equals(message)) {
      return Category.INTERRUPTED;
    }
    if (!interrupted && (message.startsWith("timeout") || message.equals("Read timed out"))) {
      return Category.TIMEOUT;
    }
    throw new AssertionError("interrupted: " + interrupted, thrown);
  }

  private static Category broken(Exception thrown) {
    if (thrown instanceof ProtocolException) {
      return Category.BROKEN_ANSWER;
    }
    boolean lost =
        thrown instanceof SocketException
            || thrown instanceof EOFException
            || thrown.getCause() instanceof EOFException
            || "the server closed the connection while it was idle".equals(thrown.getMessage());
    if (lost) {
      return Category.CONNECTION_LOST;
    }
    throw new AssertionError("an exception that the design does not know", thrown);
  }

  @Override
  public void cancel() {
    way.cancel(current);
  }

  @Override
  public List<String> headerValues(Object request, String name) {
    return ((Request) request).headers(name);
  }

  @Override
  public int plainGet(URI uri) throws IOException {
    Request request = new Request.Builder().url(uri.toString()).build();
    try (Response response = plain.newCall(request).execute()) {
      response.body().string();
      return response.code();
    }
  }

  @Override
  public boolean closeIdle() {
    plain.dispatcher().executorService().shutdown();
    plain.connectionPool().evictAll();
    return true;
  }

  @Override
  public void close() {
    plain.dispatcher().cancelAll();
    closeIdle();
  }
}
