package dev.steadfast.retry.spring.boot;

import java.net.http.HttpClient;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.http.client.ClientHttpRequestFactoryBuilder;
import org.springframework.boot.http.client.HttpClientSettings;
import org.springframework.boot.http.client.JdkClientHttpRequestFactoryBuilder;
import org.springframework.boot.http.client.autoconfigure.ClientHttpRequestFactoryBuilderCustomizer;
import org.springframework.boot.http.client.autoconfigure.HttpClientSettingsPropertyMapper;
import org.springframework.boot.http.client.autoconfigure.service.HttpServiceClientProperties;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.thread.Threading;
import org.springframework.boot.util.LambdaSafe;
import org.springframework.core.env.Environment;
import org.springframework.core.task.VirtualThreadTaskExecutor;

/** Clients of {@code java.net.http} as Boot builds them, with the properties of a service group. */
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

  /** What Boot uses for its own clients, if that is another library. */
  Optional<String> detected() {
    return Optional.ofNullable(boots.getIfAvailable())
        .filter(each -> !(each instanceof JdkClientHttpRequestFactoryBuilder))
        .map(
            each -> each.getClass().getSimpleName().replace("ClientHttpRequestFactoryBuilder", ""));
  }

  /** Timeouts, redirects, cookies and TLS: those of the group, else those of all clients. */
  HttpClientSettings settings(String client) {
    return mapper.map(groups.get(client));
  }

  /** The base URL of the group. */
  @Nullable String baseUrl(String client) {
    var group = groups.get(client);
    return group == null ? null : group.getBaseUrl();
  }

  /** A client with Boot's settings and what the customizers of the application change. */
  HttpClient build(HttpClientSettings settings) {
    AtomicReference<HttpClient.Builder> used = new AtomicReference<>();
    // Boot's builder does not show the client that it builds. It shows the JDK's builder, last.
    builder().withHttpClientCustomizer(used::set).build(settings);
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

  // As Boot does it: customizers of other builders are left out.
  @SuppressWarnings({"unchecked", "rawtypes"})
  private JdkClientHttpRequestFactoryBuilder customize(JdkClientHttpRequestFactoryBuilder jdk) {
    AtomicReference<JdkClientHttpRequestFactoryBuilder> changed = new AtomicReference<>(jdk);
    LambdaSafe.callbacks(ClientHttpRequestFactoryBuilderCustomizer.class, (List) customizers, jdk)
        .invoke(each ->
            changed.set(
                (JdkClientHttpRequestFactoryBuilder)
                    ((ClientHttpRequestFactoryBuilderCustomizer) each).customize(changed.get())));
    return changed.get();
  }
}
