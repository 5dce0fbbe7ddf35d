package dev.steadfast.retry.spring.boot;

import java.util.function.Function;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.http.client.ClientHttpRequestFactoryBuilder;
import org.springframework.boot.http.client.HttpClientSettings;
import org.springframework.boot.restclient.RestTemplateBuilder;
import org.springframework.http.client.ClientHttpRequestFactory;

/**
 * Has the {@code RestTemplateBuilder} of Boot make templates that send through a client, with the
 * timeouts and other settings of the builder. A request factory that the application sets on the
 * builder, or a customizer on the template, comes after this one and stays. So does one that a
 * builder makes that is not Boot's.
 */
record TemplateBuilders(Function<HttpClientSettings, ClientHttpRequestFactory> client)
    implements BeanPostProcessor {
  @Override
  public Object postProcessAfterInitialization(Object bean, String name) {
    if (!(bean instanceof RestTemplateBuilder builder)) {
      return bean;
    }
    ClientHttpRequestFactoryBuilder<?> before = builder.requestFactoryBuilder();
    if (before == null || !OwnBeans.isBuilderOfBoot(before)) {
      return bean;
    }
    return builder.requestFactoryBuilder(settings -> {
      ClientHttpRequestFactory made = before.build(settings);
      HttpClientSettings own = settings == null ? HttpClientSettings.defaults() : settings;
      return Senders.isReal(made) ? client.apply(own) : made;
    });
  }
}
