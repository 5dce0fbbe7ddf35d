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
import org.springframework.boot.http.client.autoconfigure.HttpClientProperties;
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
   * @param group the properties of its HTTP service group, null for none
   * @param watch sees its operations
   * @param breakers the states of its circuit breakers
   * @param beans the application
   */
  record Surroundings(
      @Nullable HttpClientProperties group,
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
   * A builder with what Boot has set up, such as converters and observations, the base URL, default
   * headers and API version of {@code spring.http.serviceclient.<name>}, and this client.
   *
   * @return a new builder
   */
  public RestClient.Builder restClient() {
    RestClient.Builder builder =
        surroundings
            .beans()
            .getBeanProvider(RestClient.Builder.class)
            .getIfAvailable(RestClient::builder);
    return GroupSettings.apply(surroundings.group(), builder.requestFactory(requests));
  }

  /**
   * This client as a type of a library that not every application has. No method here names such a
   * type, so that this object can be a bean without these libraries.
   *
   * @param form {@code WebClient.Builder} for a new builder, made as that of {@link #restClient()}
   *     is, where this client sends through {@code java.net.http}; {@code RetryingCallFactory} for
   *     the one of this client, where it sends through OkHttp
   * @param <T> the type
   * @return this client in that form
   * @throws IllegalArgumentException if it is another type, or this client sends through the other
   *     library
   */
  public <T> T as(Class<T> form) {
    String wanted = form.getName();
    boolean jdk = requests instanceof RetryingJdkRequestFactory;
    String offered =
        jdk
            ? "org.springframework.web.reactive.function.client.WebClient$Builder"
            : "dev.steadfast.retry.okhttp.RetryingCallFactory";
    if (!wanted.equals(offered)) {
      throw new IllegalArgumentException(
          "form: %s (expected: %s, as client %s sends through %s)"
              .formatted(wanted, offered, name, jdk ? "java.net.http" : "OkHttp"));
    }
    return form.cast(jdk ? Reactive.builder(httpClient(), surroundings) : OkHttp.calls(requests));
  }

  /** In a class of its own, as WebFlux may not be there. */
  private static final class Reactive {
    static Object builder(RetryingHttpClient client, Surroundings surroundings) {
      WebClient.Builder builder =
          surroundings
              .beans()
              .getBeanProvider(WebClient.Builder.class)
              .getIfAvailable(WebClient::builder)
              .clientConnector(new JdkClientHttpConnector(client));
      return GroupSettings.apply(surroundings.group(), builder);
    }
  }

  /** In a class of its own, as OkHttp may not be there. */
  private static final class OkHttp {
    static RetryingCallFactory calls(ClientHttpRequestFactory requests) {
      return ((RetryingOkHttpRequestFactory) requests).calls();
    }
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
    throw new IllegalStateException(
        "client " + name + " sends through OkHttp: use as(RetryingCallFactory.class)");
  }

  /**
   * The configuration of the client.
   *
   * @return policy, budget and all else
   */
  public HttpRetry retry() {
    return retry;
  }

  String name() {
    return name;
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
      OkHttp.calls(requests).cancelAll();
    }
  }

  @Override
  public String toString() {
    return "SteadfastClient(" + name + ", " + retry + ")";
  }
}
