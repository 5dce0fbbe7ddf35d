package dev.steadfast.retry.http;

import dev.steadfast.retry.internal.Checks;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.Supplier;

/** The headers that are made once per operation, and are the same in each of its attempts. */
final class StableHeaders {
  private StableHeaders() {}

  /**
   * Makes them.
   *
   * @param configured the value of each, by its name
   * @param request the caller's request; what it has is not added
   * @param key the key of the operation
   * @param clock for values that need the time
   * @return an immutable map, or one that does not change any more
   */
  static Map<String, String> of(
      Map<String, BiFunction<RequestView, Instant, Optional<String>>> configured,
      RequestView request,
      OperationKey key,
      Supplier<Instant> clock) {
    String added = key.addedLine();
    if (configured.isEmpty()) {
      return added == null ? Map.of() : Map.of(key.header(), added);
    }
    Map<String, String> stable = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    if (added != null) {
      stable.put(key.header(), added);
    }
    configured.forEach((name, value) -> {
      if (request.headers(name).isEmpty() && !stable.containsKey(name)) {
        Checks.notNull(name, value.apply(request, clock.get()))
            .ifPresent(made -> stable.put(name, Checks.headerValue(name, made)));
      }
    });
    return stable;
  }
}
