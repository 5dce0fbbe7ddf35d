package dev.steadfast.retry.examples;

import java.time.Duration;
import java.util.Map;

/**
 * What a server of the demo does with a request.
 *
 * @param status the status
 * @param headers the headers
 * @param body the body
 * @param delay how long to wait before answering
 * @param ending what becomes of the connection
 */
record Reply(int status, Map<String, String> headers, String body, Duration delay, Ending ending) {
  /** What becomes of the connection. */
  enum Ending {
    /** It stays open for the next request. */
    KEEP,
    /** It is closed after the answer, unannounced. */
    CLOSE,
    /** It is closed instead of an answer. */
    SILENCE
  }

  static Reply of(int status, String body) {
    return new Reply(status, Map.of(), body, Duration.ZERO, Ending.KEEP);
  }

  Reply header(String name, String value) {
    return new Reply(status, Map.of(name, value), body, delay, ending);
  }

  Reply late(Duration later) {
    return new Reply(status, headers, body, later, ending);
  }

  Reply ending(Ending how) {
    return new Reply(status, headers, body, delay, how);
  }
}
