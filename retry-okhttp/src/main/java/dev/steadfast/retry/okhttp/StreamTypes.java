package dev.steadfast.retry.okhttp;

import java.util.Locale;
import java.util.Set;
import okhttp3.MediaType;
import org.jspecify.annotations.Nullable;

/** The media types of bodies that are made of parts, each of which is to be read when it comes. */
final class StreamTypes {
  private static final Set<String> SUBTYPES =
      Set.of(
          "event-stream",
          "x-ndjson",
          "ndjson",
          "jsonl",
          "x-jsonlines",
          "json-seq",
          "stream+json",
          "x-mixed-replace");

  private StreamTypes() {}

  static boolean include(@Nullable MediaType type) {
    if (type == null) {
      return false;
    }
    String subtype = type.subtype().toLowerCase(Locale.ROOT);
    return SUBTYPES.contains(subtype) || subtype.startsWith("grpc"); // grpc+proto, grpc-web
  }
}
