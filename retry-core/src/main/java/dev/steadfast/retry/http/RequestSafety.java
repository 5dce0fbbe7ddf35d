package dev.steadfast.retry.http;

import dev.steadfast.retry.engine.Evidence.Safety;
import dev.steadfast.retry.internal.Methods;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/** Why sending a request again adds no effect, by its method, its conditions and its key. */
final class RequestSafety {
  // RFC 9110 section 9.2.2. Methods that only read are idempotent, too.
  private static final Set<String> IDEMPOTENT_WRITES = Set.of("PUT", "DELETE");
  // RFC 9110 section 13.1. The other conditions apply to reads only.
  private static final List<String> CONDITIONS =
      List.of("If-Match", "If-None-Match", "If-Unmodified-Since");

  private RequestSafety() {}

  /**
   * Decides for one request. A PUT or DELETE under a condition needs a key, as a POST does. If such
   * a request succeeds and its answer is lost, its repetition gets 412. That looks like a change by
   * somebody else.
   *
   * @param headers gives the values of one of its headers by name
   * @param key the key that the operation handed over
   */
  static Safety of(String method, Function<String, List<String>> headers, OperationKey key) {
    if (Methods.reads(method)) {
      return Safety.READ_ONLY;
    }
    if (IDEMPOTENT_WRITES.contains(method) && !conditional(headers)) {
      return Safety.IDEMPOTENT;
    }
    return key.present() && key.isIn(headers) ? Safety.KEYED : Safety.UNSAFE;
  }

  private static boolean conditional(Function<String, List<String>> headers) {
    for (String condition : CONDITIONS) {
      if (!headers.apply(condition).isEmpty()) {
        return true;
      }
    }
    return false;
  }
}
