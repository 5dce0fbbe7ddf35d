package dev.steadfast.retry.tck.internal;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.steadfast.retry.http.StandardRules;
import dev.steadfast.retry.tck.Reply;
import java.util.List;
import java.util.Random;

/** Event streams for the tests of our own adapters. */
public final class EventStreams {
  /** Rules that retry a stream which begins with {@link #OVERLOADED}. */
  public static final StandardRules RULES =
      StandardRules.builder().refusedBy(200, "overloaded_error").build();

  /** The beginning of a stream, without content. */
  public static final String COMMENTS = ": wait\n\nevent: ping\ndata: {}\n\n";

  /** An event with content. */
  public static final String TEXT = "data: {\"text\":\"Hi\"}\n\n";

  /** An event that tells an error which the rules know. */
  public static final String OVERLOADED =
      "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\"}}\n\n";

  private static final List<String> PIECES =
      List.of(
          "\n",
          "\r",
          "\r\n",
          ": x\n",
          "data: {\"error\":{\"type\":\"any\"}}\n",
          "event: error\n",
          "data: a",
          "\n\n",
          "\u00e4\u20ac",
          "event: ping\n",
          "x".repeat(9_000));

  private EventStreams() {}

  /** The reply, as an event stream. */
  public static Reply events(Reply reply) {
    return reply.header("Content-Type", "text/event-stream");
  }

  /** An event stream with these events, or whatever else the text has. */
  public static Reply events(String body) {
    return events(Reply.status(200).body(body));
  }

  /** A stream of up to 19 pieces of events in any order. */
  public static byte[] random(Random random) {
    StringBuilder stream = new StringBuilder();
    for (int i = random.nextInt(20); i > 0; i--) {
      stream.append(PIECES.get(random.nextInt(PIECES.size())));
    }
    return stream.toString().getBytes(UTF_8);
  }
}
