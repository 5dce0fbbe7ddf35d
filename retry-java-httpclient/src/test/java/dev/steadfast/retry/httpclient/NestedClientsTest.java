package dev.steadfast.retry.httpclient;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.engine.CallContext;
import dev.steadfast.retry.scope.RetryScope;
import dev.steadfast.retry.tck.Reply;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A client that retries around one that traces around one that retries. */
class NestedClientsTest {
  private final Bench bench = new Bench();

  @AfterEach
  void close() {
    assertNull(CallContext.current());
    bench.close();
  }

  private RetryingHttpClient around(HttpClient delegate) {
    return RetryingHttpClient.wrap(delegate, bench.retry().build());
  }

  @ParameterizedTest
  @EnumSource
  void theOuterOneRetries(Entry entry) throws Throwable {
    RetryingHttpClient outer = around(new DelegatingClient(bench.client()));
    bench.server.defaultReply(Reply.status(503));

    HttpResponse<String> response = entry.call(outer, bench.get(), BodyHandlers.ofString());

    assertEquals(503, response.statusCode());
    assertEquals(3, JdkReports.of(response).attempts());
    assertEquals(3, bench.server.requests().size());
  }

  @ParameterizedTest
  @EnumSource
  void ofThreeTheOutermostRetries(Entry entry) throws Throwable {
    RetryingHttpClient inner = around(new DelegatingClient(bench.client()));
    RetryingHttpClient outer = around(new DelegatingClient(inner));
    bench.server.defaultReply(Reply.status(503));

    entry.call(outer, bench.get(), BodyHandlers.ofString());

    assertEquals(3, bench.server.requests().size());
  }

  @ParameterizedTest
  @EnumSource
  void underALayerAboveNoneRetries(Entry entry) throws Throwable {
    RetryingHttpClient outer = around(new DelegatingClient(bench.client()));
    bench.server.defaultReply(Reply.status(503));

    try (RetryScope scope = RetryScope.enter(Map.of("Do-Not-Retry", "true")::get)) {
      HttpResponse<String> response = entry.call(outer, bench.get(), BodyHandlers.ofString());
      assertEquals(StopReason.DO_NOT_RETRY, JdkReports.of(response).reason());
      assertEquals(scope, RetryScope.current().orElseThrow());
    }

    assertEquals(1, bench.server.requests().size());
  }

  /** Fetches a token within each attempt: another operation. */
  private final class WithToken extends DelegatingClient {
    private final HttpClient tokens;

    WithToken(HttpClient delegate, HttpClient tokens) {
      super(delegate);
      this.tokens = tokens;
    }

    private void fetch() throws IOException, InterruptedException {
      HttpRequest token = HttpRequest.newBuilder(bench.server.uri("/token")).build();
      assertEquals(200, tokens.send(token, BodyHandlers.discarding()).statusCode());
    }

    @Override
    public <T> HttpResponse<T> send(HttpRequest request, BodyHandler<T> handler)
        throws IOException, InterruptedException {
      fetch();
      return super.send(request, handler);
    }

    @Override
    public <T> CompletableFuture<HttpResponse<T>> sendAsync(
        HttpRequest request, BodyHandler<T> handler) {
      try {
        fetch();
      } catch (IOException | InterruptedException thrown) {
        return CompletableFuture.failedFuture(thrown);
      }
      return super.sendAsync(request, handler);
    }
  }

  @ParameterizedTest
  @EnumSource(names = "SEND")
  void anotherRequestWithinAnAttemptIsRetried(Entry entry) throws Throwable {
    RetryingHttpClient inner = bench.client();
    RetryingHttpClient outer = around(new WithToken(inner, inner));
    bench.server.enqueue(Reply.status(503), Reply.status(503), Reply.status(200));

    assertEquals(200, entry.call(outer, bench.get(), BodyHandlers.ofString()).statusCode());

    assertEquals(4, bench.server.requests().size());
  }
}
