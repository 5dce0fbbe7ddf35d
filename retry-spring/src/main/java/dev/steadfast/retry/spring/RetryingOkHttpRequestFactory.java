package dev.steadfast.retry.spring;

import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.internal.Checks;
import dev.steadfast.retry.okhttp.RetryingCallFactory;
import java.net.URI;
import java.time.Duration;
import okhttp3.OkHttpClient;
import org.springframework.http.HttpMethod;
import org.springframework.http.client.ClientHttpRequest;
import org.springframework.http.client.ClientHttpRequestFactory;

/**
 * Makes requests for {@code RestClient} and {@code RestTemplate} that OkHttp sends and that are
 * retried where that is safe. Immutable and safe for use by many threads.
 *
 * <pre>{@code
 * RetryingOkHttpRequestFactory requests =
 *     RetryingOkHttpRequestFactory.wrap(new OkHttpClient(), HttpRetry.defaults());
 * RestClient client = RestClient.builder().requestFactory(requests).build();
 * }</pre>
 *
 * <p>A request runs on the calling thread, with its converter, waits and further attempts. So data
 * that is bound to that thread, such as the logging context, is there for all of them. The
 * dispatcher of the client is not used for it, except for bodies that are streamed ({@link
 * #keepBodiesUpTo}).
 *
 * <p>{@link RetryAttributes} has options and the report of a single request.
 */
public final class RetryingOkHttpRequestFactory implements ClientHttpRequestFactory {
  private final OkHttpClient client;
  private final HttpRetry retry;
  private final RetryingCallFactory calls;
  private final int bodyLimit;

  private RetryingOkHttpRequestFactory(
      OkHttpClient client, HttpRetry retry, RetryingCallFactory calls, int bodyLimit) {
    this.client = client;
    this.retry = retry;
    this.calls = calls;
    this.bodyLimit = bodyLimit;
  }

  /**
   * Makes requests that a client sends.
   *
   * @param client sends the attempts; not changed
   * @param retry the configuration
   * @return a factory
   */
  public static RetryingOkHttpRequestFactory wrap(OkHttpClient client, HttpRetry retry) {
    return wrap(client, retry, RetryingRequest.DEFAULT_LIMIT);
  }

  private static RetryingOkHttpRequestFactory wrap(
      OkHttpClient client, HttpRetry retry, int limit) {
    RetryingCallFactory calls = RetryingCallFactory.wrap(client, retry);
    return new RetryingOkHttpRequestFactory(client, retry, calls, limit);
  }

  /**
   * A factory with a read timeout, as Spring calls it: OkHttp's own, which ends an attempt whose
   * answer does not come, and a body that stalls, but not the operation. Default: that of the
   * client.
   *
   * @param readTimeout zero or more; zero for none
   * @return a changed copy with {@link #calls} of its own, which shares connections and dispatcher
   * @throws IllegalArgumentException if it is negative
   */
  public RetryingOkHttpRequestFactory readTimeout(Duration readTimeout) {
    OkHttpClient changed =
        client.newBuilder().readTimeout(Checks.notNegative("readTimeout", readTimeout)).build();
    return wrap(changed, retry, bodyLimit);
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
   * @return a changed copy with the same {@link #calls}
   * @throws IllegalArgumentException if it is out of its range
   */
  public RetryingOkHttpRequestFactory keepBodiesUpTo(int bytes) {
    int limit = RetryingRequest.checkLimit(bytes);
    return new RetryingOkHttpRequestFactory(client, retry, calls, limit);
  }

  /**
   * The call factory beneath, for other uses beside Spring's blocking clients, such as Retrofit.
   *
   * @return the call factory of all requests of this factory
   */
  public RetryingCallFactory calls() {
    return calls;
  }

  OkHttpClient client() {
    return client;
  }

  /**
   * The configuration of the calls.
   *
   * @return the configuration
   */
  public HttpRetry retry() {
    return retry;
  }

  @Override
  public ClientHttpRequest createRequest(URI uri, HttpMethod httpMethod) {
    return new RetryingRequest(httpMethod, uri, new OkHttpWire(calls), bodyLimit);
  }

  @Override
  public String toString() {
    return "RetryingOkHttpRequestFactory(" + calls + ")";
  }
}
