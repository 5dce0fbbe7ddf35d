package dev.steadfast.retry.spring.boot;

import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryListener;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.IdempotencyKeys;
import dev.steadfast.retry.spring.RetryingJdkRequestFactory;
import dev.steadfast.retry.spring.boot.SteadfastClient.Surroundings;
import dev.steadfast.retry.spring.boot.SteadfastProperties.Client;
import dev.steadfast.retry.spring.boot.SteadfastProperties.Library;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import okhttp3.OkHttpClient;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.http.client.HttpClientSettings;
import org.springframework.http.client.ClientHttpRequestFactory;
import org.springframework.util.ClassUtils;

/** Makes a client of its properties, Boot's settings, and the beans of the application. */
final class ClientAssembly {
  /** A listener that watches a client and its budget. */
  interface Watching {
    RetryListener watch(String client, RetryBudget budget);
  }

  private static final Logger LOG = LoggerFactory.getLogger("dev.steadfast.retry");

  private final BootClients boot;
  private final BeanFactory beans;
  private final List<Watching> watching;
  private final List<HttpRetryCustomizer> customizers;
  private final LayeredRetries layers = new LayeredRetries();

  ClientAssembly(
      BootClients boot,
      BeanFactory beans,
      List<Watching> watching,
      List<HttpRetryCustomizer> customizers) {
    this.boot = boot;
    this.beans = beans;
    this.watching = watching;
    this.customizers = customizers;
  }

  SteadfastClient client(String name, Client properties) {
    ClientWatch watch = new ClientWatch(name, properties.budget().budget(), layers);
    Breakers breakers = breakers(name, properties);
    HttpRetry configured = retry(name, properties, breakers, watch);
    ClientHttpRequestFactory requests = requests(name, properties.library(), configured);
    HttpRetry retry = requests instanceof RetryingJdkRequestFactory jdk ? jdk.retry() : configured;
    LOG.info(
        "client {} sends through {}{}: {}",
        name,
        properties.library() == Library.JDK ? "java.net.http" : "OkHttp",
        boot.detected()
            .map(other -> ", and not through " + other + ", which Boot detected")
            .orElse(""),
        retry.policy());
    return new SteadfastClient(
        name,
        retry,
        requests,
        new Surroundings(
            boot.baseUrl(name), watch, breakers == null ? Map::of : breakers::states, beans));
  }

  private @Nullable Breakers breakers(String name, Client properties) {
    if (!properties.breaker()) {
      return null;
    }
    need("retry-resilience4j", "dev.steadfast.retry.resilience4j.Resilience4jGuards", name);
    return Breakers.of(beans);
  }

  private HttpRetry retry(
      String name, Client properties, @Nullable Breakers breakers, ClientWatch watch) {
    HttpRetry.Builder retry =
        HttpRetry.builder()
            .policy(properties.policy())
            .budget(watch.budget())
            .ownsRetries(properties.ownsRetries())
            .listener(watch);
    IdempotencyKeys keys = properties.idempotency().keys();
    if (keys != null) {
      retry.idempotencyKeys(keys);
    }
    if (breakers != null) {
      retry.guard(breakers.guard());
    }
    propagate(name, properties, retry);
    if (present("io.micrometer.context.ContextSnapshotFactory")) {
      retry.context(ThreadLocals.capture());
    }
    customizers.forEach(each -> each.customize(name, retry));
    watching.forEach(each -> retry.listener(each.watch(name, watch.budget())));
    return retry.build();
  }

  private static void propagate(String name, Client properties, HttpRetry.Builder retry) {
    try {
      retry.propagateTo(properties.propagateTo().toArray(String[]::new));
    } catch (IllegalArgumentException refused) {
      throw wrong(
          name, "propagate-to", properties.propagateTo(), String.valueOf(refused.getMessage()));
    }
  }

  private ClientHttpRequestFactory requests(String name, Library library, HttpRetry retry) {
    HttpClientSettings settings = boot.settings(name);
    if (library == Library.OKHTTP) {
      need("retry-okhttp", "dev.steadfast.retry.okhttp.RetryingCallFactory", name);
      return OkHttp.requests(beans, settings, retry);
    }
    RetryingJdkRequestFactory jdk = RetryingJdkRequestFactory.wrap(boot.build(settings), retry);
    return readTimeout(settings).map(jdk::readTimeout).orElse(jdk);
  }

  // Zero is how Spring says: none.
  private static Optional<Duration> readTimeout(HttpClientSettings settings) {
    return Optional.ofNullable(settings.readTimeout()).filter(each -> !each.isZero());
  }

  /** In a class of its own, so that this one can be loaded without OkHttp. */
  private static final class OkHttp {
    static ClientHttpRequestFactory requests(
        BeanFactory beans, HttpClientSettings settings, HttpRetry retry) {
      OkHttpClient base = beans.getBeanProvider(OkHttpClient.class).getIfUnique(OkHttpClient::new);
      return OkHttpClients.requests(base, settings, retry);
    }
  }

  private static void need(String artifact, String type, String client) {
    if (!present(type)) {
      String property = artifact.endsWith("okhttp") ? "library" : "breaker";
      throw wrong(
          client,
          property,
          property.equals("library") ? "okhttp" : true,
          "needs dev.steadfast:" + artifact + ", and its library, on the class path");
    }
  }

  private static boolean present(String type) {
    return ClassUtils.isPresent(type, ClientAssembly.class.getClassLoader());
  }

  private static InvalidConfigurationPropertyValueException wrong(
      String client, String property, Object value, String reason) {
    return new InvalidConfigurationPropertyValueException(
        "steadfast.clients." + client + "." + property, value, reason);
  }
}
