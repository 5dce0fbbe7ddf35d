package dev.steadfast.retry.httpclient;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.OtherPath;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.tck.internal.SwallowingProxy;
import dev.steadfast.retry.tck.internal.SwallowingProxy.Swallowed;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.eclipse.jetty.http2.server.HTTP2CServerConnectionFactory;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** HTTP/2 without TLS, to which a connection is upgraded by its first request. */
class DeadPathClearTextTest {
  private final Server server = new Server();
  private SwallowingProxy proxy;
  private RetryingHttpClient client;

  @BeforeEach
  void start() throws Exception {
    HttpConfiguration configuration = new HttpConfiguration();
    ServerConnector connector =
        new ServerConnector(
            server,
            new HttpConnectionFactory(configuration),
            new HTTP2CServerConnectionFactory(configuration));
    connector.setHost("127.0.0.1");
    server.addConnector(connector);
    server.setHandler(
        new Handler.Abstract() {
          @Override
          public boolean handle(Request request, Response response, Callback callback) {
            Content.Sink.write(response, true, "served", callback);
            return true;
          }
        });
    server.start();
    proxy = SwallowingProxy.before(connector.getLocalPort());
    RetryPolicy patient =
        RetryPolicy.builder()
            .backoff(Backoff.none())
            .totalTimeout(Duration.ofSeconds(60))
            .attemptTimeout(Duration.ofSeconds(20))
            .build();
    HttpRetry retry = HttpRetry.builder().policy(patient).budget(RetryBudget.unlimited()).build();
    client = RetryingHttpClient.wrap(HttpClient.newHttpClient(), retry);
  }

  @AfterEach
  void stop() throws Exception {
    client.shutdownNow();
    proxy.close();
    server.stop();
  }

  private HttpResponse<String> get(RetryOptions options) throws Exception {
    URI uri = URI.create("http://127.0.0.1:" + proxy.port() + "/");
    HttpResponse<String> got =
        client.with(options).send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString());
    assertEquals("served", got.body());
    return got;
  }

  @Test
  void secondAttemptTakesAnotherConnection() throws Exception {
    assertEquals(HttpClient.Version.HTTP_2, get(RetryOptions.none()).version());
    proxy.swallow(Swallowed.ALL);
    RetryPolicy losesFirst =
        RetryPolicy.builder()
            .backoff(Backoff.none())
            .attemptTimeouts(List.of(Duration.ofMillis(200), Duration.ofSeconds(20)))
            .build();

    HttpResponse<String> got = get(RetryOptions.builder().policy(losesFirst).build());

    RetryReport report = JdkReports.of(got);
    assertEquals(
        Arrays.asList(null, OtherPath.SILENT_CONNECTION),
        report.attemptReports().stream().map(each -> each.otherPath().orElse(null)).toList(),
        report.toString());
    assertEquals(HttpClient.Version.HTTP_2, got.version());
    assertEquals(2, proxy.opened());
  }
}
