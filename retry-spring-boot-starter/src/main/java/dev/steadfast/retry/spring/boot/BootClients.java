package dev.steadfast.retry.spring.boot;

import dev.steadfast.retry.spring.boot.SteadfastProperties.Library;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.config.NamedBeanHolder;
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
  private final ConfigurableListableBeanFactory beans;
  private final HttpServiceClientProperties groups;
  private final @Nullable SslBundles bundles;
  private final HttpClientSettingsPropertyMapper mapper;
  private final List<ClientHttpRequestFactoryBuilderCustomizer<?>> customizers;

  BootClients(
      Environment environment,
      ConfigurableListableBeanFactory beans,
      HttpServiceClientProperties groups,
      ObjectProvider<SslBundles> bundles,
      ObjectProvider<HttpClientSettings> settings,
      ObjectProvider<ClientHttpRequestFactoryBuilderCustomizer<?>> customizers) {
    this.environment = environment;
    this.beans = beans;
    this.groups = groups;
    this.bundles = bundles.getIfAvailable();
    this.mapper = new HttpClientSettingsPropertyMapper(this.bundles, settings.getIfAvailable());
    this.customizers = customizers.orderedStream().toList();
  }

  /**
   * Names the library of Boot's own clients and who has chosen it, if a client's own is another.
   *
   * @throws StartRefused if that is a builder of the application, whose settings would not apply,
   *     and no property chooses a library for the client
   */
  Optional<String> leftOut(String client, Library used) {
    ClientHttpRequestFactoryBuilder<?> boots = boots();
    if (boots == null
        || !OwnBeans.isBuilderOfBoot(boots)
        || (used == Library.JDK && boots instanceof JdkClientHttpRequestFactoryBuilder)
        || (used == Library.APACHE
            && boots instanceof HttpComponentsClientHttpRequestFactoryBuilder)) {
      return Optional.empty();
    }
    String library =
        boots.getClass().getSimpleName().replace("ClientHttpRequestFactoryBuilder", "");
    NamedBeanHolder<?> own = OwnBeans.find(beans, ClientHttpRequestFactoryBuilder.class);
    if (own == null) {
      return Optional.of(library + ", which Boot detected");
    }
    String property = "steadfast.clients." + client + ".library";
    if (!environment.containsProperty(property)) {
      throw new StartRefused(
          "The bean %s sets up %s, and client %s of steadfast.clients sends through %s by default,"
                  .formatted(own.getBeanName(), library, client, used.text())
              + " without the settings of that bean",
          boots instanceof HttpComponentsClientHttpRequestFactoryBuilder
              ? "Set %s=apache to send with these settings, or %1$s=jdk to send without them."
                  .formatted(property)
              : "Set %s=jdk to send without these settings, or make the bean a".formatted(property)
                  + " JdkClientHttpRequestFactoryBuilder.");
    }
    return Optional.of(library + ", which the bean " + own.getBeanName() + " sets up");
  }

  /** Timeouts, redirects, cookies and TLS: those of the group, else those of all clients. */
  HttpClientSettings settings(String client) {
    HttpClientSettings settings = mapper.map(groups.get(client));
    checkTimeout(client, "connect-timeout", settings.connectTimeout());
    checkTimeout(client, "read-timeout", settings.readTimeout());
    return settings;
  }

  /** The settings of a group, and where it has none, those of a client. */
  HttpClientSettings settings(String group, HttpClientSettings otherwise) {
    return new HttpClientSettingsPropertyMapper(bundles, otherwise).map(groups.get(group));
  }

  /** The settings of a builder that are not those of all clients, and else those of a client. */
  HttpClientSettings settings(HttpClientSettings ofBuilder, HttpClientSettings otherwise) {
    HttpClientSettings ofAll = mapper.map(null);
    return new HttpClientSettings(
        own(ofBuilder, ofAll, otherwise, HttpClientSettings::cookieHandling),
        own(ofBuilder, ofAll, otherwise, HttpClientSettings::redirects),
        own(ofBuilder, ofAll, otherwise, HttpClientSettings::connectTimeout),
        own(ofBuilder, ofAll, otherwise, HttpClientSettings::readTimeout),
        own(ofBuilder, ofAll, otherwise, HttpClientSettings::sslBundle),
        own(ofBuilder, ofAll, otherwise, HttpClientSettings::inetAddressFilter));
  }

  private static <T> @Nullable T own(
      HttpClientSettings ofBuilder,
      HttpClientSettings ofAll,
      HttpClientSettings otherwise,
      Function<HttpClientSettings, @Nullable T> setting) {
    @Nullable T own = setting.apply(ofBuilder);
    return own == null || own.equals(setting.apply(ofAll)) ? setting.apply(otherwise) : own;
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

  private @Nullable ClientHttpRequestFactoryBuilder<?> boots() {
    return beans.getBeanProvider(ClientHttpRequestFactoryBuilder.class).getIfAvailable();
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
    if (boots() instanceof JdkClientHttpRequestFactoryBuilder customized) {
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
    return boots() instanceof HttpComponentsClientHttpRequestFactoryBuilder known
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
