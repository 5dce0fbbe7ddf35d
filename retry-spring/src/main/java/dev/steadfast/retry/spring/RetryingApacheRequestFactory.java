package dev.steadfast.retry.spring;

import dev.steadfast.retry.apache5.Apache5Retry;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.internal.Checks;
import java.net.URI;
import java.time.Duration;
import org.apache.hc.client5.http.config.Configurable;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.core5.util.Timeout;
import org.springframework.http.HttpMethod;
import org.springframework.http.client.ClientHttpRequest;
import org.springframework.http.client.ClientHttpRequestFactory;

/**
 * Makes requests for {@code RestClient} and {@code RestTemplate} that Apache HttpClient 5 sends and
 * that are retried where that is safe. Immutable and safe for use by many threads.
 *
 * <pre>{@code
 * CloseableHttpClient http =
 *     Apache5Retry.addTo(HttpClients.custom(), HttpRetry.defaults()).build();
 * RestClient client =
 *     RestClient.builder().requestFactory(RetryingApacheRequestFactory.wrap(http)).build();
 * }</pre>
 *
 * <p>Spring's own factory for HttpClient streams each body once, so a request with a body is not
 * sent again through it. This one keeps bodies up to a limit ({@link #keepBodiesUpTo}).
 *
 * <p>A request runs on the calling thread, with its converter, waits and further attempts. So data
 * that is bound to that thread, such as the logging context, is there for all of them. A request
 * whose body is streamed ({@link #keepBodiesUpTo}) runs on a thread of its own, beside the
 * converter.
 *
 * <p>{@link RetryAttributes} has options and the report of a single request.
 */
public final class RetryingApacheRequestFactory implements ClientHttpRequestFactory {
  private final CloseableHttpClient client;
  private final ApacheWire wire;
  private final int bodyLimit;

  private RetryingApacheRequestFactory(CloseableHttpClient client, ApacheWire wire, int bodyLimit) {
    this.client = client;
    this.wire = wire;
    this.bodyLimit = bodyLimit;
  }

  /**
   * Makes requests that a client sends.
   *
   * @param client a client whose builder was given to {@link Apache5Retry#addTo}; not changed, and
   *     not closed
   * @return a factory
   * @throws IllegalArgumentException if it is another client, which shows neither its handlers nor
   *     its own retries; or if its configuration has an {@link
   *     dev.steadfast.retry.limit.AdaptiveLimit}, and neither the policy has an attempt timeout nor
   *     the client a {@code responseTimeout}
   * @throws NullPointerException if the client is null
   */
  public static RetryingApacheRequestFactory wrap(CloseableHttpClient client) {
    return wrap(client, Duration.ZERO);
  }

  /**
   * A factory for a client whose connections have a read timeout, for example by {@code
   * ConnectionConfig.socketTimeout}. A client does not show that timeout, so it is told here to the
   * guards that need an end of each attempt.
   *
   * @param client as for {@link #wrap(CloseableHttpClient)}
   * @param socketTimeout what the connections have: it is not set; zero for none
   * @return a factory
   * @throws IllegalArgumentException if the timeout is negative, or {@link
   *     #wrap(CloseableHttpClient)} refuses the client and the timeout is zero
   * @throws NullPointerException if an argument is null
   */
  public static RetryingApacheRequestFactory wrap(
      CloseableHttpClient client, Duration socketTimeout) {
    HttpRetry retry = Apache5Retry.configuration(client);
    RetryingApacheRequestFactory made =
        new RetryingApacheRequestFactory(
            client, new ApacheWire(client, retry, null), RetryingRequest.DEFAULT_LIMIT);
    boolean socketsEnd = !Checks.notNegative("socketTimeout", socketTimeout).isZero();
    Timeout response = made.config().getResponseTimeout();
    requireEndOfAttempts(retry, response == null ? socketsEnd : response.toMilliseconds() > 0);
    return made;
  }

  private static void requireEndOfAttempts(HttpRetry retry, boolean byClient) {
    // The total timeout is no end: it does not run while a request body is sent.
    retry.plan().requireEndOfAttempts(byClient, false);
  }

  /**
   * A factory with a read timeout, as Spring calls it: {@code RequestConfig.responseTimeout}, which
   * ends an attempt whose answer does not come, and a body that stalls, but not the operation.
   * Default: that of the client.
   *
   * @param readTimeout zero or more; zero for none
   * @return a changed copy with the same {@link #client}
   * @throws IllegalArgumentException if it is negative, or zero where {@link
   *     #wrap(CloseableHttpClient)} needs one
   */
  public RetryingApacheRequestFactory readTimeout(Duration readTimeout) {
    long millis = Checks.notNegative("readTimeout", readTimeout).toMillis();
    requireEndOfAttempts(retry(), millis > 0);
    RequestConfig config =
        RequestConfig.copy(config()).setResponseTimeout(Timeout.ofMilliseconds(millis)).build();
    return new RetryingApacheRequestFactory(client, wire.with(config), bodyLimit);
  }

  /** The options that apply to each request. */
  RequestConfig config() {
    RequestConfig own = wire.config();
    if (own == null && client instanceof Configurable configured) {
      own = configured.getConfig();
    }
    return own == null ? RequestConfig.DEFAULT : own;
  }

  /**
   * A factory with another limit for request bodies. A body up to the limit is kept in memory until
   * the request ends, and sent again with each attempt. A longer body is written anew for each
   * attempt if Spring says that it can be, such as a file. Otherwise it is streamed and sent once:
   * if its request fails, the operation ends with {@link
   * dev.steadfast.retry.StopReason#BODY_NOT_REPEATABLE}, and the log warns of it once. Bodies that
   * a converter collects by itself are kept whatever their length. Default 1 MiB.
   *
   * @param bytes 0 to 2^30
   * @return a changed copy with the same {@link #client}
   * @throws IllegalArgumentException if it is out of its range
   */
  public RetryingApacheRequestFactory keepBodiesUpTo(int bytes) {
    return new RetryingApacheRequestFactory(client, wire, RetryingRequest.checkLimit(bytes));
  }

  /**
   * The client that sends: to be closed when it is no longer needed.
   *
   * @return the client of all requests of this factory
   */
  public CloseableHttpClient client() {
    return client;
  }

  /**
   * The configuration of the client.
   *
   * @return the configuration
   */
  public HttpRetry retry() {
    return wire.retry();
  }

  /**
   * Cancels every request of this factory, and of the copies that were made of it, that has no
   * answer yet: one that waits for a connection or for its next attempt, or that is on the wire.
   */
  public void cancelAll() {
    wire.cancelAll();
  }

  @Override
  public ClientHttpRequest createRequest(URI uri, HttpMethod httpMethod) {
    return new RetryingRequest(httpMethod, uri, wire, bodyLimit);
  }

  @Override
  public String toString() {
    return "RetryingApacheRequestFactory(" + wire.retry() + ")";
  }
}
