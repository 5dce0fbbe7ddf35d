package dev.steadfast.retry.engine;

import dev.steadfast.retry.AttemptRefusedException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The part of an answer that is kept in case the next attempt is refused. The headers are one text,
 * because thousands of operations may wait: each name and value after its length and a colon.
 *
 * @param outcome of the attempt that was answered
 * @param headers the text
 */
record PackedAnswer(Outcome outcome, String headers) {
  static PackedAnswer of(Outcome outcome, Map<String, List<String>> headers) {
    return new PackedAnswer(outcome, pack(headers));
  }

  static String pack(Map<String, List<String>> headers) {
    StringBuilder packed = new StringBuilder();
    headers.forEach((name, values) -> {
      for (String value : values) {
        add(packed, name);
        add(packed, value);
      }
    });
    return packed.toString();
  }

  private static void add(StringBuilder packed, String text) {
    packed.append(text.length()).append(':').append(text);
  }

  /** The exception for the caller if a guard refuses the next attempt. */
  AttemptRefusedException refusal(@Nullable Throwable cause) {
    return new AttemptRefusedException(
        Math.max(0, outcome.evidence().status()),
        unpack(headers),
        outcome.verdict().serverDelay(),
        cause);
  }

  /** An immutable map that finds a name in any case. */
  static Map<String, List<String>> unpack(String packed) {
    Map<String, List<String>> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    List<String> texts = texts(packed);
    for (int i = 0; i < texts.size(); i += 2) {
      headers.computeIfAbsent(texts.get(i), name -> new ArrayList<>(1)).add(texts.get(i + 1));
    }
    headers.replaceAll((name, values) -> List.copyOf(values));
    return Collections.unmodifiableMap(headers);
  }

  private static List<String> texts(String packed) {
    List<String> texts = new ArrayList<>();
    for (int at = 0; at < packed.length(); ) {
      int colon = packed.indexOf(':', at);
      int end = colon + 1 + Integer.parseInt(packed.substring(at, colon));
      texts.add(packed.substring(colon + 1, end));
      at = end;
    }
    return texts;
  }
}
