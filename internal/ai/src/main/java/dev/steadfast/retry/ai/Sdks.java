package dev.steadfast.retry.ai;

import com.anthropic.client.AnthropicClient;
import com.anthropic.client.okhttp.AnthropicOkHttpClient;
import com.anthropic.models.messages.MessageCreateParams;
import com.google.genai.Client;
import com.google.genai.types.ClientOptions;
import com.google.genai.types.HttpOptions;
import com.google.genai.types.HttpRetryOptions;
import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.models.chat.completions.ChatCompletionCreateParams;
import dev.langchain4j.http.client.jdk.JdkHttpClient;
import dev.langchain4j.http.client.jdk.JdkHttpClientBuilder;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.model.chat.response.StreamingChatResponseHandler;
import dev.langchain4j.model.openai.OpenAiChatModel;
import dev.langchain4j.model.openai.OpenAiStreamingChatModel;
import dev.steadfast.retry.ai.Ai.Asker;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.httpclient.RetryingHttpClient;
import dev.steadfast.retry.okhttp.RetryInterceptor;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import okhttp3.OkHttpClient;
import org.jspecify.annotations.Nullable;
import org.springframework.ai.chat.prompt.Prompt;
import org.springframework.ai.openai.OpenAiChatOptions;

/** The SDKs, each plain and with Steadfast beneath. */
enum Sdks {
  OPENAI("openai-java", Dialects.OPENAI) {
    @Override
    Asker plain(String url) {
      return openAi(OpenAIOkHttpClient.builder().baseUrl(url).apiKey("key").build());
    }

    @Override
    Asker steadfast(String url, HttpRetry retry, RetryOptions options) {
      return openAi(openAiClient(url, retry, options));
    }
  },

  ANTHROPIC("anthropic-java", Dialects.ANTHROPIC) {
    @Override
    Asker plain(String url) {
      return anthropic(AnthropicOkHttpClient.builder().baseUrl(url).apiKey("key").build());
    }

    @Override
    Asker steadfast(String url, HttpRetry retry, RetryOptions options) {
      AnthropicTransport transport = new AnthropicTransport(client(retry, options));
      return anthropic(
          AnthropicOkHttpClient.builder()
              .addInterceptor(ofSdk -> transport)
              .maxRetries(0)
              .baseUrl(url)
              .apiKey("key")
              .build());
    }
  },

  GENAI("google-genai", Dialects.GEMINI) {
    @Override
    Asker plain(String url) {
      HttpRetryOptions its = HttpRetryOptions.builder().build(); // retries, with its defaults
      return genAi(Client.builder().httpOptions(http(url, its)).apiKey("key").build());
    }

    @Override
    Asker steadfast(String url, HttpRetry retry, RetryOptions options) {
      OkHttpClient okHttp = client(retry, options);
      HttpRetryOptions none = HttpRetryOptions.builder().attempts(1).initialDelay(0.0).build();
      return genAi(
          Client.builder()
              .clientOptions(ClientOptions.builder().customHttpClient(okHttp).build())
              .httpOptions(http(url, none))
              .apiKey("key")
              .build());
    }
  },

  LANGCHAIN4J("langchain4j", Dialects.OPENAI) {
    @Override
    Asker plain(String url) {
      return langchain4j(url, JdkHttpClient.builder(), null);
    }

    @Override
    Asker steadfast(String url, HttpRetry retry, RetryOptions options) {
      return langchain4j(
          url,
          JdkHttpClient.builder().httpClientBuilder(RetryingHttpClient.newBuilder(retry, options)),
          0);
    }
  },

  /** It sends through openai-java, its streams too. */
  SPRING_AI("spring-ai", Dialects.OPENAI) {
    @Override
    Asker plain(String url) {
      return springAi(OpenAIOkHttpClient.builder().baseUrl(url).apiKey("key").build());
    }

    @Override
    Asker steadfast(String url, HttpRetry retry, RetryOptions options) {
      return springAi(openAiClient(url, retry, options));
    }
  };

  private static final Duration LONGEST_ANSWER = Duration.ofMinutes(10);

  private final String name;
  private final Dialects dialect;

  Sdks(String name, Dialects dialect) {
    this.name = name;
    this.dialect = dialect;
  }

  /** With its own retries. */
  abstract Asker plain(String url);

  /** With those of Steadfast alone. */
  abstract Asker steadfast(String url, HttpRetry retry, RetryOptions options);

  Dialects dialect() {
    return dialect;
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

  private static OpenAIClient openAiClient(String url, HttpRetry retry, RetryOptions options) {
    return OpenAIOkHttpClient.builder()
        .okHttpClient(client(retry, options))
        .timeout(LONGEST_ANSWER)
        .maxRetries(0)
        .baseUrl(url)
        .apiKey("key")
        .build();
  }

  private static Asker openAi(OpenAIClient client) {
    return new Asker() {
      private ChatCompletionCreateParams params(String prompt) {
        return ChatCompletionCreateParams.builder().model("m").addUserMessage(prompt).build();
      }

      @Override
      public void ask(String prompt) {
        client.chat().completions().create(params(prompt));
      }

      @Override
      public String stream(String prompt) {
        try (var chunks = client.chat().completions().createStreaming(params(prompt))) {
          return chunks.stream()
              .flatMap(chunk -> chunk.choices().stream())
              .flatMap(choice -> choice.delta().content().stream())
              .collect(Collectors.joining());
        }
      }
    };
  }

  private static Asker anthropic(AnthropicClient client) {
    return new Asker() {
      private MessageCreateParams params(String prompt) {
        return MessageCreateParams.builder()
            .model("m")
            .maxTokens(100)
            .addUserMessage(prompt)
            .build();
      }

      @Override
      public void ask(String prompt) {
        client.messages().create(params(prompt));
      }

      @Override
      public String stream(String prompt) {
        try (var events = client.messages().createStreaming(params(prompt))) {
          return events.stream()
              .flatMap(event -> event.contentBlockDelta().stream())
              .flatMap(delta -> delta.delta().text().stream())
              .map(text -> text.text())
              .collect(Collectors.joining());
        }
      }
    };
  }

  private static HttpOptions http(String url, HttpRetryOptions retries) {
    return HttpOptions.builder().baseUrl(url).retryOptions(retries).build();
  }

  private static Asker genAi(Client client) {
    return new Asker() {
      @Override
      public void ask(String prompt) {
        if (client.models.generateContent("m", prompt, null).text() == null) {
          throw new IllegalStateException("no text");
        }
      }

      @Override
      public String stream(String prompt) {
        StringBuilder text = new StringBuilder();
        try (var answers = client.models.generateContentStream("m", prompt, null)) {
          answers.forEach(answer -> text.append(answer.text()));
        }
        return text.toString();
      }

      @Override
      public void close() {
        client.close();
      }
    };
  }

  private static Asker langchain4j(
      String url, JdkHttpClientBuilder http, @Nullable Integer retries) {
    OpenAiChatModel model =
        OpenAiChatModel.builder()
            .httpClientBuilder(http)
            .timeout(LONGEST_ANSWER)
            .maxRetries(retries)
            .baseUrl(url)
            .apiKey("key")
            .modelName("m")
            .build();
    return new Asker() {
      @Override
      public void ask(String prompt) {
        model.chat(prompt);
      }

      @Override
      public String stream(String prompt) {
        CompletableFuture<ChatResponse> whole = new CompletableFuture<>();
        OpenAiStreamingChatModel.builder()
            .httpClientBuilder(http)
            .timeout(LONGEST_ANSWER)
            .baseUrl(url)
            .apiKey("key")
            .modelName("m")
            .build()
            .chat(
                prompt,
                new StreamingChatResponseHandler() {
                  @Override
                  public void onCompleteResponse(ChatResponse response) {
                    whole.complete(response);
                  }

                  @Override
                  public void onError(Throwable failed) {
                    whole.completeExceptionally(failed);
                  }
                });
        return whole.join().aiMessage().text();
      }
    };
  }

  private static Asker springAi(OpenAIClient client) {
    org.springframework.ai.openai.OpenAiChatModel model =
        org.springframework.ai.openai.OpenAiChatModel.builder()
            .openAiClient(client)
            .openAiClientAsync(client.async())
            .options(OpenAiChatOptions.builder().model("m").build())
            .build();
    return new Asker() {
      @Override
      public void ask(String prompt) {
        model.call(prompt);
      }

      @Override
      public String stream(String prompt) {
        return model.stream(new Prompt(prompt))
            .toStream()
            .flatMap(response -> Stream.ofNullable(response.getResult()))
            .flatMap(result -> Stream.ofNullable(result.getOutput().getText()))
            .collect(Collectors.joining());
      }
    };
  }

  @Override
  public String toString() {
    return name;
  }
}
