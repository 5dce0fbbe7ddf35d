package dev.steadfast.retry.sdks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.genai.Client;
import com.google.genai.errors.ServerException;
import com.google.genai.types.ClientOptions;
import com.google.genai.types.HttpOptions;
import com.google.genai.types.HttpRetryOptions;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.okhttp.RetryInterceptor;
import java.time.Duration;
import okhttp3.OkHttpClient;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

final class GoogleGenAiTest {
  private static final String SDK = "google-genai";
  private static final String ANSWER =
      "{\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":[{\"text\":\"hi\"}]},"
          + "\"finishReason\":\"STOP\"}]}";

  @AutoClose private final CountingServer server = new CountingServer();
  private final HttpRetry retry = server.retry();

  static Client client(String url, HttpRetry retry) {
    return client(new OkHttpClient.Builder(), url, retry);
  }

  private static Client client(OkHttpClient.Builder builder, String url, HttpRetry retry) {
    builder.readTimeout(Duration.ofMinutes(10)); // OkHttp's default is 10 s
    OkHttpClient http = RetryInterceptor.addTo(builder, retry).build();
    // region sdk-genai
    HttpRetryOptions none =
        HttpRetryOptions.builder()
            .attempts(1) // Steadfast retries
            .initialDelay(0.0) // the SDK sleeps even after its last attempt
            .build();
    Client client =
        Client.builder()
            .clientOptions(ClientOptions.builder().customHttpClient(http).build())
            .httpOptions(HttpOptions.builder().baseUrl(url).retryOptions(none).build())
            .apiKey("key")
            .build();
    // endregion
    return client;
  }

  /** The SDK's own client has no timeouts, and a plain one 10 s. */
  @Test
  void anAnswerMayTakeLong() {
    server.recovers(ANSWER);
    Timeouts timeouts = new Timeouts();
    try (Client client = client(timeouts.in(new OkHttpClient.Builder()), server.url(), retry)) {
      client.models.generateContent("m", "hello", null);
    }
    assertEquals(Duration.ofMinutes(10).toMillis(), timeouts.readMillis());
  }

  @Test
  void steadfastAlone() {
    server.recovers(ANSWER);
    try (Client client = client(server.url(), retry)) {
      assertEquals("hi", client.models.generateContent("m", "hello", null).text());
    }
    server.assertAlone(SDK, 3, 1);
  }

  @Test
  void steadfastAlone_whileTheServerIsDown() {
    server.isDown();
    try (Client client = client(server.url(), retry)) {
      assertThrows(ServerException.class, () -> client.models.generateContent("m", "hello", null));
    }
    server.assertAlone(SDK, 3, 1);
  }

  /** The SDK's interceptor is inside of ours, so ours sees one answer for its five requests. */
  @Test
  void bothRetry() {
    server.isDown();
    OkHttpClient http = RetryInterceptor.addTo(new OkHttpClient.Builder(), retry).build();
    HttpRetryOptions hasty = HttpRetryOptions.builder().initialDelay(0.0).build();
    try (Client client =
        Client.builder()
            .clientOptions(ClientOptions.builder().customHttpClient(http).build())
            .httpOptions(HttpOptions.builder().baseUrl(server.url()).retryOptions(hasty).build())
            .apiKey("key")
            .build()) {
      assertThrows(ServerException.class, () -> client.models.generateContent("m", "hello", null));
    }
    server.assertBoth(SDK, 15, 1);
  }
}
