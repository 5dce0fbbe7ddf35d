package dev.steadfast.retry.http;

import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.engine.Attempt;
import dev.steadfast.retry.internal.Checks;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The headers that a configuration adds to requests, apart from those of scopes. Immutable. */
final class AddedHeaders {
  private static final Logger LOG = LoggerFactory.getLogger("dev.steadfast.retry");
  private static final SortedMap<String, String> NOTHING =
      Collections.unmodifiableSortedMap(noHeaders());
  static final AddedHeaders NONE = new AddedHeaders(noHeaders(), noHeaders());

  private final SortedMap<String, BiFunction<RequestView, Instant, Optional<String>>> perOperation;
  private final SortedMap<String, BiFunction<OperationInfo, Integer, Optional<String>>> perAttempt;

  private AddedHeaders(
      SortedMap<String, BiFunction<RequestView, Instant, Optional<String>>> perOperation,
      SortedMap<String, BiFunction<OperationInfo, Integer, Optional<String>>> perAttempt) {
    this.perOperation = perOperation;
    this.perAttempt = perAttempt;
  }

  private static <T> SortedMap<String, T> noHeaders() {
    return new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
  }

  private static <T> SortedMap<String, T> with(SortedMap<String, T> headers, String name, T value) {
    SortedMap<String, T> more = new TreeMap<>(headers);
    more.put(Checks.headerName("header", name), Checks.notNull("value", value));
    return more;
  }

  AddedHeaders oncePerOperation(
      String name, BiFunction<RequestView, Instant, Optional<String>> value) {
    return new AddedHeaders(with(perOperation, name, value), perAttempt);
  }

  AddedHeaders oncePerAttempt(
      String name, BiFunction<OperationInfo, Integer, Optional<String>> value) {
    return new AddedHeaders(perOperation, with(perAttempt, name, value));
  }

  /**
   * Makes the headers that are the same in each attempt, beside the key.
   *
   * @param request the caller's request; what it has is not added
   * @param key the key of the operation, which takes its header
   * @param clock for values that need the time
   * @return a map that does not change any more, whose names are found in any case
   */
  SortedMap<String, String> ofOperation(
      RequestView request, OperationKey key, Supplier<Instant> clock) {
    if (perOperation.isEmpty()) {
      return NOTHING;
    }
    SortedMap<String, String> stable = noHeaders();
    perOperation.forEach((name, value) -> {
      if (request.headers(name).isEmpty() && !key.isAddedAs(name)) {
        Checks.notNull(name, value.apply(request, clock.get()))
            .ifPresent(made -> stable.put(name, Checks.headerValue(name, made)));
      }
    });
    return stable;
  }

  /** The same headers for a request that comes again. */
  static SortedMap<String, String> again(SortedMap<String, String> made, RequestView request) {
    SortedMap<String, String> same = new TreeMap<>(made);
    same.keySet().removeIf(name -> !request.headers(name).isEmpty());
    return same;
  }

  /** Whether any header is made for each attempt. */
  boolean anyPerAttempt() {
    return !perAttempt.isEmpty();
  }

  /** Whether a header is made for each attempt, because the caller did not set it. */
  boolean isPerAttempt(String name, RequestView request) {
    return perAttempt.containsKey(name) && request.headers(name).isEmpty();
  }

  /**
   * Makes the headers of one attempt. One that cannot be made is logged and left out.
   *
   * @param attempt the attempt, which has begun
   * @param request the caller's request; what it has is not added
   * @param taken whether the operation adds another header of a name
   */
  Map<String, String> ofAttempt(Attempt<?> attempt, RequestView request, Predicate<String> taken) {
    Map<String, String> made = new LinkedHashMap<>();
    perAttempt.forEach((name, value) -> {
      if (request.headers(name).isEmpty() && !taken.test(name)) {
        try {
          value
              .apply(attempt.info(), attempt.number())
              .ifPresent(line -> made.put(name, Checks.headerValue(name, line)));
        } catch (Throwable broken) {
          LOG.warn("the header {} could not be made; the attempt goes without it", name, broken);
        }
      }
    });
    return made;
  }
}
