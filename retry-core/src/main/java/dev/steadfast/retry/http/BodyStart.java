package dev.steadfast.retry.http;

import dev.steadfast.retry.internal.FirstEvent;
import dev.steadfast.retry.internal.StreamTypes;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The part of a response body that belongs to the attempt: all of a short body, or an event stream
 * up to its first event. The caller gets all of the body. For authors of adapters whose attempts
 * end with the head otherwise. Confined to one thread at a time.
 */
public final class BodyStart {
  private static final int FIRST_FAILURE = 400;
  private static final int PIECE = 8 * 1024;

  private final int status;
  private final int most; // bytes
  private final @Nullable FirstEvent event; // null: a short body
  private int taken;
  private boolean whole;

  private BodyStart(int status, int most, @Nullable FirstEvent event) {
    this.status = status;
    this.most = most;
    this.event = event;
  }

  /**
   * The part that is read: for the rules, for the journal, or as {@link
   * HttpRetry.Builder#bufferBodiesUpTo} says.
   *
   * @param operation the operation
   * @param head the head of its answer
   * @param length how many bytes the body says that it has, negative if it does not
   * @param decompressed whether the client has decompressed the body, whatever the head says
   * @return null if the caller reads all of it
   */
  public static @Nullable BodyStart of(
      HttpOperation operation, ResponseView head, long length, boolean decompressed) {
    int most = operation.bufferedBodyBytes(head.status());
    if (most > 0 && length <= most && !isStream(head)) {
      return new BodyStart(head.status(), most, null);
    }
    return operation.awaitsFirstEvent(head.status()) ? ofEvents(head, decompressed) : null;
  }

  private static boolean isStream(ResponseView head) {
    return head.headers("Content-Type").stream().anyMatch(StreamTypes::include);
  }

  private static @Nullable BodyStart ofEvents(ResponseView head, boolean decompressed) {
    List<String> encoding = decompressed ? List.of() : head.headers("Content-Encoding");
    FirstEvent event = FirstEvent.of(head.headers("Content-Type"), encoding);
    return event == null ? null : new BodyStart(head.status(), FirstEvent.MOST_BYTES, event);
  }

  /** {@return whether it ends with the first event of a stream} */
  public boolean awaitsEvent() {
    return event != null;
  }

  /** {@return the most bytes that are read; one more shows that a body is longer} */
  public int mostBytes() {
    return most;
  }

  /**
   * {@return whether the attempt fails if the body breaks before {@link #take} returns true: false
   * from 400 on, as a body that breaks must not hide what the head says}
   */
  public boolean isNeeded() {
    return status < FIRST_FAILURE;
  }

  /**
   * Looks at the next bytes; their position stays.
   *
   * @param next the bytes
   * @return whether no more are needed
   */
  public boolean take(ByteBuffer next) {
    taken += next.remaining();
    return event == null ? taken > most : event.take(next);
  }

  /** The body is over. */
  public void end() {
    if (event != null) {
      event.end();
    }
    whole = true;
  }

  /**
   * Reads the part on the calling thread.
   *
   * @param content the body; it is not closed
   * @return what was read, which the caller gets before the rest of the content
   * @throws IOException if the body breaks and {@link #isNeeded}
   */
  public byte[] read(InputStream content) throws IOException {
    ByteArrayOutputStream start = new ByteArrayOutputStream();
    byte[] piece = new byte[PIECE];
    try {
      boolean enough = false;
      while (!enough) {
        int count = content.read(piece);
        if (count < 0) {
          end();
          break;
        }
        start.write(piece, 0, count);
        enough = take(ByteBuffer.wrap(piece, 0, count));
      }
    } catch (IOException broken) {
      if (isNeeded()) {
        throw broken;
      }
    }
    return start.toByteArray();
  }

  /** {@return whether all of the body was taken, so that a rule or a journal may have it} */
  public boolean isWhole() {
    return whole && event == null;
  }

  /** {@return what {@link ResponseView#errorEvent} gives: null for none, or if it is not known} */
  public @Nullable String errorEvent() {
    return event == null ? null : event.error();
  }
}
