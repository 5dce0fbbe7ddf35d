package dev.steadfast.retry.spring.boot;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.registry.ImportHttpServices;

/** An application; not a nested class, as generated code is named after it. */
public final class AheadOfTimeShop {
  public interface Payments {
    @GetExchange("/")
    String read();
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  @ImportHttpServices(group = "pay", types = Payments.class)
  static class Shop {}

  /** The answer to one request, and the attempts of the policy. */
  public static String told;

  private AheadOfTimeShop() {}

  public static void main(String[] properties) {
    Isolated.withoutTomcatsUrls();
    SpringApplicationBuilder builder =
        new SpringApplicationBuilder(Shop.class).registerShutdownHook(false).properties(properties);
    try (ConfigurableApplicationContext app = builder.run()) {
      told =
          app.getBean(Payments.class).read()
              + " "
              + app.getBean(SteadfastClients.class).get("pay").retry().policy().maxAttempts();
    }
  }
}
