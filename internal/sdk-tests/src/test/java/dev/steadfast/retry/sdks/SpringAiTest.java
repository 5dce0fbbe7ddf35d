package dev.steadfast.retry.sdks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.okhttp.RetryInterceptor;
import okhttp3.OkHttpClient;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.ai.openai.OpenAiChatModel;
import org.springframework.ai.openai.OpenAiChatOptions;

final class SpringAiTest {
  private static final String SDK = "Spring AI";
  private static final String ANSWER =
      "{\"id\":\"a\",\"object\":\"chat.completion\",\"created\":1,\"model\":\"m\",\"choices\":"
          + "[{\"index\":0,\"finish_reason\":\"stop\",\"logprobs\":null,"
          + "\"message\":{\"role\":\"assistant\",\"content\":\"hi\",\"refusal\":null}}]}";

  @AutoClose private final CountingServer server = new CountingServer();
  private final HttpRetry retry = server.retry();

  private static OpenAiChatModel model(OpenAIClient client, String url) {
    // region sdk-spring-ai
    OpenAiChatModel model =
        OpenAiChatModel.builder()
            .openAiClient(client) // as above, with maxRetries(0)
            .openAiClientAsync(client.async()) // for streams; else it makes one of its own
            .options(OpenAiChatOptions.builder().baseUrl(url).apiKey("key").model("gpt-5").build())
            .build();
    // endregion
    return model;
  }

  @Test
  void steadfastAlone() {
    server.recovers(ANSWER);
    OpenAIClient client = OpenAiTest.client(server.url(), retry);
    assertEquals("hi", model(client, server.url()).call("hello"));
    server.assertAlone(SDK, 3, 1);
  }

  @Test
  void steadfastAlone_whileTheServerIsDown() {
    server.isDown();
    OpenAiChatModel model = model(OpenAiTest.client(server.url(), retry), server.url());
    assertThrows(RuntimeException.class, () -> model.call("hello"));
    server.assertAlone(SDK, 3, 1);
  }

  @Test
  void bothRetry() {
    server.isDown();
    OpenAIClient client =
        OpenAIOkHttpClient.builder()
            .okHttpClient(RetryInterceptor.addTo(new OkHttpClient.Builder(), retry).build())
            .baseUrl(server.url())
            .apiKey("key")
            .build();
    OpenAiChatModel model = model(client, server.url());
    assertThrows(RuntimeException.class, () -> model.call("hello"));
    server.assertBoth(SDK, 9, 3);
  }
}
