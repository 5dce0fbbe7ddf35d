package dev.steadfast.retry.ai;

import com.anthropic.client.AnthropicClient;
import com.anthropic.client.okhttp.AnthropicOkHttpClient;
import com.anthropic.models.messages.MessageCreateParams;
import com.google.genai.types.ClientOptions;
import com.google.genai.types.HttpOptions;
import com.google.genai.types.HttpRetryOptions;
import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.models.chat.completions.ChatCompletionCreateParams;
import dev.langchain4j.http.client.jdk.JdkHttpClient;
import dev.langchain4j.model.chat.ChatModel;
import dev.langchain4j.model.openai.OpenAiChatModel;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.httpclient.RetryingHttpClient;
import dev.steadfast.retry.okhttp.RetryInterceptor;
import java.time.Duration;
import java.util.List;
import okhttp3.OkHttpClient;
import org.springframework.ai.openai.OpenAiChatOptions;

/** The SDKs, each plain and with Steadfast beneath. */
final class Sdks {
  private static final Duration LONGEST_ANSWER = Duration.ofMinutes(10);

  private Sdks() {}

  static List<Ai.Sdk> all() {
    return List.of(new OpenAi(), new Anthropic(), new GenAi(), new Langchain4j(), new SpringAi());
  }

  /** An OkHttp client whose calls all have these options. */
  private static OkHttpClient client(HttpRetry retry, RetryOptions options) {
    OkHttpClient.Builder builder =
        new OkHttpClient.Builder()
            .readTimeout(LONGEST_ANSWER)
            .addInterceptor(chain ->
                chain.proceed(
                    chain.request().newBuilder().tag(RetryOptions.class, options).build()));
    return RetryInterceptor.addTo(builder, retry).build();
  }

  private static final class OpenAi implements Ai.Sdk {
    @Override
    public String name() {
      return "openai-java";
    }

    @Override
    public AiServer.Dialect dialect() {
      return new Dialects.OpenAi();
    }

    @Override
    public Ai.Asker plain(String url) {
      return asker(OpenAIOkHttpClient.builder().baseUrl(url).apiKey("key").build());
    }

    @Override
    public Ai.Asker steadfast(String url, HttpRetry retry, RetryOptions options) {
      return asker(client(url, retry, options));
    }

    static OpenAIClient client(String url, HttpRetry retry, RetryOptions options) {
      return OpenAIOkHttpClient.builder()
          .okHttpClient(Sdks.client(retry, options))
          .timeout(LONGEST_ANSWER)
          .maxRetries(0)
          .baseUrl(url)
          .apiKey("key")
          .build();
    }

    private static Ai.Asker asker(OpenAIClient client) {
      return prompt ->
          client
              .chat()
              .completions()
              .create(
                  ChatCompletionCreateParams.builder().model("m").addUserMessage(prompt).build());
    }
  }

  private static final class Anthropic implements Ai.Sdk {
    @Override
    public String name() {
      return "anthropic-java";
    }

    @Override
    public AiServer.Dialect dialect() {
      return new Dialects.Anthropic();
    }

    @Override
    public Ai.Asker plain(String url) {
      return asker(AnthropicOkHttpClient.builder().baseUrl(url).apiKey("key").build());
    }

    @Override
    public Ai.Asker steadfast(String url, HttpRetry retry, RetryOptions options) {
      AnthropicTransport transport = new AnthropicTransport(client(retry, options));
      return asker(
          AnthropicOkHttpClient.builder()
              .addInterceptor(ofSdk -> transport)
              .maxRetries(0)
              .baseUrl(url)
              .apiKey("key")
              .build());
    }

    private static Ai.Asker asker(AnthropicClient client) {
      return prompt ->
          client
              .messages()
              .create(
                  MessageCreateParams.builder()
                      .model("m")
                      .maxTokens(100)
                      .addUserMessage(prompt)
                      .build());
    }
  }

  private static final class GenAi implements Ai.Sdk {
    @Override
    public String name() {
      return "google-genai";
    }

    @Override
    public AiServer.Dialect dialect() {
      return new Dialects.Gemini();
    }

    @Override
    public Ai.Asker plain(String url) {
      HttpOptions options =
          HttpOptions.builder()
              .baseUrl(url)
              .retryOptions(HttpRetryOptions.builder().build()) // its retries, with its defaults
              .build();
      return asker(com.google.genai.Client.builder().httpOptions(options).apiKey("key").build());
    }

    @Override
    public Ai.Asker steadfast(String url, HttpRetry retry, RetryOptions options) {
      HttpRetryOptions none = HttpRetryOptions.builder().attempts(1).initialDelay(0.0).build();
      return asker(
          com.google.genai.Client.builder()
              .clientOptions(
                  ClientOptions.builder().customHttpClient(client(retry, options)).build())
              .httpOptions(HttpOptions.builder().baseUrl(url).retryOptions(none).build())
              .apiKey("key")
              .build());
    }

    private static Ai.Asker asker(com.google.genai.Client client) {
      return new Ai.Asker() {
        @Override
        public void ask(String prompt) {
          if (client.models.generateContent("m", prompt, null).text() == null) {
            throw new IllegalStateException("no text");
          }
        }

        @Override
        public void close() {
          client.close();
        }
      };
    }
  }

  private static final class Langchain4j implements Ai.Sdk {
    @Override
    public String name() {
      return "langchain4j";
    }

    @Override
    public AiServer.Dialect dialect() {
      return new Dialects.OpenAi();
    }

    @Override
    public Ai.Asker plain(String url) {
      return asker(
          OpenAiChatModel.builder()
              .httpClientBuilder(JdkHttpClient.builder())
              .timeout(LONGEST_ANSWER)
              .baseUrl(url)
              .apiKey("key")
              .modelName("m")
              .build());
    }

    @Override
    public Ai.Asker steadfast(String url, HttpRetry retry, RetryOptions options) {
      return asker(
          OpenAiChatModel.builder()
              .httpClientBuilder(
                  JdkHttpClient.builder()
                      .httpClientBuilder(RetryingHttpClient.newBuilder(retry, options)))
              .timeout(LONGEST_ANSWER)
              .maxRetries(0)
              .baseUrl(url)
              .apiKey("key")
              .modelName("m")
              .build());
    }

    private static Ai.Asker asker(ChatModel model) {
      return prompt -> model.chat(prompt);
    }
  }

  /** It sends through openai-java, its streams too. */
  private static final class SpringAi implements Ai.Sdk {
    @Override
    public String name() {
      return "spring-ai";
    }

    @Override
    public AiServer.Dialect dialect() {
      return new Dialects.OpenAi();
    }

    @Override
    public Ai.Asker plain(String url) {
      return asker(OpenAIOkHttpClient.builder().baseUrl(url).apiKey("key").build());
    }

    @Override
    public Ai.Asker steadfast(String url, HttpRetry retry, RetryOptions options) {
      return asker(OpenAi.client(url, retry, options));
    }

    private static Ai.Asker asker(OpenAIClient client) {
      org.springframework.ai.openai.OpenAiChatModel model =
          org.springframework.ai.openai.OpenAiChatModel.builder()
              .openAiClient(client)
              .openAiClientAsync(client.async())
              .options(OpenAiChatOptions.builder().model("m").build())
              .build();
      return model::call;
    }
  }
}
