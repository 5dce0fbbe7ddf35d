package dev.steadfast.retry.sdks;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.azure.core.http.HttpClient;
import com.azure.core.http.HttpMethod;
import com.azure.core.http.HttpPipeline;
import com.azure.core.http.HttpPipelineBuilder;
import com.azure.core.http.HttpRequest;
import com.azure.core.http.HttpResponse;
import com.azure.core.http.okhttp.OkHttpAsyncHttpClientBuilder;
import com.azure.core.http.policy.FixedDelayOptions;
import com.azure.core.http.policy.RetryOptions;
import com.azure.core.http.policy.RetryPolicy;
import com.azure.core.util.Context;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.okhttp.RetryInterceptor;
import java.time.Duration;
import okhttp3.OkHttpClient;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

final class AzureOkHttpTest {
  private static final String SDK = "azure-core-http-okhttp";
  @AutoClose private final CountingServer server = new CountingServer();
  private final HttpRetry retry = server.retry();

  static HttpPipeline pipeline(HttpRetry retry) {
    OkHttpClient http = RetryInterceptor.addTo(new OkHttpClient.Builder(), retry).build();
    HttpClient azure = new OkHttpAsyncHttpClientBuilder(http).build();
    return pipeline(azure);
  }

  /** What the builder of a client makes of {@code httpClient} and {@code retryOptions}. */
  static HttpPipeline pipeline(HttpClient azure) {
    // region sdk-azure-none
    RetryOptions none = new RetryOptions(new FixedDelayOptions(0, Duration.ofMillis(1)));
    // endregion
    return new HttpPipelineBuilder().httpClient(azure).policies(new RetryPolicy(none)).build();
  }

  @Test
  void steadfastAlone() {
    server.recovers("{}");
    assertEquals(200, post(pipeline(retry), server));
    server.assertAlone(SDK, 3, 1);
  }

  @Test
  void steadfastAlone_asynchronously() {
    server.recovers("{}");
    HttpRequest request = new HttpRequest(HttpMethod.POST, server.url()).setBody("{}");
    assertEquals(
        200, pipeline(retry).send(request).map(HttpResponse::getStatusCode).blockOptional().get());
    server.assertAlone(SDK, 3, 1);
  }

  @Test
  void steadfastAlone_whileTheServerIsDown() {
    server.isDown();
    assertEquals(503, post(pipeline(retry), server));
    server.assertAlone(SDK, 3, 1);
  }

  @Test
  void bothRetry() {
    server.isDown();
    OkHttpClient http = RetryInterceptor.addTo(new OkHttpClient.Builder(), retry).build();
    assertEquals(503, post(hasty(new OkHttpAsyncHttpClientBuilder(http).build()), server));
    server.assertBoth(SDK, 12, 4);
  }

  /** As many retries as by default, and without the waits. */
  static HttpPipeline hasty(HttpClient azure) {
    RetryOptions options = new RetryOptions(new FixedDelayOptions(3, Duration.ofMillis(1)));
    return new HttpPipelineBuilder().httpClient(azure).policies(new RetryPolicy(options)).build();
  }

  static int post(HttpPipeline pipeline, CountingServer server) {
    HttpRequest request = new HttpRequest(HttpMethod.POST, server.url()).setBody("{}");
    try (HttpResponse response = pipeline.sendSync(request, Context.NONE)) {
      return response.getStatusCode();
    }
  }
}
