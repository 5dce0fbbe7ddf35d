package dev.steadfast.retry.spring.boot;

import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.Journaling;
import dev.steadfast.retry.httpclient.RetryingHttpClient;
import dev.steadfast.retry.okhttp.RetryingCallFactory;
import dev.steadfast.retry.spring.RetryingJdkRequestFactory;
import dev.steadfast.retry.spring.RetryingOkHttpRequestFactory;
import dev.steadfast.retry.spring.boot.SteadfastProperties.Library;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.config.NamedBeanHolder;
import org.springframework.boot.http.client.HttpClientSettings;
import org.springframework.boot.http.client.autoconfigure.HttpClientProperties;
import org.springframework.core.env.Environment;
import org.springframework.http.client.ClientHttpRequestFactory;
import org.springframework.web.client.RestClient;
import org.springframework.web.reactive.function.client.WebClient;

/**
 * One client of {@code steadfast.clients}, in the forms in which an application may use it. All of
 * them share connections, budget and breakers. Immutable and safe for use by many threads.
 */
public final class SteadfastClient {
  private static final Logger LOG = LoggerFactory.getLogger("dev.steadfast.retry");
  private static final String A_BUILDER = "a builder of SteadfastClients";

  private final String name;
  private final HttpRetry retry;
  private final ClientRequests all;
  private final ClientHttpRequestFactory requests; // with the client's own settings
  private final Surroundings surroundings;
  private final Senders senders;
  private final Set<String> warned = ConcurrentHashMap.newKeySet();
  private volatile boolean used;

  /**
   * The other parts of a client.
   *
   * @param group the properties of its HTTP service group, null for none
   * @param watch sees its operations
   * @param breakers the states of its circuit breakers
   * @param beans the beans of the application
   */
  record Surroundings(
      @Nullable HttpClientProperties group,
      ClientWatch watch,
      Supplier<Map<String, String>> breakers,
      ConfigurableListableBeanFactory beans) {}

  SteadfastClient(String name, HttpRetry retry, ClientRequests all, Surroundings surroundings) {
    this.name = name;
    this.retry = retry;
    this.surroundings = surroundings;
    this.senders = surroundings.beans().getBean(Senders.class);
    this.all = all;
    this.requests = senders.own(all.usual());
  }

  /**
   * A builder with what Boot has set up, such as converters and observations, the base URL, default
   * headers and API version of {@code spring.http.serviceclient.<name>}, and this client. If a bean
   * of the application or of a test has set a request factory, such as that of a mock server, the
   * builder keeps that one and does not retry. The log warns of it once.
   *
   * @return a new builder
   */
  public RestClient.Builder restClient() {
    RestClient.Builder builder =
        copyOfBean(RestClient.Builder.class, RestClient::builder, RestClient.Builder::clone);
    sendFor(builder, A_BUILDER);
    return GroupSettings.apply(surroundings.group(), builder);
  }

  /** Has a builder send through this client, unless it has to keep its sender. */
  void sendFor(RestClient.Builder builder, String what) {
    sendFor(builder, requests, what);
  }

  /** The same, by one of the request factories of this client. */
  void sendFor(RestClient.Builder builder, ClientHttpRequestFactory through, String what) {
    if (mayReplace(builder, Senders.REQUEST_FACTORY, what)) {
      builder.requestFactory(through);
    }
  }

  /** The request factory with some settings of Boot's; the same one for the same settings. */
  ClientHttpRequestFactory requests(HttpClientSettings settings) {
    return senders.own(all.with(settings));
  }

  /** The settings of this client. */
  HttpClientSettings settings() {
    return all.settings();
  }

  /** Whether a builder may send through this client. If not, the log says so once. */
  boolean mayReplace(Object builder, String kind, String what) {
    used = true;
    Object kept = senders.toKeep(builder, kind);
    if (kept == null) {
      return true;
    }
    if (warned.add(what)) {
      LOG.warn(
          "client {} of steadfast.clients does not retry for {}: something else has set its {}, {}",
          name,
          what,
          kind.equals(Senders.CONNECTOR) ? "connector" : "request factory",
          kept.getClass().getName());
    }
    return false;
  }

  void needNoNamedConnector() {
    NamedLibrary.checkConnector(surroundings.beans().getBean(Environment.class), name);
  }

  // Boot's bean is a new builder each time. A singleton of the application is not to be changed.
  private <B> B copyOfBean(Class<B> type, Supplier<B> otherwise, UnaryOperator<B> copy) {
    ConfigurableListableBeanFactory beans = surroundings.beans();
    if (BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, type).length == 0) {
      return otherwise.get();
    }
    NamedBeanHolder<B> bean = beans.resolveNamedBean(type);
    B builder = bean.getBeanInstance();
    return beans.isSingleton(bean.getBeanName()) ? copy.apply(builder) : builder;
  }

  /**
   * This client as a type of a library that not every application has. No method here names such a
   * type, so that this object can be a bean without these libraries.
   *
   * @param form {@code WebClient.Builder} for a new builder, made as that of {@link #restClient()}
   *     is, where this client sends through {@code java.net.http}; {@code RetryingCallFactory} for
   *     the one of this client, where it sends through OkHttp; {@code CloseableHttpClient} for the
   *     one that sends, where that is Apache HttpClient
   * @param <T> the type
   * @return this client in that form
   * @throws IllegalArgumentException if it is another type, or this client sends through another
   *     library
   */
  public <T> T as(Class<T> form) {
    String wanted = form.getName();
    Library library = library();
    String offered =
        switch (library) {
          case JDK -> "org.springframework.web.reactive.function.client.WebClient$Builder";
          case OKHTTP -> "dev.steadfast.retry.okhttp.RetryingCallFactory";
          case APACHE -> "org.apache.hc.client5.http.impl.classic.CloseableHttpClient";
        };
    if (!wanted.equals(offered)) {
      throw new IllegalArgumentException(
          "form: %s (expected: %s, as client %s sends through %s)"
              .formatted(wanted, offered, name, library.text()));
    }
    return form.cast(
        switch (library) {
          case JDK -> Reactive.builder(this);
          case OKHTTP -> OkHttp.calls(requests);
          case APACHE -> ApacheClients.client(requests);
        });
  }

  /** The client that this one sends through. */
  Library library() {
    if (requests instanceof RetryingJdkRequestFactory) {
      return Library.JDK;
    }
    return requests instanceof RetryingOkHttpRequestFactory ? Library.OKHTTP : Library.APACHE;
  }

  /** A class of its own, as WebFlux may not be there. */
  private static final class Reactive {
    static Object builder(SteadfastClient client) {
      WebClient.Builder builder =
          client.copyOfBean(WebClient.Builder.class, WebClient::builder, WebClient.Builder::clone);
      ReactiveServiceGroups.connect(builder, client, client.requests, A_BUILDER);
      return GroupSettings.apply(client.surroundings.group(), builder);
    }
  }

  /** A class of its own, as OkHttp may not be there. */
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
   * @throws IllegalStateException if this client sends through another library
   */
  public RetryingHttpClient httpClient() {
    if (requests instanceof RetryingJdkRequestFactory jdk) {
      return jdk.client();
    }
    throw new IllegalStateException(
        "client "
            + name
            + " sends through "
            + library().text()
            + ": use as("
            + (library() == Library.OKHTTP ? "RetryingCallFactory" : "CloseableHttpClient")
            + ".class)");
  }

  /**
   * The configuration of the client.
   *
   * @return policy, budget and all else
   */
  public HttpRetry retry() {
    return retry;
  }

  /** Sends operations of a journal. */
  Journaling.Sender sender() {
    return switch (library()) {
      case JDK -> httpClient().sender();
      case OKHTTP -> OkHttp.calls(requests).sender();
      case APACHE -> ApacheClients.sender(requests);
    };
  }

  /** Returns this client, and notes that it is used. */
  SteadfastClient using() {
    used = true;
    return this;
  }

  boolean isUsed() {
    return used;
  }

  String name() {
    return name;
  }

  Senders senders() {
    return senders;
  }

  ClientWatch watch() {
    return surroundings.watch();
  }

  Map<String, String> breakers() {
    return surroundings.breakers().get();
  }

  /** Ends all operations, on the wire or waiting. */
  void end() {
    all.end();
  }

  /** Ends all operations, and closes the connections that are not those of a bean. */
  void close() {
    all.end();
    all.close();
  }

  @Override
  public String toString() {
    return "SteadfastClient(" + name + ", " + retry + ")";
  }
}
