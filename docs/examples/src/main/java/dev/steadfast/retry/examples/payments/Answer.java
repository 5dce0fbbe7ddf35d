package dev.steadfast.retry.examples.payments;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/** An answer, as it is sent. Its status and body are what is stored under a key. */
public record Answer(int status, String body, Map<String, String> headers) {
  /** Thrown where a request ends with an answer that is not stored. */
  public static final class Refusal extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient Answer answer;

    Refusal(Answer answer) {
      super(answer.body);
      this.answer = answer;
    }

    /** What the client gets. */
    public Answer answer() {
      return answer;
    }
  }

  /** An answer without headers of its own. */
  public static Answer of(int status, String body) {
    return new Answer(status, body, Map.of());
  }

  /** An error in the form of RFC 9457. */
  public static Answer problem(int status, String title) {
    return of(status, "{\"status\":" + status + ",\"title\":\"" + title + "\"}");
  }

  /** To be thrown: an error in the same form, which is not stored. */
  public static Refusal refusal(int status, String title) {
    return new Refusal(problem(status, title));
  }

  /** Another request with the key is at work. Most are done within the second. */
  public static Answer inProgress() {
    return problem(409, "a request with this key is in progress").with("Retry-After", "1");
  }

  /** The same answer with one more header. */
  public Answer with(String name, String value) {
    Map<String, String> more = new HashMap<>(headers);
    more.put(name, value);
    return new Answer(status, body, more);
  }

  /** Sends it; the caller closes the exchange. */
  public void send(HttpExchange exchange) throws IOException {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    String type = status >= 400 ? "application/problem+json" : "application/json";
    exchange.getResponseHeaders().set("Content-Type", type);
    headers.forEach(exchange.getResponseHeaders()::set);
    exchange.sendResponseHeaders(status, bytes.length);
    exchange.getResponseBody().write(bytes);
  }
}
