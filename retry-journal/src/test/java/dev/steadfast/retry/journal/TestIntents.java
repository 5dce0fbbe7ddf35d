package dev.steadfast.retry.journal;

import dev.steadfast.retry.engine.Evidence.Safety;
import dev.steadfast.retry.http.Journaling;
import dev.steadfast.retry.operations.OperationJournal;
import dev.steadfast.retry.operations.OperationJournal.Answer;
import dev.steadfast.retry.operations.OperationJournal.Content;
import dev.steadfast.retry.operations.OperationJournal.Ending;
import dev.steadfast.retry.operations.OperationJournal.Intent;
import dev.steadfast.retry.operations.OperationJournal.Request;
import dev.steadfast.retry.operations.OperationJournal.State;
import dev.steadfast.retry.operations.OperationJournal.Terms;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Operations and how they end. */
final class TestIntents {
  static final String SECRET = "s3cret";
  static final Duration WINDOW = Duration.ofHours(24);
  static final Map<String, List<String>> HEADERS =
      Map.of("Content-Type", List.of("text/plain"), "Prefer", List.of("a=1", "b: 2"));

  private TestIntents() {}

  static OperationJournal.Id id(String key) {
    return new OperationJournal.Id("charge", "tenant", key);
  }

  static Terms terms(Safety safety) {
    return switch (safety) {
      case KEYED -> keyed("key-1");
      case IDEMPOTENT -> new Terms(safety, WINDOW, null);
      default -> new Terms(safety, null, null);
    };
  }

  static Terms keyed(String line) {
    return new Terms(Safety.KEYED, WINDOW, new Journaling.Key("Idempotency-Key", line));
  }

  static Intent intent(Safety safety) {
    return intent("order-1", "5", terms(safety));
  }

  static Intent intent(String key) {
    return intent(key, "5", terms(Safety.KEYED));
  }

  static Intent intent(String key, String body, Terms terms) {
    return intent(key, body.getBytes(StandardCharsets.UTF_8), body, terms);
  }

  /** Its body is not kept. */
  static Intent withoutBody(String key, Terms terms) {
    return intent(key, null, "5", terms);
  }

  private static Intent intent(String key, byte @Nullable [] kept, String body, Terms terms) {
    URI uri = URI.create("https://bank.example/pay?token=" + SECRET);
    Request request = new Request("POST", uri, new Content(HEADERS, kept));
    return new Intent(id(key), "", request, String.format("%064x", body.hashCode()), terms);
  }

  static Ending ending(State state) {
    return new Ending(state, answer(Map.of("Location", List.of("/c/1")), "done"), 2, null);
  }

  static Ending without(State state) {
    return new Ending(state, null, 1, null);
  }

  static Ending with(Answer answer) {
    return new Ending(State.SUCCEEDED, answer, 1, null);
  }

  static Answer answer(Map<String, List<String>> headers, @Nullable String body) {
    byte[] bytes = body == null ? null : body.getBytes(StandardCharsets.UTF_8);
    return new Answer(201, new Content(headers, bytes));
  }

  static String text(Content content) {
    return new String(content.body().orElseThrow(), StandardCharsets.UTF_8);
  }

  /** A sender in the words of journals. */
  @FunctionalInterface
  interface Sends {
    void send(OperationJournal in, Intent due) throws IOException, InterruptedException;
  }

  static Journaling.Sender sender(Sends sends) {
    return (in, due) -> sends.send((OperationJournal) in, Intent.of(due));
  }
}
