package dev.steadfast.retry.examples.guide;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.steadfast.retry.Retrier;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.okhttp.RetryInterceptor;
import dev.steadfast.retry.okhttp.RetryingCallFactory;
import dev.steadfast.retry.scope.RetryScope;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import dev.steadfast.retry.testkit.FakeTime;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import okhttp3.HttpUrl;
import okhttp3.OkHttpClient;
import okhttp3.ResponseBody;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import retrofit2.Call;
import retrofit2.Response;
import retrofit2.Retrofit;
import retrofit2.http.GET;

/** Retrofit over a retrying factory over a client that retries too: one layer does. */
final class RetrofitLayersTest {
  private final FakeTime time = new FakeTime();
  private final HttpRetry retry =
      HttpRetry.builder().environment(time.environment()).listener(time.skipWaits()).build();
  private final OkHttpClient client =
      RetryInterceptor.addTo(new OkHttpClient.Builder(), retry).build();
  private final ScriptedServer server = ScriptedServer.start();
  private final Api api =
      new Retrofit.Builder()
          .baseUrl(HttpUrl.get(server.uri("/")))
          .callFactory(RetryingCallFactory.wrap(client, retry))
          .build()
          .create(Api.class);

  private interface Api {
    @GET("stock")
    Call<ResponseBody> stock();

    @GET("stock")
    CompletableFuture<Response<ResponseBody>> stockLater();
  }

  @AfterEach
  void close() {
    client.dispatcher().executorService().shutdown();
    client.connectionPool().evictAll();
    server.close();
  }

  @Test
  void theOuterLayerRetries() throws Exception {
    server.defaultReply(Reply.status(503));
    assertEquals(503, api.stock().execute().code());
    assertEquals(3, server.requests().size());
    assertEquals(503, api.stockLater().get(20, TimeUnit.SECONDS).code());
    assertEquals(6, server.requests().size());
  }

  @Test
  void aRetrierAroundIsTheOuterLayer() throws Exception {
    server.defaultReply(Reply.status(503));
    Retrier retrier =
        Retrier.builder()
            .environment(time.environment())
            .listener(time.skipWaits())
            .retryResults(each -> each instanceof Response<?> got && got.code() == 503)
            .build();
    retrier.call(() -> api.stock().execute());
    assertEquals(3, server.requests().size());
    retrier.callAsync(api::stockLater).get(20, TimeUnit.SECONDS);
    assertEquals(6, server.requests().size());
  }

  @Test
  void aScopeIsObeyed() throws Exception {
    server.defaultReply(Reply.status(503));
    try (RetryScope scope = RetryScope.enter(Map.of("Do-Not-Retry", "true")::get)) {
      api.stock().execute();
      api.stockLater().get(20, TimeUnit.SECONDS);
      assertFalse(scope.gaveUp());
    }
    assertEquals(2, server.requests().size());
  }
}
