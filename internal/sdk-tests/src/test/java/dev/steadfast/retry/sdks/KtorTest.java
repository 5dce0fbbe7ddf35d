package dev.steadfast.retry.sdks;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.okhttp.RetryInterceptor;
import io.ktor.client.HttpClient;
import io.ktor.client.HttpClientConfig;
import io.ktor.client.HttpClientKt;
import io.ktor.client.engine.okhttp.OkHttpConfig;
import io.ktor.client.engine.okhttp.OkHttpEngine;
import io.ktor.client.plugins.HttpRequestRetryKt;
import io.ktor.client.request.BuildersKt;
import io.ktor.client.statement.HttpResponse;
import io.ktor.http.ContentType;
import io.ktor.http.content.TextContent;
import kotlin.Unit;
import kotlin.coroutines.EmptyCoroutineContext;
import kotlin.jvm.functions.Function1;
import okhttp3.OkHttpClient;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

final class KtorTest {
  private static final String SDK = "ktor-client-okhttp";
  @AutoClose private final CountingServer server = new CountingServer();
  private final HttpRetry retry = server.retry();

  private HttpClient client(Function1<HttpClientConfig<?>, Unit> more) {
    OkHttpConfig engine = new OkHttpConfig();
    engine.setPreconfigured(RetryInterceptor.addTo(new OkHttpClient.Builder(), retry).build());
    return HttpClientKt.HttpClient(new OkHttpEngine(engine), more);
  }

  private int post(HttpClient client) throws InterruptedException {
    HttpResponse response =
        kotlinx.coroutines.BuildersKt.runBlocking(
            EmptyCoroutineContext.INSTANCE,
            (scope, continuation) ->
                BuildersKt.post(
                    client,
                    server.url(),
                    request -> {
                      request.setBody(
                          new TextContent("{}", ContentType.Application.INSTANCE.getJson(), null));
                      return Unit.INSTANCE;
                    },
                    continuation));
    return response.getStatus().getValue();
  }

  @Test
  void steadfastAlone() throws InterruptedException {
    server.recovers("{}");
    try (HttpClient client = client(config -> Unit.INSTANCE)) {
      assertEquals(200, post(client));
    }
    server.assertAlone(SDK, 3, 1);
  }

  @Test
  void steadfastAlone_whileTheServerIsDown() throws InterruptedException {
    server.isDown();
    try (HttpClient client = client(config -> Unit.INSTANCE)) {
      assertEquals(503, post(client));
    }
    server.assertAlone(SDK, 3, 1);
  }

  /** With the plugin for retries, as many as it makes by default. */
  @Test
  void bothRetry() throws InterruptedException {
    server.isDown();
    try (HttpClient client =
        client(config -> {
          config.install(
              HttpRequestRetryKt.getHttpRequestRetry(),
              plugin -> {
                plugin.retryOnExceptionOrServerErrors(3);
                plugin.constantDelay(1, 0, false);
                return Unit.INSTANCE;
              });
          return Unit.INSTANCE;
        })) {
      assertEquals(503, post(client));
    }
    server.assertBoth(SDK, 12, 4);
  }
}
