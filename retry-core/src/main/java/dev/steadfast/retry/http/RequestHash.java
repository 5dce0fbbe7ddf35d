package dev.steadfast.retry.http;

import dev.steadfast.retry.internal.Checks;
import dev.steadfast.retry.internal.Digest;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.UUID;

/** A digest of the parts of a request: no two different requests have the same. */
final class RequestHash {
  private static final int MOST_BYTES = 1 << 20;

  private RequestHash() {}

  static List<String> names(String[] headers) {
    return List.of(
        Arrays.stream(Checks.notNull("headers", headers))
            .map(name -> Checks.headerName("header", name).toLowerCase(Locale.ROOT))
            .sorted()
            .distinct()
            .toArray(String[]::new));
  }

  /**
   * A text that tells two requests apart. A body that can be read only once has a new text each
   * time.
   */
  static String fingerprint(RequestView request) {
    Digest digest = new Digest().add(request.method()).add(request.uri().toString());
    byte[] body = request.body(MOST_BYTES).orElse(null);
    return (body == null ? digest.add(UUID.randomUUID().toString()) : digest.add(body)).hex();
  }

  static String of(RequestView request, List<String> headers, String bucket) {
    byte[] body =
        request
            .body(MOST_BYTES)
            .orElseThrow(() ->
                Checks.bad(
                    "request body",
                    "read once or too long",
                    "repeatable and at most 1 MiB for a key that is a hash"));
    Digest digest = new Digest().add(request.method()).add(request.uri().toString());
    for (String name : headers) {
      List<String> values = request.headers(name);
      digest.add(name).addNumber(values.size());
      values.forEach(digest::add);
    }
    return digest.add(bucket).add(body).hex();
  }
}
