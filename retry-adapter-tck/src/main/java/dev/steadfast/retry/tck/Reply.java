package dev.steadfast.retry.tck;

import dev.steadfast.retry.internal.Checks;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;

/**
 * The server's reaction to one request: an answer, a fault, or an answer that turns into one.
 *
 * <p>Every reply has the same course: informational heads, the wait for {@link #delayUntil}, the
 * bytes of the answer (none for some faults), and an ending. Immutable; a reply may be used for any
 * number of requests.
 */
public final class Reply {
  private final Parts parts;

  private Reply(Parts parts) {
    this.parts = parts;
  }

  // ---- answers

  /**
   * An ordinary answer with an empty body, after which the connection stays open.
   *
   * @param status 200 to 599
   * @return a new reply
   * @throws IllegalArgumentException if the status is out of range
   */
  public static Reply status(int status) {
    Checks.within("status", status, 200, 599);
    Parts parts = new Parts();
    parts.status = status;
    return new Reply(parts);
  }

  /**
   * Adds a field line; a framing header given here replaces the one the server would send.
   *
   * @param name the name
   * @param value the value
   * @return a changed copy
   */
  public Reply header(String name, String value) {
    return with(p -> p.headers = plus(p.headers, Map.entry(name, value)));
  }

  /**
   * Sets the body, as UTF-8.
   *
   * @param body the body; none by default
   * @return a changed copy
   */
  public Reply body(String body) {
    return body(body.getBytes(StandardCharsets.UTF_8));
  }

  /**
   * Sets the body.
   *
   * @param body the body; none by default
   * @return a changed copy
   */
  public Reply body(byte[] body) {
    byte[] copy = body.clone();
    return with(p -> p.body = copy);
  }

  /**
   * Sets the reason phrase, which is empty otherwise.
   *
   * @param reason the phrase
   * @return a changed copy
   */
  public Reply reason(String reason) {
    return with(p -> p.reason = reason);
  }

  /**
   * Sends the body chunked; a truncated or stalled one then lacks its last chunk.
   *
   * @return a changed copy
   */
  public Reply chunked() {
    return with(p -> p.chunked = true);
  }

  /**
   * Sends this 1xx head first, 101 excepted; can be repeated.
   *
   * @param status 100 to 199 without 101
   * @return a changed copy
   * @throws IllegalArgumentException if it is another status
   */
  public Reply informational(int status) {
    if (status < 100 || status > 199 || status == 101) {
      throw Checks.bad("status", status, "1xx except 101");
    }
    return with(p -> p.informational = plus(p.informational, "HTTP/1.1 " + status + " \r\n\r\n"));
  }

  /**
   * Sends a 103 head with a {@code Link} first.
   *
   * @return a changed copy
   */
  public Reply earlyHints() {
    String head = "HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\n";
    return with(p -> p.informational = plus(p.informational, head));
  }

  /**
   * Holds the reply, informational heads excepted, until the latch opens. The wait also ends, with
   * the connection, when the client leaves or the server closes.
   *
   * @param latch what to wait for
   * @return a changed copy
   */
  public Reply delayUntil(CountDownLatch latch) {
    return with(p -> p.delay = latch);
  }

  // ---- when the server acts

  /**
   * Replies as soon as the head was read: no {@code 100 Continue}, and the body is not waited for.
   * If the request has a body, an answer announces {@code Connection: close} and the connection
   * ends, because the rest of the body would be taken for the next request.
   *
   * @return a changed copy
   */
  public Reply onHead() {
    return with(p -> p.onHead = true);
  }

  /**
   * Reads the body, but does not send the {@code 100 Continue} for which the client may wait.
   *
   * @return a changed copy
   */
  public Reply withoutContinue() {
    return with(p -> p.withoutContinue = true);
  }

  // ---- endings

  /**
   * Closes the connection right after the reply, with FIN and without having announced it.
   *
   * @return a changed copy
   */
  public Reply thenClose() {
    return with(p -> p.ending = Ending.CLOSE);
  }

  /**
   * Closes the idle connection, unannounced, when the latch opens. The connection is over for the
   * server with the reply: a request that the client still sends on it is neither recorded nor
   * answered, as happens to one that crosses the FIN.
   *
   * @param latch what to wait for
   * @return a changed copy
   */
  public Reply thenCloseWhen(CountDownLatch latch) {
    return thenClose().with(p -> p.closeWhen = latch);
  }

  /**
   * Resets the connection (RST) right after the reply; bytes in flight may be lost with it.
   *
   * @return a changed copy
   */
  public Reply thenReset() {
    return with(p -> p.ending = Ending.RESET);
  }

  // ---- faults

  /**
   * Reads the whole request, then closes with FIN; no byte is sent.
   *
   * @return a new reply
   */
  public static Reply closeAfterRequest() {
    return bare("").thenClose();
  }

  /**
   * Reads the whole request, then resets the connection (RST); no byte is sent.
   *
   * @return a new reply
   */
  public static Reply resetAfterRequest() {
    return bare("").thenReset();
  }

  /**
   * Sends FIN after the head of the request; the body is read, but only to be dropped.
   *
   * @return a new reply
   */
  public static Reply closeOnHead() {
    return closeAfterRequest().onHead();
  }

  /**
   * Reads the whole request and stays silent until the client leaves or the server closes.
   *
   * @return a new reply
   */
  public static Reply stallAfterRequest() {
    return bare("").with(p -> p.ending = Ending.STALL);
  }

  /**
   * Declares a length, sends these bytes of it (UTF-8), then FIN.
   *
   * @param status 200 to 599
   * @param declaredLength the length in bytes that the head declares
   * @param sent what is sent of the body
   * @return a new reply
   */
  public static Reply truncatedBody(int status, long declaredLength, String sent) {
    return status(status).body(sent).with(p -> p.declaredLength = declaredLength).thenClose();
  }

  /**
   * Declares a length, sends these bytes of it (UTF-8), then nothing more.
   *
   * @param status 200 to 599
   * @param declaredLength the length in bytes that the head declares
   * @param sent what is sent of the body
   * @return a new reply
   */
  public static Reply stalledBody(int status, long declaredLength, String sent) {
    return truncatedBody(status, declaredLength, sent).with(p -> p.ending = Ending.STALL);
  }

  /**
   * A chunked body that goes on until the client leaves or the server closes.
   *
   * @param status 200 to 599
   * @return a new reply
   */
  public static Reply endlessBody(int status) {
    return status(status).chunked().with(p -> p.ending = Ending.ENDLESS);
  }

  /**
   * Bytes that are not HTTP, then FIN.
   *
   * @return a new reply
   */
  public static Reply garbage() {
    return bare("\u0000\u0001+OK not what you asked for\r\n\r\n").thenClose();
  }

  /**
   * These bytes (ISO-8859-1), presumably the beginning of a response head, then FIN.
   *
   * @param bytes what is sent
   * @return a new reply
   */
  public static Reply partialHead(String bytes) {
    return bare(bytes).thenClose();
  }

  private static Reply bare(String bytes) {
    Parts parts = new Parts();
    parts.body = bytes.getBytes(StandardCharsets.ISO_8859_1);
    return new Reply(parts);
  }

  // ---- inside

  Parts parts() {
    return parts;
  }

  /** A text for failure messages. */
  @Override
  public String toString() {
    String what = parts.bare() ? parts.body.length + " bare bytes" : "status " + parts.status;
    return "Reply[" + what + ", then " + parts.ending + (parts.onHead ? ", on head]" : "]");
  }

  private Reply with(Consumer<Parts> change) {
    Parts copy = new Parts(parts);
    change.accept(copy);
    return new Reply(copy);
  }

  private static <T> List<T> plus(List<T> list, T element) {
    List<T> longer = new ArrayList<>(list);
    longer.add(element);
    return List.copyOf(longer);
  }

  /** The fate of the connection after the bytes of the reply. */
  enum Ending {
    KEEP,
    CLOSE,
    RESET,
    STALL,
    ENDLESS
  }
}
