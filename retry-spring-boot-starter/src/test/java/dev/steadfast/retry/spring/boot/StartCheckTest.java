package dev.steadfast.retry.spring.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hc.client5.http.impl.classic.HttpClientBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.http.client.ClientHttpRequestFactoryBuilder;
import org.springframework.boot.http.client.HttpComponentsClientHttpRequestFactoryBuilder;
import org.springframework.boot.http.client.autoconfigure.ClientHttpRequestFactoryBuilderCustomizer;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestTemplate;
import org.springframework.web.context.annotation.RequestScope;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.registry.ImportHttpServices;

/** What an application is told of clients that do not retry. */
@ExtendWith(OutputCaptureExtension.class)
final class StartCheckTest {
  @HttpExchange("/stock")
  interface Stock {
    @GetExchange
    String read();
  }

  @Configuration(proxyBeanMethods = false)
  @ImportHttpServices(group = "stock", types = Stock.class)
  static class Shop {}

  @Configuration(proxyBeanMethods = false)
  static class Asking {
    @Bean
    RestClient payments(SteadfastClients clients) {
      return clients.get("payments").restClient().build();
    }
  }

  /** What Spring Cloud OpenFeign registers for a client of the name "payments". */
  @Configuration(proxyBeanMethods = false)
  static class Feign {
    @Bean({"payments.FeignClientSpecification"})
    Object ofAClient() {
      return "";
    }

    @Bean({"default.shop.Shop.FeignClientSpecification"})
    Object ofAllClients() {
      return "";
    }
  }

  private static final String PAYMENTS = "steadfast.clients.payments.budget=0.2";
  private static final String STOCK = "steadfast.clients.stock.budget=0.2";
  private static final String UNUSED =
      "nothing has used client payments by the end of the start: no HTTP service group has the name"
          + " of steadfast.clients.payments, and nothing has asked SteadfastClients for it";

  private static List<String> warnings(
      CapturedOutput output, Class<?> configuration, String... properties) {
    List<String> all = new ArrayList<>(List.of(properties));
    all.add("spring.http.clients.redirects=dont-follow");
    try (ConfigurableApplicationContext app =
        App.start(configuration, all.toArray(String[]::new))) {
      assertEquals(true, app.isActive());
    }
    return Warnings.in(output);
  }

  @Test
  void aClientThatNothingUses(CapturedOutput output) {
    assertEquals(List.of(UNUSED), warnings(output, Shop.class, PAYMENTS, STOCK));
  }

  @Test
  void aClientThatABeanAsksFor_isUsed(CapturedOutput output) {
    assertEquals(List.of(), warnings(output, Asking.class, PAYMENTS));
  }

  @Test
  void aDefaultClientIsUsed(CapturedOutput output) {
    assertEquals(
        List.of(), warnings(output, Shop.class, PAYMENTS, "steadfast.default-client=payments"));
  }

  @Test
  void aLazyApplicationMayUseItLater(CapturedOutput output) {
    assertEquals(
        List.of(), warnings(output, Shop.class, PAYMENTS, "spring.main.lazy-initialization=true"));
  }

  /** Boot takes Apache HttpClient if it is there. */
  @Configuration(proxyBeanMethods = false)
  static class OthersToo {
    @Bean
    RestClient stock(RestClient.Builder builder) {
      return builder.build();
    }

    @Bean
    RestTemplate prices(ClientHttpRequestFactoryBuilder<?> requests) {
      return new RestTemplate(requests.build());
    }

    @Bean
    RestClient payments(SteadfastClients clients) {
      return clients.get("payments").restClient().build();
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class OthersWithoutRetries {
    @Bean
    ClientHttpRequestFactoryBuilderCustomizer<HttpComponentsClientHttpRequestFactoryBuilder> off() {
      return builder ->
          builder.withHttpClientCustomizer(HttpClientBuilder::disableAutomaticRetries);
    }

    @Bean
    RestClient stock(RestClient.Builder builder) {
      return builder.build();
    }

    @Bean
    RestClient payments(SteadfastClients clients) {
      return clients.get("payments").restClient().build();
    }
  }

  @Test
  void othersThatRetryByThemselves(CapturedOutput output) {
    List<String> said = warnings(output, OthersToo.class, PAYMENTS);
    assertEquals(1, said.size(), said::toString);
    assertTrue(
        said.get(0).startsWith("1 RestClient builders of Boot and 1 RestTemplates"),
        said::toString);
    assertTrue(said.get(0).contains("steadfast.default-client"), said::toString);
    assertTrue(said.get(0).contains("spring.http.clients.imperative.factory"), said::toString);
  }

  /** Templates that are not there yet at the end of the start. */
  @Configuration(proxyBeanMethods = false)
  static class LaterTemplates {
    static final AtomicInteger MADE = new AtomicInteger();

    private static RestTemplate made() {
      MADE.incrementAndGet();
      return new RestTemplate();
    }

    @Bean
    @Lazy
    RestTemplate lazy() {
      return made();
    }

    @Bean
    @Scope("prototype")
    RestTemplate oneForEach() {
      return made();
    }

    @Bean
    @RequestScope
    RestTemplate ofARequest() {
      return made();
    }

    @Bean
    @Scope("request")
    RestTemplate ofARequestWithoutProxy() {
      return made();
    }

    @Bean
    RestClient payments(SteadfastClients clients) {
      return clients.get("payments").restClient().build();
    }
  }

  @Test
  void noTemplateIsMadeForTheCheck() {
    LaterTemplates.MADE.set(0);
    try (ConfigurableApplicationContext app = App.serve(LaterTemplates.class, PAYMENTS)) {
      assertEquals(true, app.isActive());
    }
    assertEquals(0, LaterTemplates.MADE.get());
  }

  @Test
  void othersThatDoNot(CapturedOutput output) {
    assertEquals(List.of(), warnings(output, OthersWithoutRetries.class, PAYMENTS));
  }

  @Test
  void aDefaultClientSendsForTheOthers(CapturedOutput output) {
    assertEquals(
        List.of(),
        warnings(
            output, OthersWithoutRetries.class, PAYMENTS, "steadfast.default-client=payments"));
  }

  @Test
  void clientsOfOpenFeign(CapturedOutput output) {
    assertEquals(
        List.of(
            UNUSED,
            "the OpenFeign clients [payments] do not send through Steadfast, which adds no keys to"
                + " their requests and does not retry them: make HTTP service groups of them, or"
                + " give OpenFeign an OkHttpClient with a RetryInterceptor"),
        warnings(output, Feign.class, PAYMENTS));
  }

  @Test
  void withoutClientsNothingIsSaid(CapturedOutput output) {
    assertEquals(List.of(), warnings(output, Feign.class));
  }
}
