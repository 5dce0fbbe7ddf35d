package dev.steadfast.retry.examples.payments;

import java.util.HashMap;
import java.util.Map;

/** An answer, as it is sent. Its status and body are what is stored under a key. */
record Answer(int status, String body, Map<String, String> headers) {
  /** Thrown where a request ends with an answer that is not stored. */
  static final class Refusal extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient Answer answer;

    Refusal(Answer answer) {
      super(answer.body);
      this.answer = answer;
    }

    Answer answer() {
      return answer;
    }
  }

  static Answer of(int status, String body) {
    return new Answer(status, body, Map.of());
  }

  /** An error in the form of RFC 9457. */
  static Answer problem(int status, String title) {
    return of(status, "{\"status\":" + status + ",\"title\":\"" + title + "\"}");
  }

  static Refusal refusal(int status, String title) {
    return new Refusal(problem(status, title));
  }

  /** Another request with the key is at work. Most are done within the second. */
  static Answer inProgress() {
    return problem(409, "a request with this key is in progress").with("Retry-After", "1");
  }

  Answer with(String name, String value) {
    Map<String, String> more = new HashMap<>(headers);
    more.put(name, value);
    return new Answer(status, body, more);
  }

  String contentType() {
    return status >= 400 ? "application/problem+json" : "application/json";
  }
}
