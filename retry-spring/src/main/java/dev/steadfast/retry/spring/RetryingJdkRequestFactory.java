package dev.steadfast.retry.spring;

import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.httpclient.RetryingHttpClient;
import dev.steadfast.retry.internal.Checks;
import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.List;
import org.springframework.http.HttpMethod;
import org.springframework.http.client.ClientHttpRequest;
import org.springframework.http.client.ClientHttpRequestFactory;

/**
 * Makes requests for {@code RestClient} and {@code RestTemplate} that {@code java.net.http} sends
 * and that are retried where that is safe. Immutable and safe for use by many threads.
 *
 * <pre>{@code
 * RetryingJdkRequestFactory requests =
 *     RetryingJdkRequestFactory.wrap(HttpClient.newHttpClient(), HttpRetry.defaults())
 *         .readTimeout(Duration.ofSeconds(5));
 * RestClient client = RestClient.builder().requestFactory(requests).build();
 * }</pre>
 *
 * <p>A request runs on the calling thread, with its converter, waits and further attempts. So data
 * that is bound to that thread, such as the logging context, is there for all of them. The executor
 * of the client is not used for it, except for bodies that are streamed ({@link #keepBodiesUpTo}).
 * A long body that is written anew for each attempt is written on a thread of its own.
 *
 * <p>{@link RetryAttributes} has options and the report of a single request.
 */
public final class RetryingJdkRequestFactory implements ClientHttpRequestFactory {
  private final HttpClient delegate;
  private final HttpRetry retry;
  private final RetryingHttpClient client;
  private final int bodyLimit;

  private RetryingJdkRequestFactory(
      HttpClient delegate, HttpRetry retry, RetryingHttpClient client, int bodyLimit) {
    this.delegate = delegate;
    this.retry = retry;
    this.client = client;
    this.bodyLimit = bodyLimit;
  }

  /**
   * Makes requests that a client sends.
   *
   * @param delegate sends the attempts; keeps its settings and stays usable by itself
   * @param retry the configuration
   * @return a factory
   * @throws IllegalArgumentException if {@link RetryingHttpClient#wrap} refuses the delegate
   */
  public static RetryingJdkRequestFactory wrap(HttpClient delegate, HttpRetry retry) {
    return of(delegate, retry, RetryingRequest.DEFAULT_LIMIT);
  }

  /**
   * Makes requests that a client sends, with a {@linkplain #readTimeout read timeout} from the
   * start: it is the bound that some guards need.
   *
   * @param delegate sends the attempts; keeps its settings and stays usable by itself
   * @param retry what to retry and how
   * @param readTimeout zero or more; zero for none
   * @return a factory
   * @throws IllegalArgumentException if the timeout is negative, or {@link RetryingHttpClient#wrap}
   *     refuses the delegate
   */
  public static RetryingJdkRequestFactory wrap(
      HttpClient delegate, HttpRetry retry, Duration readTimeout) {
    Checks.notNull("retry", retry);
    return reading(delegate, retry, readTimeout, RetryingRequest.DEFAULT_LIMIT);
  }

  private static RetryingJdkRequestFactory reading(
      HttpClient delegate, HttpRetry retry, Duration readTimeout, int limit) {
    RetryPolicy policy = bounded(retry.policy(), Checks.notNegative("readTimeout", readTimeout));
    return of(delegate, retry.toBuilder().policy(policy).build(), limit);
  }

  private static RetryingJdkRequestFactory of(HttpClient delegate, HttpRetry retry, int limit) {
    RetryingHttpClient client = RetryingHttpClient.wrap(delegate, retry);
    return new RetryingJdkRequestFactory(delegate, retry, client, limit);
  }

  /**
   * A factory with a read timeout, as Spring calls it. It becomes the policy's attempt timeout, or
   * bounds it where the policy has one, and the policy's body idle timeout. So it ends an attempt
   * that takes too long to its response head, and a body that stalls. It differs from that of
   * Spring's own factory: it ends neither the operation nor a body whose bytes flow. Default: the
   * timeouts of the policy.
   *
   * @param readTimeout zero or more; zero for none, so that the policy's attempt timeout stays and
   *     a body may stall
   * @return a changed copy, with a {@link #client} of its own
   * @throws IllegalArgumentException if it is negative
   */
  public RetryingJdkRequestFactory readTimeout(Duration readTimeout) {
    return reading(delegate, retry, readTimeout, bodyLimit);
  }

  private static RetryPolicy bounded(RetryPolicy policy, Duration most) {
    if (most.isZero()) {
      return policy.toBuilder().noBodyIdleTimeout().build();
    }
    List<Duration> own = policy.attemptTimeouts();
    List<Duration> attempts =
        own.isEmpty()
            ? List.of(most)
            : own.stream().map(each -> each.compareTo(most) < 0 ? each : most).toList();
    return policy.toBuilder().attemptTimeouts(attempts).bodyIdleTimeout(most).build();
  }

  /**
   * A factory with another limit for request bodies. A body up to the limit is kept in memory until
   * the request ends, and sent again with each attempt. A longer body is written anew for each
   * attempt if Spring says that it can be, such as a file. Otherwise it is streamed and sent once:
   * if its request fails, the operation ends with {@link
   * dev.steadfast.retry.StopReason#BODY_NOT_REPEATABLE}, and the log warns of it once. A server
   * that answers before the end of a streamed body gets no more of it. Bodies that a converter
   * collects by itself are kept whatever their length. Default 1 MiB.
   *
   * @param bytes 0 to 2^30
   * @return a changed copy with the same {@link #client}
   * @throws IllegalArgumentException if it is out of its range
   */
  public RetryingJdkRequestFactory keepBodiesUpTo(int bytes) {
    int limit = RetryingRequest.checkLimit(bytes);
    return new RetryingJdkRequestFactory(delegate, retry, client, limit);
  }

  /**
   * The client that sends: to be closed when it is no longer needed, and for other uses beside
   * Spring's blocking clients, such as a {@code JdkClientHttpConnector}.
   *
   * @return the client of all requests of this factory
   */
  public RetryingHttpClient client() {
    return client;
  }

  /**
   * The configuration of the client, with the policy that {@link #readTimeout} has changed.
   *
   * @return the configuration
   */
  public HttpRetry retry() {
    return retry;
  }

  @Override
  public ClientHttpRequest createRequest(URI uri, HttpMethod httpMethod) {
    return new RetryingRequest(httpMethod, uri, new JdkWire(client), bodyLimit);
  }

  @Override
  public String toString() {
    return "RetryingJdkRequestFactory(" + client + ")";
  }
}
