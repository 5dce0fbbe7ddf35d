package dev.steadfast.retry.operations;

import dev.steadfast.retry.http.RequestView;
import dev.steadfast.retry.internal.Checks;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** The use that a journal makes of each request header. Immutable. */
final class HeaderUses {
  private static final List<String> COMPARED =
      List.of(
          "Accept",
          "Accept-Language",
          "Content-Type",
          "Content-Encoding",
          "Content-Language",
          "If-Match",
          "If-None-Match",
          "If-Unmodified-Since",
          "Prefer");
  private static final List<String> SECRET =
      List.of("authorization", "cookie", "proxy-authorization");
  // Each call has its own values of these, and none changes what the server does.
  private static final List<String> ADDED_BY_CLIENT =
      List.of(
          // Tracing: W3C, B3, Jaeger, and those of two clouds.
          "traceparent",
          "tracestate",
          "baggage",
          "b3",
          "X-B3-TraceId",
          "X-B3-SpanId",
          "X-B3-ParentSpanId",
          "X-B3-Sampled",
          "X-B3-Flags",
          "uber-trace-id",
          "X-Amzn-Trace-Id",
          "X-Cloud-Trace-Context",
          // Ids of a request.
          "X-Request-Id",
          "X-Correlation-Id",
          "Request-Id",
          "User-Agent",
          // How the message is framed and carried.
          "Accept-Encoding",
          "Connection",
          "Content-Length",
          "Expect",
          "Transfer-Encoding");

  static final HeaderUses DEFAULTS =
      new HeaderUses(Map.of())
          .with(Use.COMPARED, COMPARED.toArray(new String[0]))
          .with(Use.ADDED_BY_CLIENT, ADDED_BY_CLIENT.toArray(new String[0]));

  private final Map<String, Use> uses; // by name in any case; not changed after construction

  /** The use of a header. */
  enum Use {
    /** It is kept, and a request with another value is another request. */
    COMPARED,
    /** It is kept. */
    KEPT,
    /** The client that sends the request adds its own. */
    ADDED_BY_CLIENT
  }

  private HeaderUses(Map<String, Use> uses) {
    this.uses = uses;
  }

  /**
   * Gives headers a use.
   *
   * @throws IllegalArgumentException if one is no header name, or holds a secret and would be kept
   */
  HeaderUses with(Use use, String... names) {
    Map<String, Use> changed = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    changed.putAll(uses);
    for (String name : names) {
      Checks.headerName("journal header", name);
      if (use != Use.ADDED_BY_CLIENT && SECRET.contains(name.toLowerCase(Locale.ROOT))) {
        throw Checks.bad(
            "journal header", name, "no header that holds a secret; see addedByClient");
      }
      changed.put(name, use);
    }
    return new HeaderUses(changed);
  }

  boolean keeps(String name) {
    Use use = uses.get(name);
    return use == Use.COMPARED || use == Use.KEPT;
  }

  /**
   * Gives the headers of a request that are kept.
   *
   * @param request the request
   * @param keyHeader the header of its key, which is kept apart; null for none
   * @param kept gets the use and the name of each header that is kept
   * @throws IllegalArgumentException if a header has no use, or if the names are not known
   */
  void of(RequestView request, @Nullable String keyHeader, BiConsumer<Use, String> kept) {
    Set<String> names =
        request
            .headerNames()
            .orElseThrow(() ->
                Checks.bad(
                    "journaled request",
                    "without the names of its headers",
                    "RequestView.headerNames of its adapter"));
    for (String name : names) {
      if (name.equalsIgnoreCase(keyHeader)) {
        continue;
      }
      Use use = uses.get(name);
      if (use == null) {
        throw Checks.bad(
            "header of a journaled request",
            name,
            "one that OperationJournal.Settings names: withHeaders, withUncomparedHeaders or"
                + " addedByClient");
      }
      if (use != Use.ADDED_BY_CLIENT) {
        kept.accept(use, name);
      }
    }
  }

  @Override
  public String toString() {
    return uses.toString();
  }
}
