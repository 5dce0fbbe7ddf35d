package dev.steadfast.retry.ai;

import com.sun.net.httpserver.Headers;
import java.time.Instant;

/** How the APIs of the vendors speak. */
final class Dialects {
  private Dialects() {}

  /** The Chat Completions API of OpenAI. */
  static final class OpenAi implements AiServer.Dialect {
    @Override
    public String answer() {
      return "{\"id\":\"a\",\"object\":\"chat.completion\",\"created\":1,\"model\":\"m\",\"choices\":"
          + "[{\"index\":0,\"finish_reason\":\"stop\",\"message\":{\"role\":\"assistant\","
          + "\"content\":\"hi\"}}],\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":1,"
          + "\"total_tokens\":2}}";
    }

    @Override
    public String error(int status) {
      String type = status == 429 ? "rate_limit_exceeded" : "overloaded_error";
      return "{\"error\":{\"message\":\"no\",\"type\":\"" + type + "\",\"code\":\"" + type + "\"}}";
    }

    @Override
    public void quotas(Headers headers, AiServer.Left left) {
      String reset = left.resetMillis() + "ms";
      headers.add("x-ratelimit-limit-requests", "" + AiServer.REQUESTS);
      headers.add("x-ratelimit-remaining-requests", "" + left.requests());
      headers.add("x-ratelimit-reset-requests", reset);
      headers.add("x-ratelimit-limit-tokens", "" + AiServer.TOKENS);
      headers.add("x-ratelimit-remaining-tokens", "" + left.tokens());
      headers.add("x-ratelimit-reset-tokens", reset);
    }
  }

  /** The Messages API of Anthropic. */
  static final class Anthropic implements AiServer.Dialect {
    @Override
    public String answer() {
      return "{\"id\":\"a\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"m\",\"content\":"
          + "[{\"type\":\"text\",\"text\":\"hi\"}],\"stop_reason\":\"end_turn\","
          + "\"stop_sequence\":null,\"usage\":{\"input_tokens\":1,\"output_tokens\":1}}";
    }

    @Override
    public String error(int status) {
      String type = status == 429 ? "rate_limit_error" : "overloaded_error";
      return "{\"type\":\"error\",\"error\":{\"type\":\"" + type + "\",\"message\":\"no\"}}";
    }

    @Override
    public void quotas(Headers headers, AiServer.Left left) {
      String reset = Instant.now().plusMillis(left.resetMillis()).toString();
      headers.add("anthropic-ratelimit-requests-limit", "" + AiServer.REQUESTS);
      headers.add("anthropic-ratelimit-requests-remaining", "" + left.requests());
      headers.add("anthropic-ratelimit-requests-reset", reset);
      headers.add("anthropic-ratelimit-tokens-limit", "" + AiServer.TOKENS);
      headers.add("anthropic-ratelimit-tokens-remaining", "" + left.tokens());
      headers.add("anthropic-ratelimit-tokens-reset", reset);
    }
  }

  /**
   * The generateContent API of Google, which tells no quotas by itself: as behind a gateway that
   * does.
   */
  static final class Gemini implements AiServer.Dialect {
    @Override
    public String answer() {
      return "{\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":[{\"text\":\"hi\"}]},"
          + "\"finishReason\":\"STOP\"}]}";
    }

    @Override
    public String error(int status) {
      String name = status == 429 ? "RESOURCE_EXHAUSTED" : "overloaded_error";
      return "{\"error\":{\"code\":" + status + ",\"message\":\"no\",\"status\":\"" + name + "\"}}";
    }

    @Override
    public void quotas(Headers headers, AiServer.Left left) {
      new OpenAi().quotas(headers, left);
    }
  }
}
