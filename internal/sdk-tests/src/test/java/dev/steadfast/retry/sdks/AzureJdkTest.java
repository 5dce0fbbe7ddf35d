package dev.steadfast.retry.sdks;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.azure.core.http.HttpMethod;
import com.azure.core.http.HttpRequest;
import com.azure.core.http.HttpResponse;
import com.azure.core.http.jdk.httpclient.JdkHttpClientBuilder;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.httpclient.RetryingHttpClient;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

final class AzureJdkTest {
  private static final String SDK = "azure-core-http-jdk-httpclient";
  @AutoClose private final CountingServer server = new CountingServer();
  private final HttpRetry retry = server.retry();

  static com.azure.core.http.HttpClient client(HttpRetry retry) {
    com.azure.core.http.HttpClient azure =
        new JdkHttpClientBuilder(RetryingHttpClient.newBuilder(retry)).build();
    return azure;
  }

  @Test
  void steadfastAlone() {
    server.recovers("{}");
    assertEquals(200, AzureOkHttpTest.post(AzureOkHttpTest.pipeline(client(retry)), server));
    server.assertAlone(SDK, 3, 1);
  }

  @Test
  void steadfastAlone_asynchronously() {
    server.recovers("{}");
    HttpRequest request = new HttpRequest(HttpMethod.POST, server.url()).setBody("{}");
    assertEquals(
        200,
        AzureOkHttpTest.pipeline(client(retry))
            .send(request)
            .map(HttpResponse::getStatusCode)
            .blockOptional()
            .get());
    server.assertAlone(SDK, 3, 1);
  }

  @Test
  void steadfastAlone_whileTheServerIsDown() {
    server.isDown();
    assertEquals(503, AzureOkHttpTest.post(AzureOkHttpTest.pipeline(client(retry)), server));
    server.assertAlone(SDK, 3, 1);
  }

  @Test
  void bothRetry() {
    server.isDown();
    assertEquals(503, AzureOkHttpTest.post(AzureOkHttpTest.hasty(client(retry)), server));
    server.assertBoth(SDK, 12, 4);
  }
}
