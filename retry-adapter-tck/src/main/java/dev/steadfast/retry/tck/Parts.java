package dev.steadfast.retry.tck;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/**
 * The fields of a {@link Reply}. Written only while its reply is being made, so that a wither is
 * one assignment to a copy instead of a constructor call with a dozen arguments.
 */
final class Parts {
  /**
   * How many bytes are read of an answer that is not wanted (docs/timeouts-and-cancellation.md).
   */
  private static final int DISCARDED = 64 * 1024;

  /** 0: there is no head, the body is sent as it is. */
  int status;

  String reason = "";
  List<Map.Entry<String, String>> headers = List.of();
  byte[] body = {};
  boolean chunked;

  /** -1: as long as the body; otherwise the body is only a part of what the head declares. */
  long declaredLength = -1;

  List<String> informational = List.of();

  /** Null: no wait. */
  @Nullable CountDownLatch delay;

  /** Null: at once. */
  @Nullable CountDownLatch closeWhen;

  Reply.Ending ending = Reply.Ending.KEEP;
  boolean onHead;
  boolean withoutContinue;

  Parts() {}

  Parts(Parts other) {
    status = other.status;
    reason = other.reason;
    headers = other.headers;
    body = other.body;
    chunked = other.chunked;
    declaredLength = other.declaredLength;
    informational = other.informational;
    delay = other.delay;
    closeWhen = other.closeWhen;
    ending = other.ending;
    onHead = other.onHead;
    withoutContinue = other.withoutContinue;
  }

  boolean bare() {
    return status == 0;
  }

  /** Whether the connection serves the next request, if the client reads the body. */
  boolean peaceful() {
    boolean answer = status != 0 && ending == Reply.Ending.KEEP && !onHead && declaredLength < 0;
    boolean closes =
        headers.stream().anyMatch(line -> line.getKey().equalsIgnoreCase("Connection"));
    return answer && !closes && body.length <= DISCARDED;
  }

  /** Whether the body ends before the message does. */
  boolean incomplete() {
    return declaredLength >= 0 || ending == Reply.Ending.ENDLESS;
  }
}
