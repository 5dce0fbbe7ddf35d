package dev.steadfast.retry.internal;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.zip.DataFormatException;
import org.jspecify.annotations.Nullable;

/**
 * Looks at the bytes of an event stream until its first event is known: content, or an error. It
 * keeps none of them. A stream whose beginning is longer than {@link #MOST_BYTES}, compressed or
 * decompressed, is taken as content. Confined to one thread at a time.
 */
public final class FirstEvent {
  // Why it is like this: docs/decisions/evidence.md#streams-and-their-first-event
  /** How many bytes are looked at. */
  public static final int MOST_BYTES = 64 * 1024;

  // These events come before the answer is begun, and say nothing about how it ends.
  private static final Set<String> BEFORE_CONTENT =
      Set.of(
          "ping", "message_start", "response.created", "response.queued", "response.in_progress");
  private static final Set<String> ERRORS = Set.of("error", "response.failed");

  private final EventReader reader = new EventReader();
  private final @Nullable GzipPieces gzip; // null: the bytes are as they are
  private int seen;
  private int unpacked;
  private boolean known;
  private @Nullable String error;

  private FirstEvent(@Nullable GzipPieces gzip) {
    this.gzip = gzip;
  }

  /**
   * The reader of a body that may be an event stream.
   *
   * @param contentType the values of this header
   * @param contentEncoding the values of this header
   * @return null if it is none, or is compressed in another way than by gzip
   */
  public static @Nullable FirstEvent of(List<String> contentType, List<String> contentEncoding) {
    if (contentType.size() != 1 || !StreamTypes.isOfEvents(contentType.get(0))) {
      return null;
    }
    return switch (String.join(",", contentEncoding).trim().toLowerCase(Locale.ROOT)) {
      case "", "identity" -> new FirstEvent(null);
      case "gzip", "x-gzip" -> new FirstEvent(new GzipPieces());
      default -> null;
    };
  }

  /** The data of the first event if that is an error; null if it is none, or not known yet. */
  public @Nullable String error() {
    return error;
  }

  /**
   * Looks at the next bytes; their position stays.
   *
   * @return whether no more are needed
   */
  public boolean take(ByteBuffer bytes) {
    if (known) {
      return true;
    }
    int room = MOST_BYTES - seen;
    byte[] next = new byte[Math.min(room, bytes.remaining())];
    bytes.duplicate().get(next);
    seen += next.length;
    read(next);
    return known || (seen == MOST_BYTES && isKnown());
  }

  /** The stream is over. */
  public void end() {
    if (!known) {
      judge(reader.end());
      isKnown();
    }
  }

  private boolean isKnown() {
    known = true;
    if (gzip != null) {
      gzip.close();
    }
    return true;
  }

  private void read(byte[] next) {
    if (gzip == null) {
      readPlain(next);
      return;
    }
    try {
      byte[] plain = gzip.take(next, MOST_BYTES - unpacked);
      unpacked += plain.length;
      readPlain(plain);
      if (!known && gzip.finished()) {
        end();
      }
    } catch (DataFormatException broken) {
      isKnown(); // the caller sees it as well
      return;
    }
    if (!known && unpacked == MOST_BYTES) {
      isKnown();
    }
  }

  private void readPlain(byte[] next) {
    for (int i = 0; i < next.length && !known; i++) {
      judge(reader.take(next[i]));
    }
  }

  private void judge(EventReader.@Nullable Event event) {
    if (event == null) {
      return;
    }
    EventData data = EventData.of(event.data());
    String name = event.name().isEmpty() ? data.type() : event.name();
    if (ERRORS.contains(name) || ERRORS.contains(data.type()) || data.hasError()) {
      error = event.data();
    } else if (BEFORE_CONTENT.contains(name)) {
      return;
    }
    isKnown();
  }
}
