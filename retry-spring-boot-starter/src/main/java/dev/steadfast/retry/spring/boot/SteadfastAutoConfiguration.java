package dev.steadfast.retry.spring.boot;

import dev.steadfast.retry.micrometer.RetryMetrics;
import dev.steadfast.retry.server.ServletScope;
import dev.steadfast.retry.spring.boot.ClientAssembly.Watching;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.servlet.DispatcherType;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Map;
import java.util.TreeMap;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.ConfigurationPropertiesBindHandlerAdvisor;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.http.client.HttpClientSettings;
import org.springframework.boot.http.client.autoconfigure.ClientHttpRequestFactoryBuilderCustomizer;
import org.springframework.boot.http.client.autoconfigure.imperative.ImperativeHttpClientAutoConfiguration;
import org.springframework.boot.http.client.autoconfigure.service.HttpServiceClientProperties;
import org.springframework.boot.http.client.autoconfigure.service.HttpServiceClientPropertiesAutoConfiguration;
import org.springframework.boot.restclient.RestClientCustomizer;
import org.springframework.boot.restclient.autoconfigure.RestClientAutoConfiguration;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.webclient.WebClientCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;
import org.springframework.web.client.support.RestClientHttpServiceGroupConfigurer;
import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.web.reactive.function.client.support.WebClientHttpServiceGroupConfigurer;

/** The beans of the starter. */
@AutoConfiguration(
    after = {
      HttpServiceClientPropertiesAutoConfiguration.class,
      ImperativeHttpClientAutoConfiguration.class,
      RestClientAutoConfiguration.class
    },
    afterName = {
      "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration",
      "org.springframework.boot.webclient.autoconfigure.WebClientAutoConfiguration"
    })
@SuppressWarnings("exports") // Boot alone reads the annotations
@EnableConfigurationProperties(SteadfastProperties.class)
@ImportRuntimeHints(Senders.Hints.class)
public final class SteadfastAutoConfiguration {
  private static final String DEFAULT_CLIENT = "steadfast.default-client";

  SteadfastAutoConfiguration() {}

  @Bean
  static ConfigurationPropertiesBindHandlerAdvisor steadfastNoTexts() {
    return NoTexts::new;
  }

  // Acts before Boot makes a bean of the library that is named.
  @Bean
  static BeanFactoryPostProcessor steadfastNamedLibrary(Environment environment) {
    return beans -> {
      NamedLibrary.check(environment);
      JournalProperties.needLibraries(environment);
    };
  }

  @Bean(destroyMethod = "end")
  SteadfastClients steadfastClients(
      SteadfastProperties properties,
      BootClients boot,
      ConfigurableListableBeanFactory beans,
      ObjectProvider<Watching> watching,
      ObjectProvider<HttpRetryCustomizer> customizers) {
    ClientAssembly assembly =
        new ClientAssembly(
            boot, beans, watching.orderedStream().toList(), customizers.orderedStream().toList());
    Map<String, SteadfastClient> clients = new TreeMap<>();
    properties.clients().forEach((name, each) -> clients.put(name, assembly.client(name, each)));
    String ofAll = properties.defaultClient();
    if (ofAll != null && !clients.containsKey(ofAll)) {
      throw new InvalidConfigurationPropertyValueException(
          DEFAULT_CLIENT, ofAll, "no such client (expected: one of " + clients.keySet() + ")");
    }
    return new SteadfastClients(clients, ofAll);
  }

  @Bean
  StartCheck steadfastStartCheck(
      SteadfastClients clients, ConfigurableListableBeanFactory beans, Senders senders) {
    return new StartCheck(clients, beans, senders);
  }

  // Not by @Value, which reads "30s" only in a context that has the conversions of Boot.
  @Bean
  ClientShutdown steadfastShutdown(SteadfastClients clients, Environment environment) {
    Duration phase =
        Binder.get(environment)
            .bind("spring.lifecycle.timeout-per-shutdown-phase", Duration.class)
            .orElse(Duration.ofSeconds(30));
    return new ClientShutdown(clients, phase);
  }

  @Bean
  BootClients steadfastBootClients(
      Environment environment,
      ConfigurableListableBeanFactory beans,
      HttpServiceClientProperties groups,
      ObjectProvider<SslBundles> bundles,
      ObjectProvider<HttpClientSettings> settings,
      ObjectProvider<ClientHttpRequestFactoryBuilderCustomizer<?>> customizers) {
    return new BootClients(environment, beans, groups, bundles, settings, customizers);
  }

  @Bean
  Senders steadfastSenders(ConfigurableListableBeanFactory beans) {
    return new Senders(beans);
  }

  // Right after Boot has given a builder its request factory.
  @Bean
  @Order(Ordered.HIGHEST_PRECEDENCE)
  RestClientCustomizer steadfastAfterBoot(Senders senders) {
    return builder -> senders.madeByBoot(builder, Senders.REQUEST_FACTORY);
  }

  @Bean
  RestClientHttpServiceGroupConfigurer steadfastGroupsAfterBoot(Senders senders) {
    return new ServiceGroups.AfterBoot(senders);
  }

  @Bean
  RestClientHttpServiceGroupConfigurer steadfastServiceGroups(
      SteadfastClients clients, BootClients boot) {
    return new ServiceGroups(clients, boot);
  }

  @Bean
  @ConditionalOnProperty(DEFAULT_CLIENT)
  RestClientCustomizer steadfastRestClients(
      SteadfastClients clients, SteadfastProperties properties) {
    return builder -> ofAll(clients, properties).sendFor(builder, "a RestClient.Builder of Boot");
  }

  @Bean
  @ConditionalOnProperty(DEFAULT_CLIENT)
  static BeanPostProcessor steadfastRestTemplates(
      ObjectProvider<SteadfastClients> clients,
      ObjectProvider<SteadfastProperties> properties,
      ObjectProvider<BootClients> boot) {
    return new TemplateBuilders(settings -> {
      SteadfastClient client = ofAll(clients.getObject(), properties.getObject());
      return client.requests(boot.getObject().settings(settings, client.settings()));
    });
  }

  static SteadfastClient ofAll(SteadfastClients clients, SteadfastProperties properties) {
    return clients.get(String.valueOf(properties.defaultClient()));
  }

  /** Clients of WebFlux. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass({WebClient.class, WebClientCustomizer.class})
  static class Reactive {
    // Right after Boot has given a builder its connector.
    @Bean
    @Order(1)
    WebClientCustomizer steadfastReactiveAfterBoot(Senders senders) {
      return builder -> senders.madeByBoot(builder, Senders.CONNECTOR);
    }

    @Bean
    WebClientHttpServiceGroupConfigurer steadfastReactiveGroupsAfterBoot(Senders senders) {
      return new ReactiveServiceGroups.AfterBoot(senders);
    }

    @Bean
    WebClientHttpServiceGroupConfigurer steadfastReactiveServiceGroups(
        SteadfastClients clients, BootClients boot) {
      return new ReactiveServiceGroups(clients, boot);
    }

    @Bean
    @ConditionalOnProperty(DEFAULT_CLIENT)
    WebClientCustomizer steadfastWebClients(
        SteadfastClients clients, SteadfastProperties properties) {
      return builder -> {
        SteadfastClient client = ofAll(clients, properties);
        ReactiveServiceGroups.needJdk(client, "the WebClient builders of Boot");
        ReactiveServiceGroups.connect(
            builder, client, client.requestFactory(), "a WebClient.Builder of Boot");
      };
    }
  }

  /** The scope of inbound requests. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
  @ConditionalOnBooleanProperty("steadfast.scope.enabled")
  @ConditionalOnMissingBean(
      value = ServletScope.class,
      parameterizedContainer = FilterRegistrationBean.class)
  static class InboundScope {
    @Bean
    FilterRegistrationBean<ServletScope> steadfastScope() {
      FilterRegistrationBean<ServletScope> scope = new FilterRegistrationBean<>(new ServletScope());
      // Spring Security, whose filter has a lower number, then knows the principal.
      scope.setOrder(0);
      scope.setDispatcherTypes(EnumSet.allOf(DispatcherType.class));
      scope.setAsyncSupported(true);
      return scope;
    }
  }

  /** The endpoint of the actuator. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
  static class Actuator {
    @Bean
    @ConditionalOnAvailableEndpoint
    SteadfastEndpoint steadfastEndpoint(SteadfastClients clients) {
      return new SteadfastEndpoint(clients);
    }
  }

  /** Meters. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(MeterRegistry.class)
  @ConditionalOnBean(MeterRegistry.class)
  @ConditionalOnBooleanProperty(name = "steadfast.metrics.enabled", matchIfMissing = true)
  static class Meters {
    @Bean
    Watching steadfastMeters(MeterRegistry registry) {
      return (client, budget) ->
          RetryMetrics.builder(registry).client(client).budget(budget).build();
    }
  }
}
