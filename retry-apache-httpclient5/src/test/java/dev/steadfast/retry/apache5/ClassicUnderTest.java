package dev.steadfast.retry.apache5;

import dev.steadfast.retry.tck.Client;
import dev.steadfast.retry.tck.HttpCall;
import dev.steadfast.retry.tck.ScenarioOutcome;
import dev.steadfast.retry.tck.ScenarioOutcome.Category;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hc.client5.http.ClientProtocolException;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.classic.methods.HttpUriRequestBase;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.RequestFailedException;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManager;
import org.apache.hc.client5.http.protocol.HttpClientContext;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.ConnectionClosedException;
import org.apache.hc.core5.http.HttpEntity;
import org.apache.hc.core5.http.HttpRequest;
import org.apache.hc.core5.http.NoHttpResponseException;
import org.apache.hc.core5.http.io.entity.ByteArrayEntity;
import org.apache.hc.core5.http.io.entity.EntityUtils;
import org.apache.hc.core5.http.io.entity.InputStreamEntity;
import org.apache.hc.core5.util.TimeValue;

/** The classic client under test. */
final class ClassicUnderTest implements Client {
  private final CloseableHttpClient client;
  private final CloseableHttpClient plain;
  private final PoolingHttpClientConnectionManager pool;
  private volatile HttpUriRequestBase current;

  ClassicUnderTest(
      CloseableHttpClient client,
      CloseableHttpClient plain,
      PoolingHttpClientConnectionManager pool) {
    this.client = client;
    this.plain = plain;
    this.pool = pool;
  }

  @Override
  @SuppressWarnings("deprecation") // the way to a response whose body the caller reads
  public ScenarioOutcome call(URI uri, HttpCall call, Runnable onHead) {
    try {
      HttpUriRequestBase request = request(uri, call);
      current = request;
      HttpClientContext context = Apache5Retry.with(HttpClientContext.create(), call.options());
      ClassicHttpResponse response = client.executeOpen(null, request, context);
      onHead.run();
      return read(response);
    } catch (IOException | RuntimeException thrown) {
      return new ScenarioOutcome.Failure(category(thrown), thrown);
    }
  }

  private static HttpUriRequestBase request(URI uri, HttpCall call) {
    HttpUriRequestBase request = new HttpUriRequestBase(call.method(), uri);
    request.setEntity(entity(call.body()));
    call.headers().forEach(line -> request.addHeader(line.getKey(), line.getValue()));
    return request;
  }

  private static HttpEntity entity(HttpCall.Body body) {
    byte[] bytes = body.text().getBytes(StandardCharsets.UTF_8);
    return switch (body.form()) {
      case ABSENT -> null;
      case REPEATABLE -> new ByteArrayEntity(bytes, null);
      case ONE_SHOT -> new InputStreamEntity(new ByteArrayInputStream(bytes), null);
      case UNKNOWN_LENGTH -> new Repeated(bytes, false);
      case CHANGING -> new Repeated(bytes, true);
    };
  }

  /** Says that it can be written again, and may yield other bytes then. */
  private static final class Repeated
      extends org.apache.hc.core5.http.io.entity.AbstractHttpEntity {
    private final byte[] bytes;
    private final boolean changes;
    private final AtomicInteger times = new AtomicInteger();

    Repeated(byte[] bytes, boolean changes) {
      super((String) null, null, true);
      this.bytes = bytes;
      this.changes = changes;
    }

    @Override
    public boolean isRepeatable() {
      return true;
    }

    @Override
    public long getContentLength() {
      return -1;
    }

    @Override
    public InputStream getContent() {
      byte[] now = bytes.clone();
      if (changes && times.getAndIncrement() > 0) {
        now[0] ^= 1;
      }
      return new ByteArrayInputStream(now);
    }

    @Override
    public boolean isStreaming() {
      return false;
    }

    @Override
    public void close() {}
  }

  private static ScenarioOutcome read(ClassicHttpResponse response) throws IOException {
    try (response) {
      String body = response.getEntity() == null ? "" : EntityUtils.toString(response.getEntity());
      Map<String, List<String>> headers = Apache5Views.map(response);
      return new ScenarioOutcome.Answer(
          response.getCode(), body, headers, Apache5Reports.of(response));
    } catch (org.apache.hc.core5.http.ParseException unexpected) {
      throw new AssertionError(unexpected);
    } catch (IOException broken) {
      return new ScenarioOutcome.Failure(Category.BROKEN_READING, broken);
    }
  }

  private static Category category(Exception thrown) {
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
    if (thrown.getClass() == RequestFailedException.class) {
      return Category.CANCELLED;
    }
    if (thrown.getClass() == InterruptedIOException.class && Thread.interrupted()) {
      return Category.INTERRUPTED;
    }
    if (thrown instanceof ConnectException) {
      return Category.CONNECT;
    }
    if (thrown instanceof ClientProtocolException || thrown instanceof ConnectionClosedException) {
      return Category.BROKEN_ANSWER;
    }
    if (thrown instanceof NoHttpResponseException || thrown instanceof SocketException) {
      return Category.CONNECTION_LOST;
    }
    throw new AssertionError("an exception that the design does not know", thrown);
  }

  @Override
  public void cancel() {
    current.cancel();
  }

  @Override
  public List<String> headerValues(Object request, String name) {
    return Apache5Views.lines((HttpRequest) request, name);
  }

  @Override
  public int plainGet(URI uri) throws IOException {
    return plain.execute(
        new HttpGet(uri),
        response -> {
          EntityUtils.consume(response.getEntity());
          return response.getCode();
        });
  }

  @Override
  public boolean closeIdle() {
    pool.closeIdle(TimeValue.ZERO_MILLISECONDS);
    return true;
  }

  @Override
  public void close() {
    pool.close(org.apache.hc.core5.io.CloseMode.IMMEDIATE);
  }
}
