package dev.steadfast.retry.spring.boot;

import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.web.client.RestTemplate;

/** Warns once, at the end of the start, of clients that look as if they retried and do not. */
final class StartCheck implements ApplicationListener<ApplicationReadyEvent> {
  private static final Logger LOG = LoggerFactory.getLogger("dev.steadfast.retry");
  private static final String LAZY = "spring.main.lazy-initialization";

  // Spring Cloud OpenFeign registers a bean of such a name for each client, and for its defaults.
  private static final String OF_FEIGN = ".FeignClientSpecification";
  private static final String DEFAULTS_OF_FEIGN = "default.";

  private final SteadfastClients clients;
  private final ConfigurableListableBeanFactory beans;
  private final Senders senders;
  private final AtomicBoolean done = new AtomicBoolean();

  StartCheck(SteadfastClients clients, ConfigurableListableBeanFactory beans, Senders senders) {
    this.clients = clients;
    this.senders = senders;
    this.beans = beans;
  }

  @Override
  public void onApplicationEvent(ApplicationReadyEvent ready) {
    if (clients.names().isEmpty() || !done.compareAndSet(false, true)) {
      return;
    }
    if (!ready.getApplicationContext().getEnvironment().getProperty(LAZY, boolean.class, false)) {
      unused();
    }
    feign();
    retriedByOthers();
  }

  private void retriedByOthers() {
    // Only those that are there: to ask for another one would make it, and could fail.
    long templates =
        Stream.of(beans.getBeanNamesForType(RestTemplate.class, false, false))
            .filter(beans::containsSingleton)
            .map(beans::getSingleton)
            .filter(each ->
                each instanceof RestTemplate template
                    && OwnRetries.beneath(template.getRequestFactory()))
            .count();
    long builders = senders.leftToOthers();
    if (builders + templates > 0) {
      LOG.warn(
          "{} RestClient builders of Boot and {} RestTemplates send through Apache HttpClient 5 and"
              + " not through Steadfast. HttpClient by itself sends any request again after a 429"
              + " or a 503, a POST too: set steadfast.default-client to have Steadfast send for"
              + " them, or spring.http.clients.imperative.factory=jdk",
          builders,
          templates);
    }
  }

  private void unused() {
    for (SteadfastClient each : clients.all()) {
      if (!each.isUsed()) {
        LOG.atLevel(mayAskLater() ? Level.INFO : Level.WARN)
            .log(
                "nothing has used client {} by the end of the start: no HTTP service group has the"
                    + " name of steadfast.clients.{}, and nothing has asked SteadfastClients for"
                    + " it",
                each.name(),
                each.name());
      }
    }
  }

  // A bean that has the clients can ask for one of them at any time.
  private boolean mayAskLater() {
    return Stream.of(beans.getDependentBeans("steadfastClients"))
        .anyMatch(each -> !each.startsWith("steadfast"));
  }

  private void feign() {
    List<String> names =
        Stream.of(beans.getBeanDefinitionNames())
            .filter(each -> each.endsWith(OF_FEIGN) && !each.startsWith(DEFAULTS_OF_FEIGN))
            .map(each -> each.substring(0, each.length() - OF_FEIGN.length()))
            .sorted()
            .toList();
    if (!names.isEmpty()) {
      LOG.warn(
          "the OpenFeign clients {} do not send through Steadfast, which adds no keys to their"
              + " requests and does not retry them: make HTTP service groups of them, or give"
              + " OpenFeign an OkHttpClient with a RetryInterceptor",
          names);
    }
  }
}
