package dev.steadfast.retry.spring;

import dev.steadfast.retry.http.RetryOptions;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.URI;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;

/** A client that retries, as a request of Spring's uses it. */
interface Wire {

  /** The request that is sent, without its body. */
  record Head(HttpMethod method, URI uri, HttpHeaders headers, RetryOptions options) {

    /** Takes the header lines as they are sent. */
    void forEachLine(BiConsumer<String, String> line) {
      headers.forEach((name, values) -> {
        if (name.equalsIgnoreCase("Cookie")) { // one line, as RFC 6265 has it
          line.accept(name, String.join("; ", values));
        } else {
          values.forEach(value -> line.accept(name, value == null ? "" : value));
        }
      });
    }
  }

  /**
   * Sends a request on the calling thread.
   *
   * @param body the whole body, which can be sent again; null for none
   */
  SpringAnswer send(Head head, byte @Nullable [] body) throws IOException;

  /** Sends a request whose body is written each time that it is sent. */
  SpringAnswer send(Head head, RepeatableBody body) throws IOException;

  /** Begins a request whose body follows, and is sent once. */
  Upload begin(Head head) throws IOException;

  /** The exception for an interrupt that Spring's own factories throw, too. The flag is kept. */
  static InterruptedIOException interrupted(InterruptedException cause) {
    Thread.currentThread().interrupt();
    InterruptedIOException thrown = new InterruptedIOException("Request was interrupted");
    thrown.initCause(cause);
    return thrown;
  }
}
