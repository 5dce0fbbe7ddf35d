package dev.steadfast.retry.ai;

import com.sun.net.httpserver.Headers;
import java.time.Instant;
import java.util.List;

/** The APIs of the vendors: a prompt is answered with "hi". */
enum Dialects implements AiServer.Dialect {
  /** The Chat Completions API of OpenAI. */
  OPENAI {
    @Override
    public String answer() {
      return """
      {"id":"a","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,\
      "finish_reason":"stop","message":{"role":"assistant","content":"hi"}}],\
      "usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}\
      """;
    }

    @Override
    public List<String> events() {
      return List.of(
          chunk("{\"role\":\"assistant\",\"content\":\"h\"}", "null"),
          chunk("{\"content\":\"i\"}", "null"),
          chunk("{}", "\"stop\""),
          "data: [DONE]");
    }

    private static String chunk(String delta, String finish) {
      return """
      data: {"id":"a","object":"chat.completion.chunk","created":1,"model":"m",\
      "choices":[{"index":0,"delta":%s,"finish_reason":%s}]}\
      """
          .formatted(delta, finish);
    }

    @Override
    public String error(int status) {
      String type = status == 429 ? "rate_limit_exceeded" : "overloaded_error";
      return """
      {"error":{"message":"no","type":"%s","code":"%s"}}\
      """
          .formatted(type, type);
    }

    // An event without a name, with the error in its data.
    @Override
    public String overloadEvent() {
      return "data: " + error(AiServer.OVERLOAD);
    }

    @Override
    public void quotas(Headers headers, AiServer.Left left) {
      Dialects.quotas(headers, "x-ratelimit-%2$s-%1$s", left, left.resetMillis() + "ms");
    }
  },

  /** The Messages API of Anthropic. */
  ANTHROPIC {
    @Override
    public String answer() {
      return """
      {"id":"a","type":"message","role":"assistant","model":"m","content":\
      [{"type":"text","text":"hi"}],"stop_reason":"end_turn","stop_sequence":null,\
      "usage":{"input_tokens":1,"output_tokens":1}}\
      """;
    }

    @Override
    public List<String> events() {
      return List.of(
          event(
              "message_start",
              """
              "message":{"id":"a","type":"message","role":"assistant","model":"m","content":[],\
              "stop_reason":null,"stop_sequence":null,\
              "usage":{"input_tokens":1,"output_tokens":1}}\
              """),
          event(
              "content_block_start",
              "\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}"),
          event(
              "content_block_delta",
              "\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"hi\"}"),
          event("content_block_stop", "\"index\":0"),
          event(
              "message_delta",
              """
              "delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":1}\
              """),
          "event: message_stop\ndata: {\"type\":\"message_stop\"}");
    }

    private static String event(String name, String members) {
      return "event: %s\ndata: {\"type\":\"%s\",%s}".formatted(name, name, members);
    }

    @Override
    public String error(int status) {
      String type = status == 429 ? "rate_limit_error" : "overloaded_error";
      return """
      {"type":"error","error":{"type":"%s","message":"no"}}\
      """
          .formatted(type);
    }

    @Override
    public String overloadEvent() {
      return "event: error\ndata: " + error(AiServer.OVERLOAD);
    }

    @Override
    public void quotas(Headers headers, AiServer.Left left) {
      String reset = Instant.now().plusMillis(left.resetMillis()).toString();
      Dialects.quotas(headers, "anthropic-ratelimit-%1$s-%2$s", left, reset);
    }
  },

  /**
   * The generateContent API of Google, which tells no quotas by itself: as behind a gateway that
   * does.
   */
  GEMINI {
    @Override
    public String answer() {
      return """
      {"candidates":[{"content":{"role":"model","parts":[{"text":"hi"}]},"finishReason":"STOP"}]}\
      """;
    }

    @Override
    public List<String> events() {
      return List.of(
          """
          data: {"candidates":[{"content":{"role":"model","parts":[{"text":"h"}]}}]}\
          """,
          """
          data: {"candidates":[{"content":{"role":"model","parts":[{"text":"i"}]},\
          "finishReason":"STOP"}]}\
          """);
    }

    @Override
    public String error(int status) {
      String name = status == 429 ? "RESOURCE_EXHAUSTED" : "overloaded_error";
      return """
      {"error":{"code":%d,"message":"no","status":"%s"}}\
      """
          .formatted(status, name);
    }

    @Override
    public String overloadEvent() {
      return "data: " + error(AiServer.OVERLOAD);
    }

    @Override
    public void quotas(Headers headers, AiServer.Left left) {
      OPENAI.quotas(headers, left);
    }
  };

  /** Writes what is left, with a pattern for the kind of quota and what is told of it. */
  private static void quotas(Headers headers, String pattern, AiServer.Left left, String reset) {
    quota(headers, pattern, "requests", AiServer.REQUESTS, left.requests(), reset);
    quota(headers, pattern, "tokens", AiServer.TOKENS, left.tokens(), reset);
  }

  private static void quota(
      Headers headers, String pattern, String kind, long limit, long remaining, String reset) {
    headers.add(pattern.formatted(kind, "limit"), Long.toString(limit));
    headers.add(pattern.formatted(kind, "remaining"), Long.toString(remaining));
    headers.add(pattern.formatted(kind, "reset"), reset);
  }
}
