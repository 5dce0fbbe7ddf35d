package dev.steadfast.retry.journal.cli;

import dev.steadfast.retry.journal.Oversight.Entry;
import dev.steadfast.retry.journal.Oversight.Exchange;
import dev.steadfast.retry.operations.OperationJournal;
import dev.steadfast.retry.operations.OperationJournal.Answer;
import dev.steadfast.retry.operations.OperationJournal.Content;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The fields that are shown, in their order. */
final class Shown {
  private Shown() {}

  static Map<String, @Nullable Object> id(OperationJournal.Id id) {
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    fields.put("name", id.name());
    if (!id.principal().isEmpty()) {
      fields.put("principal", id.principal());
    }
    fields.put("key", id.key());
    return fields;
  }

  static Map<String, @Nullable Object> entry(Entry entry) {
    Map<String, @Nullable Object> fields = id(entry.id());
    fields.put("state", entry.state().toString());
    fields.put("target", entry.target());
    fields.put("since", entry.times().since());
    fields.put("createdAt", entry.times().createdAt());
    fields.put("firstSentAt", entry.times().firstSentAt());
    fields.put("keyExpiresAt", entry.times().keyExpiresAt());
    fields.put("dueAt", entry.times().dueAt());
    fields.put("deliveries", entry.deliveries());
    fields.put("attempts", entry.attempts());
    fields.put("sequence", entry.sequence());
    fields.put("status", entry.status());
    return fields;
  }

  /** The fields of request and answer, with query and bodies. */
  static Map<String, @Nullable Object> exchange(Exchange exchange) {
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    Map<String, @Nullable Object> request = new LinkedHashMap<>();
    request.put("method", exchange.request().method());
    request.put("uri", exchange.request().uri().toString());
    put(request, exchange.request().content());
    fields.put("request", request);
    Answer kept = exchange.answer();
    if (kept != null) {
      Map<String, @Nullable Object> answer = new LinkedHashMap<>();
      answer.put("status", kept.status());
      put(answer, kept.content());
      fields.put("answer", answer);
    }
    return fields;
  }

  private static void put(Map<String, @Nullable Object> fields, Content content) {
    fields.put("headers", content.headers());
    byte[] body = content.body().orElse(null);
    if (body == null) {
      fields.put("body", null);
      return;
    }
    try {
      fields.put("body", StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(body)));
    } catch (CharacterCodingException binary) {
      fields.put("bodyBase64", Base64.getEncoder().encodeToString(body));
    }
  }
}
