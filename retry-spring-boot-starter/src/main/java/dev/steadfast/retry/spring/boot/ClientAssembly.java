package dev.steadfast.retry.spring.boot;

import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryListener;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.IdempotencyKeys;
import dev.steadfast.retry.http.Propagation;
import dev.steadfast.retry.spring.RetryingJdkRequestFactory;
import dev.steadfast.retry.spring.RetryingOkHttpRequestFactory;
import dev.steadfast.retry.spring.boot.ClientRequests.Sending;
import dev.steadfast.retry.spring.boot.SteadfastClient.Surroundings;
import dev.steadfast.retry.spring.boot.SteadfastProperties.Client;
import dev.steadfast.retry.spring.boot.SteadfastProperties.Library;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.function.Function;
import okhttp3.OkHttpClient;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.http.client.HttpClientSettings;
import org.springframework.http.client.ClientHttpRequestFactory;
import org.springframework.util.ClassUtils;

/** Makes a client from its properties, Boot's settings, and the beans of the application. */
final class ClientAssembly {
  /** A listener that watches a client and its budget. */
  interface Watching {
    RetryListener watch(String client, RetryBudget budget);
  }

  private static final Logger LOG = LoggerFactory.getLogger("dev.steadfast.retry");

  private final BootClients boot;
  private final ConfigurableListableBeanFactory beans;
  private final List<Watching> watching;
  private final List<HttpRetryCustomizer> customizers;
  private final LayeredRetries layers = new LayeredRetries();

  ClientAssembly(
      BootClients boot,
      ConfigurableListableBeanFactory beans,
      List<Watching> watching,
      List<HttpRetryCustomizer> customizers) {
    this.boot = boot;
    this.beans = beans;
    this.watching = watching;
    this.customizers = customizers;
  }

  SteadfastClient client(String name, Client properties) {
    String leftOut =
        boot.leftOut(name, properties.library())
            .map(other -> ", and not through " + other)
            .orElse("");
    ClientWatch watch = new ClientWatch(name, layers);
    Breakers breakers = breakers(name, properties);
    HttpRetry configured = retry(name, properties, breakers, watch);
    Library library = properties.library();
    needLibrary(name, library);
    ClientRequests requests =
        new ClientRequests(
            boot.settings(name), settings -> accepted(name, library, configured, settings));
    HttpRetry retry =
        requests.usual() instanceof RetryingJdkRequestFactory jdk ? jdk.retry() : configured;
    LOG.info(
        "client {} sends through {}{}: {}",
        name,
        properties.library().text(),
        leftOut,
        retry.policy());
    return new SteadfastClient(
        name,
        retry,
        requests,
        new Surroundings(
            boot.group(name), watch, breakers == null ? Map::of : breakers::states, beans));
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
            .policy(read(name, "policy", properties.policy(), RetryPolicy::valueOf))
            .budget(read(name, "budget", properties.budget(), text -> budget(text.trim())))
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
    ChosenBudget budget = new ChosenBudget();
    watching.forEach(each -> retry.listener(each.watch(name, budget)));
    HttpRetry built = retry.build();
    budget.chosen = built.plan().budget();
    return built;
  }

  private static void propagate(String name, Client properties, HttpRetry.Builder retry) {
    List<String> named = properties.propagateTo();
    if (!named.isEmpty()) {
      Propagation told =
          read(name, "propagate-to", named, all -> Propagation.to(all.toArray(String[]::new)));
      retry.propagation(properties.ownsRetries() ? told.owningRetries() : told);
    } else if (properties.ownsRetries()) {
      LOG.warn(
          "steadfast.clients.{}.owns-retries has no effect without propagate-to, which names the"
              + " origins that are told",
          name);
    }
  }

  /** The budget of a configuration, which its customizers may set before it is built. */
  private static final class ChosenBudget implements RetryBudget {
    private volatile RetryBudget chosen = RetryBudget.unlimited(); // nothing is sent before

    @Override
    public Account account(String origin) {
      return chosen.account(origin);
    }

    @Override
    public OptionalDouble available(String origin, long nowNanos) {
      return chosen.available(origin, nowNanos);
    }
  }

  private static <V, T> T read(String client, String property, V value, Function<V, T> reader) {
    try {
      return reader.apply(value);
    } catch (IllegalArgumentException refused) {
      throw wrong(client, property, value, String.valueOf(refused.getMessage()));
    }
  }

  private static RetryBudget budget(String text) {
    if (text.equals("unlimited")) {
      return RetryBudget.unlimited();
    }
    try {
      return RetryBudget.perOrigin(Double.parseDouble(text));
    } catch (NumberFormatException noNumber) {
      throw new IllegalArgumentException("expected: retries per success, 0 to 10, or unlimited");
    }
  }

  private Sending accepted(
      String name, Library library, HttpRetry retry, HttpClientSettings settings) {
    try {
      return sending(name, library, retry, settings);
    } catch (IllegalArgumentException refused) {
      throw new StartRefused(
          "Client %s of steadfast.clients: %s".formatted(name, refused.getMessage()),
          "Change steadfast.clients.%s, the settings of Boot for it, or a bean of type HttpRetryCustomizer."
              .formatted(name),
          refused);
    }
  }

  private Sending sending(
      String name, Library library, HttpRetry retry, HttpClientSettings settings) {
    if (library == Library.OKHTTP) {
      return OkHttp.sending(name, boot, beans, retry, settings);
    }
    if (library == Library.APACHE) {
      ClientHttpRequestFactory requests = ApacheClients.requests(boot, settings, retry);
      return new Sending(
          requests, () -> ApacheClients.cancelAll(requests), () -> ApacheClients.close(requests));
    }
    HttpClient client = boot.build(settings);
    Duration reading = settings.readTimeout();
    RetryingJdkRequestFactory requests =
        reading == null
            ? RetryingJdkRequestFactory.wrap(client, retry)
            : RetryingJdkRequestFactory.wrap(client, retry, reading);
    return new Sending(requests, requests.client()::shutdownNow, () -> {});
  }

  private static void needLibrary(String name, Library library) {
    if (library == Library.OKHTTP) {
      need("retry-okhttp", "dev.steadfast.retry.okhttp.RetryingCallFactory", name);
    }
    if (library == Library.APACHE) {
      need("retry-apache-httpclient5", "dev.steadfast.retry.apache5.Apache5Retry", name);
      need("retry-apache-httpclient5", "org.apache.hc.client5.http.classic.HttpClient", name);
    }
  }

  /** A class of its own, so that this one can be loaded without OkHttp. */
  private static final class OkHttp {
    static Sending sending(
        String name,
        BootClients boot,
        BeanFactory beans,
        HttpRetry retry,
        HttpClientSettings settings) {
      OkHttpClient own = beans.getBeanProvider(OkHttpClient.class).getIfAvailable();
      OkHttpClient base = own == null ? new OkHttpClient() : own;
      if (OkHttpClients.lacksCookies(base, settings)) {
        throw boot.wrong(
            name,
            "cookie-handling",
            "enable",
            "client "
                + name
                + " sends through OkHttp, which needs a bean of type OkHttpClient"
                + " with a cookieJar for it (expected: enable-when-possible or disable)");
      }
      RetryingOkHttpRequestFactory requests = OkHttpClients.requests(base, settings, retry);
      return new Sending(
          requests,
          requests.calls()::cancelAll,
          own == null ? () -> OkHttpClients.close(base) : () -> {});
    }
  }

  private static void need(String artifact, String type, String client) {
    if (!present(type)) {
      Object value =
          switch (artifact) {
            case "retry-okhttp" -> "okhttp";
            case "retry-apache-httpclient5" -> "apache";
            default -> true;
          };
      throw wrong(
          client,
          value.equals(true) ? "breaker" : "library",
          value,
          "needs dev.steadfast:" + artifact + ", and its library, on the class path");
    }
  }

  private static boolean present(String type) {
    return ClassUtils.isPresent(type, ClientAssembly.class.getClassLoader());
  }

  static InvalidConfigurationPropertyValueException wrong(
      String client, String property, Object value, String reason) {
    return new InvalidConfigurationPropertyValueException(
        "steadfast.clients." + client + "." + property, value, reason);
  }
}
