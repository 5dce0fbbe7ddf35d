package dev.steadfast.retry.spring.boot;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.springframework.boot.http.client.HttpClientSettings;
import org.springframework.http.client.ClientHttpRequestFactory;

/**
 * The request factories of a client: that with its own settings of Boot's, and those for groups and
 * templates with settings of their own. Thread-safe.
 */
final class ClientRequests {
  private static final int MOST = 100;

  /**
   * One request factory.
   *
   * @param requests the factory
   * @param end ends its operations
   * @param close closes what was made for it
   */
  record Sending(ClientHttpRequestFactory requests, Runnable end, Runnable close) {}

  private final HttpClientSettings settings;
  private final ClientHttpRequestFactory usual;
  private final Function<HttpClientSettings, Sending> maker;
  private final Map<HttpClientSettings, Sending> made = new ConcurrentHashMap<>();

  /**
   * The client is made at once.
   *
   * @param settings its own settings
   * @param maker makes it with any settings
   */
  ClientRequests(HttpClientSettings settings, Function<HttpClientSettings, Sending> maker) {
    this.settings = settings;
    this.maker = maker;
    this.usual = with(settings);
  }

  /** The client's own settings. */
  HttpClientSettings settings() {
    return settings;
  }

  /** The factory with the client's own settings. */
  ClientHttpRequestFactory usual() {
    return usual;
  }

  /** The factory with some settings. One beyond the first hundred is not ended with the others. */
  ClientHttpRequestFactory with(HttpClientSettings wanted) {
    Sending sending =
        made.size() < MOST || made.containsKey(wanted)
            ? made.computeIfAbsent(wanted, maker)
            : maker.apply(wanted);
    return sending.requests();
  }

  void end() {
    made.values().forEach(each -> each.end().run());
  }

  void close() {
    made.values().forEach(each -> each.close().run());
  }
}
