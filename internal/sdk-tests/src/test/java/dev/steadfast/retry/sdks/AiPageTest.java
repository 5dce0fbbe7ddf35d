package dev.steadfast.retry.sdks;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.core.Timeout;
import dev.langchain4j.http.client.jdk.JdkHttpClient;
import dev.langchain4j.model.chat.ChatModel;
import dev.langchain4j.model.openai.OpenAiChatModel;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.httpclient.RetryingHttpClient;
import dev.steadfast.retry.okhttp.RetryInterceptor;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import dev.steadfast.retry.testkit.FakeTime;
import java.net.http.HttpClient;
import java.time.Duration;
import okhttp3.OkHttpClient;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The clients of the page on AI APIs. A wait may be longer than an attempt, and a lost answer is
 * asked for again only with the options.
 */
final class AiPageTest {
  @AutoClose private final ScriptedServer server = ScriptedServer.start();
  private final String url = server.uri("").toString();
  private final FakeTime time = new FakeTime();
  private final HttpRetry retry =
      HttpRetry.forAiApis(Duration.ofMinutes(30))
          .environment(time.environment())
          .listener(time.skipWaits())
          .build();
  private final RetryOptions prompt =
      RetryOptions.builder().replayable(true).paidRepeats(1).cost(request -> 1).build();

  @BeforeEach
  void refuseForLong_andLoseAnAnswer() {
    server.enqueue(
        Reply.status(429).header("Retry-After", "1200"),
        Reply.closeAfterRequest(),
        Reply.status(200)
            .header("Content-Type", "application/json")
            .body(
                "{\"id\":\"a\",\"object\":\"chat.completion\",\"created\":1,\"model\":\"m\",\"choices\":"
                    + "[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\"hi\"}}]}"));
  }

  @Test
  void openAi() {
    // region ai-openai
    OkHttpClient.Builder builder =
        new OkHttpClient.Builder()
            .addInterceptor(chain ->
                chain.proceed(
                    chain.request().newBuilder().tag(RetryOptions.class, prompt).build()));
    OpenAIClient client =
        OpenAIOkHttpClient.builder()
            .okHttpClient(RetryInterceptor.addTo(builder, retry).build())
            .timeout(
                Timeout.builder()
                    .read(Duration.ofMinutes(10)) // of an attempt; OkHttp's default is 10 s
                    .request(Duration.ofMinutes(30)) // of the call, with all its waits
                    .build())
            .maxRetries(0) // Steadfast retries
            .baseUrl(url)
            .apiKey("key")
            .build();
    // endregion
    assertEquals("a", OpenAiTest.ask(client).id());
    assertEquals(3, server.requests().size());
  }

  @Test
  void langchain4j() {
    HttpClient.Builder builder = RetryingHttpClient.newBuilder(retry, prompt);
    ChatModel model =
        OpenAiChatModel.builder()
            .httpClientBuilder(JdkHttpClient.builder().httpClientBuilder(builder))
            .maxRetries(0) // Steadfast retries
            .baseUrl(url)
            .apiKey("key")
            .modelName("gpt-5")
            .build();
    assertEquals("hi", model.chat("hello"));
    assertEquals(3, server.requests().size());
  }
}
