package dev.steadfast.retry.ordinary;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import org.apache.hc.client5.http.classic.methods.HttpUriRequestBase;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManager;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.apache.hc.client5.http.protocol.HttpClientContext;
import org.apache.hc.client5.http.ssl.DefaultClientTlsStrategy;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpEntity;
import org.apache.hc.core5.http.HttpRequest;
import org.apache.hc.core5.http.io.entity.ByteArrayEntity;

/** Apache HttpClient 5, plain or wrapped. */
public final class ApacheClient implements Client {
  static final String KEY = "Idempotency-Key";

  private final Run run;
  private final CloseableHttpClient http;
  private final PoolingHttpClientConnectionManager pool;

  ApacheClient(Run run, CloseableHttpClient http, PoolingHttpClientConnectionManager pool) {
    this.run = run;
    this.http = http;
    this.pool = pool;
  }

  static PoolingHttpClientConnectionManager newPool() {
    return PoolingHttpClientConnectionManagerBuilder.create().build();
  }

  /** A pool that trusts the servers of this table. */
  public static PoolingHttpClientConnectionManager trusting() {
    return PoolingHttpClientConnectionManagerBuilder.create()
        .setTlsSocketStrategy(new DefaultClientTlsStrategy(Tls.client()))
        .build();
  }

  @Override
  public Run run() {
    return run;
  }

  /** The client that a program sends with. */
  public CloseableHttpClient http() {
    return http;
  }

  /** The connections of this client, unless its row has set others. */
  public PoolingHttpClientConnectionManager pool() {
    return pool;
  }

  /** A request to the server. */
  public HttpUriRequestBase request(String method, String path) {
    return new HttpUriRequestBase(method, run.uri(path));
  }

  /** A request with a body to the server. */
  public HttpUriRequestBase request(String method, String path, HttpEntity body) {
    HttpUriRequestBase request = request(method, path);
    request.setEntity(body);
    return request;
  }

  @Override
  public void send(String method, String path, String body, String... headers) {
    HttpUriRequestBase request = request(method, path);
    for (String header : headers) {
      String[] parts = header.split(": ", 2);
      request.addHeader(parts[0], parts[1]);
    }
    boolean without = method.equals("GET") || method.equals("HEAD");
    if (!without && !(body.isEmpty() && method.equals("DELETE"))) {
      request.setEntity(new ByteArrayEntity(body.getBytes(StandardCharsets.UTF_8), null));
    }
    send(request, HttpClientContext.create());
  }

  /** Sends, reads the answer and notes all of it. */
  @SuppressWarnings("ReferenceEquality") // that very header is to stay
  public void send(HttpUriRequestBase request, HttpClientContext context) {
    Header key = request.getFirstHeader(KEY);
    try {
      http.execute(
          request,
          context,
          response -> {
            head(response);
            body(response.getEntity());
            return null;
          });
    } catch (IOException | RuntimeException | Error e) {
      run.note("result", "failed: " + Text.of(e));
    }
    run.note("request", "changed: " + (request.getFirstHeader(KEY) != key));
    note(run, context, key != null);
  }

  /** Notes all of an answer but its body. */
  public void head(ClassicHttpResponse response) {
    run.note("result", response.getClass().getSimpleName() + ", " + response.getLocale());
    run.note(
        "result",
        response.getVersion() + " " + response.getCode() + " " + response.getReasonPhrase());
    for (Header header : response.getHeaders()) {
      run.note("result", header.getName() + ": " + header.getValue());
    }
    run.note("result", response.toString());
  }

  private void body(HttpEntity entity) {
    if (entity == null) {
      run.note("result", "no entity");
      return;
    }
    run.note(
        "result",
        entity.getContentLength()
            + " bytes, "
            + entity.getContentType()
            + ", "
            + entity.getContentEncoding()
            + ", chunked "
            + entity.isChunked()
            + ", streaming "
            + entity.isStreaming()
            + ", repeatable "
            + entity.isRepeatable());
    try {
      run.note("result", "body: " + Text.of(entity.getContent()));
      run.note("trailers", entity.getTrailers() == null ? "" : entity.getTrailers().get());
    } catch (IOException | RuntimeException e) {
      run.note("result", "reading failed: " + Text.of(e));
    }
  }

  /** Notes what a context tells after a call. */
  static void note(Run run, HttpClientContext context, boolean hadKey) {
    HttpRequest last = context.getRequest();
    if (last != null) {
      run.note("context", last.getMethod() + " " + last.getRequestUri());
      for (Header header : last.getHeaders()) {
        if (hadKey || !header.getName().equals(KEY)) { // added; it shows in "headers"
          run.note("context", header.getName() + ": " + header.getValue());
        }
      }
    }
    run.note(
        "context", "answered: " + (context.getResponse() == null ? "" : context.getResponse()));
    run.note("context", "route: " + context.getHttpRoute());
    run.note("context", "TLS: " + (context.getSSLSession() != null));
    run.note("context", "version: " + context.getProtocolVersion());
    context.getAuthExchanges().forEach((host, auth) -> run.note("auth", host + " " + auth));
    run.seen().sort("auth"); // the order of a hash map with a port in its keys
    for (URI each : context.getRedirectLocations().getAll()) {
      run.note("context", "redirected to " + each);
    }
  }
}
