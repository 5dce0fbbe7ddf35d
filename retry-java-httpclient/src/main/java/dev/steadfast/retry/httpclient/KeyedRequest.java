package dev.steadfast.retry.httpclient;

import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.http.RetryOptions;
import java.net.URI;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * The request that the explicit key of a view belongs to: the first one that is sent with it.
 * Shared by views of that key which are made from one another. Thread-safe.
 */
final class KeyedRequest {
  private static final int MOST_BYTES = 1 << 20;

  private final @Nullable String key;
  private final AtomicReference<@Nullable RequestContent> first = new AtomicReference<>();

  private KeyedRequest(@Nullable String key) {
    this.key = key;
  }

  /** The state of a client without a key in its options. */
  static KeyedRequest none() {
    return new KeyedRequest(null);
  }

  /** The state of a view of the client that has this one. */
  KeyedRequest of(RetryOptions options) {
    String other = options.idempotencyKey().orElse(null);
    return Objects.equals(key, other) ? this : new KeyedRequest(other);
  }

  /**
   * Remembers the first request that carries the key.
   *
   * @throws IllegalArgumentException if this is another one
   */
  void check(JdkRequest original, OperationInfo operation) {
    if (key == null || !operation.idempotencyKey().equals(Optional.of(key))) {
      return; // a key header that the caller wrote won over this one
    }
    RequestContent now = RequestContent.of(original, operation);
    RequestContent before = first.compareAndExchange(null, now);
    if (before != null && !before.mayEqual(now)) {
      throw new IllegalArgumentException(
          "idempotencyKey: given for "
              + before.label
              + ", then sent with "
              + now.label
              + (before.label.equals(now.label) ? " and another query or body" : "")
              + " (expected: one request per key; give each request a view of its own)");
    }
  }

  /**
   * The content that tells one request from another.
   *
   * @param label the name in messages, without a query
   * @param bytes the length of the body, negative if unknown
   * @param sum a checksum of the body; null if it cannot be read, or only once
   */
  private record RequestContent(
      String method, URI uri, String label, long bytes, @Nullable Long sum) {

    static RequestContent of(JdkRequest original, OperationInfo operation) {
      Long sum = original.body(MOST_BYTES).map(RequestContent::sum).orElse(null);
      return new RequestContent(
          original.method(), original.uri(), operation.label(), original.body().length(), sum);
    }

    private static long sum(byte[] bytes) {
      CRC32 crc = new CRC32();
      crc.update(bytes);
      return crc.getValue();
    }

    /** Whether nothing that is known tells them apart. */
    boolean mayEqual(RequestContent other) {
      return method.equals(other.method)
          && uri.equals(other.uri)
          && bytes == other.bytes
          && (sum == null || other.sum == null || sum.equals(other.sum));
    }
  }
}
