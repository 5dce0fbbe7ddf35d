package dev.steadfast.retry.spring.boot;

import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.httpclient.RetryingHttpClient;
import dev.steadfast.retry.okhttp.RetryingCallFactory;
import dev.steadfast.retry.spring.RetryingJdkRequestFactory;
import dev.steadfast.retry.spring.RetryingOkHttpRequestFactory;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.http.client.ClientHttpRequestFactory;
import org.springframework.http.client.reactive.JdkClientHttpConnector;
import org.springframework.web.client.RestClient;
import org.springframework.web.reactive.function.client.WebClient;

/**
 * One client of {@code steadfast.clients}, in the forms in which an application may use it. All of
 * them share connections, budget and breakers. Immutable and safe for use by many threads.
 */
public final class SteadfastClient {
  private final String name;
  private final HttpRetry retry;
  private final ClientHttpRequestFactory requests;
  private final Surroundings surroundings;

  /**
   * What else belongs to a client.
   *
   * @param baseUrl the base URL of its group, null for none
   * @param watch sees its operations
   * @param breakers the states of its circuit breakers
   * @param beans the application
   */
  record Surroundings(
      @Nullable String baseUrl,
      ClientWatch watch,
      Supplier<Map<String, String>> breakers,
      BeanFactory beans) {}

  SteadfastClient(
      String name, HttpRetry retry, ClientHttpRequestFactory requests, Surroundings surroundings) {
    this.name = name;
    this.retry = retry;
    this.requests = requests;
    this.surroundings = surroundings;
  }

  /**
   * A builder with what Boot has set up, such as converters and observations, the base URL of
   * {@code spring.http.serviceclient.<name>.base-url} if that is set, and this client.
   *
   * @return a new builder
   */
  public RestClient.Builder restClient() {
    RestClient.Builder builder =
        surroundings
            .beans()
            .getBeanProvider(RestClient.Builder.class)
            .getIfAvailable(RestClient::builder);
    builder.requestFactory(requests);
    String baseUrl = surroundings.baseUrl();
    return baseUrl == null ? builder : builder.baseUrl(baseUrl);
  }

  /**
   * As {@link #restClient()}, for Spring WebFlux.
   *
   * @return a new builder
   * @throws IllegalStateException if this client sends through OkHttp, which has no connector
   */
  public WebClient.Builder webClient() {
    WebClient.Builder builder =
        surroundings
            .beans()
            .getBeanProvider(WebClient.Builder.class)
            .getIfAvailable(WebClient::builder);
    builder.clientConnector(new JdkClientHttpConnector(httpClient()));
    String baseUrl = surroundings.baseUrl();
    return baseUrl == null ? builder : builder.baseUrl(baseUrl);
  }

  /**
   * The request factory, for {@code RestTemplate} and whatever else takes one.
   *
   * @return the same one each time
   */
  public ClientHttpRequestFactory requestFactory() {
    return requests;
  }

  /**
   * The client as one of {@code java.net.http}. The application's end shuts it down.
   *
   * @return the same one each time
   * @throws IllegalStateException if this client sends through OkHttp
   */
  public RetryingHttpClient httpClient() {
    if (requests instanceof RetryingJdkRequestFactory jdk) {
      return jdk.client();
    }
    throw new IllegalStateException("client " + name + " sends through OkHttp: use callFactory()");
  }

  /**
   * The client as a call factory of OkHttp.
   *
   * @return the same one each time
   * @throws IllegalStateException if this client sends through {@code java.net.http}
   */
  public RetryingCallFactory callFactory() {
    if (requests instanceof RetryingJdkRequestFactory) {
      throw new IllegalStateException(
          "client "
              + name
              + " sends through java.net.http: use httpClient(), or set"
              + " steadfast.clients."
              + name
              + ".library to okhttp");
    }
    return ((RetryingOkHttpRequestFactory) requests).calls();
  }

  /**
   * The configuration of the client.
   *
   * @return policy, budget and all else
   */
  public HttpRetry retry() {
    return retry;
  }

  ClientWatch watch() {
    return surroundings.watch();
  }

  Map<String, String> breakers() {
    return surroundings.breakers().get();
  }

  /** Ends what is under way, on the wire or waiting. */
  void end() {
    if (requests instanceof RetryingJdkRequestFactory jdk) {
      jdk.client().shutdownNow();
    } else {
      callFactory().cancelAll();
    }
  }

  @Override
  public String toString() {
    return "SteadfastClient(" + name + ", " + retry + ")";
  }
}
