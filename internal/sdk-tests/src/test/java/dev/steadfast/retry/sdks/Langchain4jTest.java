package dev.steadfast.retry.sdks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.langchain4j.exception.LangChain4jException;
import dev.langchain4j.http.client.jdk.JdkHttpClient;
import dev.langchain4j.model.chat.ChatModel;
import dev.langchain4j.model.openai.OpenAiChatModel;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.httpclient.RetryingHttpClient;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

final class Langchain4jTest {
  private static final String SDK = "langchain4j";
  private static final String ANSWER =
      "{\"id\":\"a\",\"object\":\"chat.completion\",\"created\":1,\"model\":\"m\",\"choices\":"
          + "[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\"hi\"}}]}";

  @AutoClose private final CountingServer server = new CountingServer();
  private final HttpRetry retry = server.retry();

  static ChatModel model(String url, HttpRetry retry) {
    ChatModel model =
        OpenAiChatModel.builder()
            .httpClientBuilder(
                JdkHttpClient.builder().httpClientBuilder(RetryingHttpClient.newBuilder(retry)))
            .maxRetries(0) // Steadfast retries
            .baseUrl(url)
            .apiKey("key")
            .modelName("gpt-5")
            .build();
    return model;
  }

  @Test
  void steadfastAlone() {
    server.recovers(ANSWER);
    assertEquals("hi", model(server.url(), retry).chat("hello"));
    server.assertAlone(SDK, 3, 1);
  }

  @Test
  void steadfastAlone_whileTheServerIsDown() {
    server.isDown();
    ChatModel model = model(server.url(), retry);
    assertThrows(LangChain4jException.class, () -> model.chat("hello"));
    server.assertAlone(SDK, 3, 1);
  }

  @Test
  void bothRetry() {
    server.isDown();
    ChatModel model =
        OpenAiChatModel.builder()
            .httpClientBuilder(
                JdkHttpClient.builder().httpClientBuilder(RetryingHttpClient.newBuilder(retry)))
            .baseUrl(server.url())
            .apiKey("key")
            .modelName("gpt-5")
            .build();
    assertThrows(LangChain4jException.class, () -> model.chat("hello"));
    server.assertBoth(SDK, 9, 3);
  }
}
