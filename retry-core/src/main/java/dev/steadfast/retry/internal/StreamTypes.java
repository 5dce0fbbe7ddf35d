package dev.steadfast.retry.internal;

import java.util.Locale;
import java.util.Set;

/** The media types of bodies that are made of parts, each of which is to be read when it comes. */
public final class StreamTypes {
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

  /**
   * Whether a body of this type is a stream.
   *
   * @param contentType a type with a subtype, with or without parameters; may be empty
   */
  public static boolean include(String contentType) {
    String type = withoutParameters(contentType);
    String subtype = type.substring(type.indexOf('/') + 1);
    return SUBTYPES.contains(subtype) || subtype.startsWith("grpc"); // grpc+proto, grpc-web
  }

  /**
   * Whether a body of this type consists of server-sent events.
   *
   * @param contentType a type with a subtype, with or without parameters; may be empty
   */
  public static boolean isOfEvents(String contentType) {
    return withoutParameters(contentType).equals("text/event-stream");
  }

  private static String withoutParameters(String contentType) {
    int end = contentType.indexOf(';');
    String type = end < 0 ? contentType : contentType.substring(0, end);
    return type.trim().toLowerCase(Locale.ROOT);
  }
}
