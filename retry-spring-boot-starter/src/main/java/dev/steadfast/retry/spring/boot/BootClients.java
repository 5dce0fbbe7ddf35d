package dev.steadfast.retry.spring.boot;

import dev.steadfast.retry.spring.boot.SteadfastProperties.Library;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.http.client.ClientHttpRequestFactoryBuilder;
import org.springframework.boot.http.client.HttpClientSettings;
import org.springframework.boot.http.client.HttpComponentsClientHttpRequestFactoryBuilder;
import org.springframework.boot.http.client.JdkClientHttpRequestFactoryBuilder;
import org.springframework.boot.http.client.autoconfigure.ClientHttpRequestFactoryBuilderCustomizer;
import org.springframework.boot.http.client.autoconfigure.HttpClientProperties;
import org.springframework.boot.http.client.autoconfigure.HttpClientSettingsPropertyMapper;
import org.springframework.boot.http.client.autoconfigure.service.HttpServiceClientProperties;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.thread.Threading;
import org.springframework.boot.util.LambdaSafe;
import org.springframework.core.env.Environment;
import org.springframework.core.task.VirtualThreadTaskExecutor;

/** Clients as Boot builds them, with the properties of a service group. */
final class BootClients {
  private final Environment environment;
  private final HttpServiceClientProperties groups;
  private final HttpClientSettingsPropertyMapper mapper;
  private final ObjectProvider<ClientHttpRequestFactoryBuilder<?>> boots;
  private final List<ClientHttpRequestFactoryBuilderCustomizer<?>> customizers;

  BootClients(
      Environment environment,
      HttpServiceClientProperties groups,
      ObjectProvider<SslBundles> bundles,
      ObjectProvider<HttpClientSettings> settings,
      ObjectProvider<ClientHttpRequestFactoryBuilder<?>> boots,
      ObjectProvider<ClientHttpRequestFactoryBuilderCustomizer<?>> customizers) {
    this.environment = environment;
    this.groups = groups;
    this.mapper =
        new HttpClientSettingsPropertyMapper(bundles.getIfAvailable(), settings.getIfAvailable());
    this.boots = boots;
    this.customizers = customizers.orderedStream().toList();
  }

  /** The library that Boot uses for its own clients, if it is another one. */
  Optional<String> detected(Library used) {
    return Optional.ofNullable(boots.getIfAvailable())
        .filter(each -> !(each instanceof JdkClientHttpRequestFactoryBuilder))
        .filter(each ->
            used != Library.APACHE
                || !(each instanceof HttpComponentsClientHttpRequestFactoryBuilder))
        .map(
            each -> each.getClass().getSimpleName().replace("ClientHttpRequestFactoryBuilder", ""));
  }

  /** Timeouts, redirects, cookies and TLS: those of the group, else those of all clients. */
  HttpClientSettings settings(String client) {
    HttpClientSettings settings = mapper.map(groups.get(client));
    checkTimeout(client, "connect-timeout", settings.connectTimeout());
    checkTimeout(client, "read-timeout", settings.readTimeout());
    return settings;
  }

  private void checkTimeout(String client, String setting, @Nullable Duration timeout) {
    if (timeout != null && timeout.isNegative()) {
      throw wrong(client, setting, timeout, "expected: more than 0, or 0 for none");
    }
  }

  /** A setting that cannot be honoured. */
  InvalidConfigurationPropertyValueException wrong(
      String client, String setting, Object value, String reason) {
    String own = "spring.http.serviceclient." + client + "." + setting;
    String property = environment.containsProperty(own) ? own : "spring.http.clients." + setting;
    return new InvalidConfigurationPropertyValueException(property, value, reason);
  }

  /** The properties of the group. */
  @Nullable HttpClientProperties group(String client) {
    return groups.get(client);
  }

  /** A client with Boot's settings and the changes of the application's customizers. */
  HttpClient build(HttpClientSettings settings) {
    AtomicReference<HttpClient.Builder> used = new AtomicReference<>();
    Duration connecting = settings.connectTimeout();
    HttpClientSettings known =
        connecting != null && connecting.isZero() ? settings.withConnectTimeout(null) : settings;
    // Boot's builder does not show the client that it builds. It shows the JDK's builder, last.
    builder().withHttpClientCustomizer(used::set).build(known);
    return used.get().build();
  }

  private JdkClientHttpRequestFactoryBuilder builder() {
    if (boots.getIfAvailable() instanceof JdkClientHttpRequestFactoryBuilder customized) {
      return customized;
    }
    JdkClientHttpRequestFactoryBuilder jdk = ClientHttpRequestFactoryBuilder.jdk();
    if (Threading.VIRTUAL.isActive(environment)) {
      jdk = jdk.withExecutor(new VirtualThreadTaskExecutor("httpclient-"));
    }
    return customize(jdk);
  }

  /** Boot's builder for Apache HttpClient, with the changes of the application's customizers. */
  HttpComponentsClientHttpRequestFactoryBuilder apache() {
    return boots.getIfAvailable() instanceof HttpComponentsClientHttpRequestFactoryBuilder known
        ? known
        : customize(ClientHttpRequestFactoryBuilder.httpComponents());
  }

  // As Boot does it: customizers of other builders are left out.
  @SuppressWarnings({"unchecked", "rawtypes"})
  private <B extends ClientHttpRequestFactoryBuilder<?>> B customize(B builder) {
    AtomicReference<B> changed = new AtomicReference<>(builder);
    LambdaSafe.callbacks(
            ClientHttpRequestFactoryBuilderCustomizer.class, (List) customizers, builder)
        .invoke(each ->
            changed.set(
                (B) ((ClientHttpRequestFactoryBuilderCustomizer) each).customize(changed.get())));
    return changed.get();
  }
}
