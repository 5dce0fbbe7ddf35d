package dev.steadfast.retry.sdks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.core.Timeout;
import com.openai.errors.OpenAIServiceException;
import com.openai.models.chat.completions.ChatCompletion;
import com.openai.models.chat.completions.ChatCompletionCreateParams;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.okhttp.RetryInterceptor;
import java.time.Duration;
import okhttp3.OkHttpClient;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

final class OpenAiTest {
  private static final String SDK = "openai-java";
  private static final String ANSWER =
      "{\"id\":\"a\",\"object\":\"chat.completion\",\"created\":1,\"model\":\"m\",\"choices\":[]}";

  private static final ChatCompletionCreateParams QUESTION =
      ChatCompletionCreateParams.builder().model("m").addUserMessage("hello").build();

  @AutoClose private final CountingServer server = new CountingServer();
  private final HttpRetry retry = server.retry();

  static OpenAIClient client(String url, HttpRetry retry) {
    return client(new OkHttpClient.Builder(), url, retry);
  }

  private static OpenAIClient client(OkHttpClient.Builder builder, String url, HttpRetry retry) {
    OkHttpClient http = RetryInterceptor.addTo(builder, retry).build();
    OpenAIClient client =
        OpenAIOkHttpClient.builder()
            .okHttpClient(http)
            .timeout(Duration.ofMinutes(10)) // as the SDK's own client; OkHttp's default is 10 s
            .maxRetries(0) // Steadfast retries
            .baseUrl(url)
            .apiKey("key")
            .build();
    return client;
  }

  @Test
  void steadfastAlone() {
    server.recovers(ANSWER);
    assertEquals("a", ask(client(server.url(), retry)).id());
    server.assertAlone(SDK, 3, 1);
  }

  @Test
  void steadfastAlone_whileTheServerIsDown() {
    server.isDown();
    OpenAIClient client = client(server.url(), retry);
    assertEquals(503, assertThrows(OpenAIServiceException.class, () -> ask(client)).statusCode());
    server.assertAlone(SDK, 3, 1);
  }

  /** With the client alone, OkHttp's 10 s would end each answer that takes longer. */
  @Test
  void anAnswerMayTakeAsLongAsWithTheSdksOwnClient() {
    server.recovers(ANSWER);
    Timeouts timeouts = new Timeouts();

    ask(client(timeouts.in(new OkHttpClient.Builder()), server.url(), retry));

    assertEquals(Timeout.builder().build().read().toMillis(), timeouts.readMillis());
    assertEquals(Duration.ofMinutes(10).toMillis(), timeouts.readMillis());
  }

  @Test
  void bothRetry() {
    server.isDown();
    OkHttpClient http = RetryInterceptor.addTo(new OkHttpClient.Builder(), retry).build();
    OpenAIClient client =
        OpenAIOkHttpClient.builder().okHttpClient(http).baseUrl(server.url()).apiKey("k").build();
    assertThrows(OpenAIServiceException.class, () -> ask(client));
    server.assertBoth(SDK, 9, 3);
  }

  @Test
  void aKeyOfTheCallers_isOnEachRequest() {
    server.isDown();
    OpenAIClient client = client(server.url(), retry);
    ChatCompletionCreateParams keyed =
        QUESTION.toBuilder().putAdditionalHeader("Idempotency-Key", "order-1").build();
    assertThrows(OpenAIServiceException.class, () -> client.chat().completions().create(keyed));
    server.assertCounted(3, 1);
    assertEquals("order-1", server.requests().get(2).header("Idempotency-Key").orElseThrow());
  }

  static ChatCompletion ask(OpenAIClient client) {
    return client.chat().completions().create(QUESTION);
  }
}
