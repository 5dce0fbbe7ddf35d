package dev.steadfast.retry.spring.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.http.client.ClientHttpRequestFactoryBuilder;
import org.springframework.boot.restclient.RestClientCustomizer;
import org.springframework.boot.restclient.RestTemplateBuilder;
import org.springframework.boot.restclient.RestTemplateCustomizer;
import org.springframework.boot.restclient.autoconfigure.RestClientBuilderConfigurer;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.webclient.WebClientCustomizer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.client.ClientHttpRequestFactory;
import org.springframework.http.client.reactive.ClientHttpConnector;
import org.springframework.http.client.reactive.JdkClientHttpConnector;
import org.springframework.mock.http.client.MockClientHttpRequest;
import org.springframework.mock.http.client.MockClientHttpResponse;
import org.springframework.web.client.HttpServerErrorException;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestTemplate;
import org.springframework.web.client.support.RestClientHttpServiceGroupConfigurer;
import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.web.reactive.function.client.WebClientRequestException;
import org.springframework.web.reactive.function.client.WebClientResponseException;
import org.springframework.web.reactive.function.client.support.WebClientHttpServiceGroupConfigurer;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.registry.HttpServiceGroup.ClientType;
import org.springframework.web.service.registry.ImportHttpServices;
import reactor.core.publisher.Mono;

/** A request factory that the application or a test has set is not replaced. */
@ExtendWith(OutputCaptureExtension.class)
final class ForeignFactoriesTest {
  @HttpExchange("/payments")
  interface Payments {
    @GetExchange
    String read();
  }

  @HttpExchange("/rates")
  interface Rates {
    @GetExchange
    String read();
  }

  @ImportHttpServices(group = "payments", types = Payments.class)
  @ImportHttpServices(group = "rates", types = Rates.class, clientType = ClientType.WEB_CLIENT)
  static class Groups {}

  /** Answers by itself. */
  private static final ClientHttpRequestFactory FOREIGN =
      (uri, method) -> {
        MockClientHttpRequest request = new MockClientHttpRequest(method, uri);
        request.setResponse(
            new MockClientHttpResponse("foreign".getBytes(StandardCharsets.UTF_8), 200));
        return request;
      };

  private static final ClientHttpConnector FOREIGN_CONNECTOR =
      (method, uri, callback) -> Mono.error(new IllegalStateException("foreign"));

  @Configuration(proxyBeanMethods = false)
  static class ByACustomizer extends Groups {
    @Bean
    RestClientCustomizer factory() {
      return builder -> builder.requestFactory(FOREIGN);
    }

    @Bean
    RestTemplateCustomizer templates() {
      return template -> template.setRequestFactory(FOREIGN);
    }

    @Bean
    WebClientCustomizer connector() {
      return builder -> builder.clientConnector(FOREIGN_CONNECTOR);
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class ByAnEarlyCustomizer extends ByACustomizer {
    @Bean
    @Override
    @Order(Ordered.HIGHEST_PRECEDENCE + 1)
    RestClientCustomizer factory() {
      return super.factory();
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class OfTheGroup extends Groups {
    @Bean
    RestClientHttpServiceGroupConfigurer factory() {
      return groups -> groups.forEachClient((group, builder) -> builder.requestFactory(FOREIGN));
    }

    @Bean
    WebClientHttpServiceGroupConfigurer connector() {
      return groups ->
          groups.forEachClient((group, builder) -> builder.clientConnector(FOREIGN_CONNECTOR));
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class InPlaceOfBoots extends Groups {
    @Bean
    ClientHttpRequestFactoryBuilder<?> factories() {
      return settings -> FOREIGN;
    }

    @Bean
    ClientHttpConnector connector() {
      return FOREIGN_CONNECTOR;
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class OwnBuilder {
    @Bean
    RestClient.Builder builder() {
      return RestClient.builder().requestFactory(FOREIGN).defaultHeader("X-Shop", "7");
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class OwnBuilderWithoutFactory {
    @Bean
    RestClient.Builder builder() {
      return RestClient.builder().defaultHeader("X-Shop", "7");
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class OwnBuilderAsBootConfiguresIt {
    @Bean
    RestClient.Builder builder(RestClientBuilderConfigurer boot) {
      return boot.configure(RestClient.builder()).defaultHeader("X-Shop", "7");
    }
  }

  @AutoClose private final ScriptedServer real = ScriptedServer.start();

  private ConfigurableApplicationContext start(Class<?> configuration, String... more) {
    List<String> all = new ArrayList<>(List.of(more));
    for (String client : List.of("payments", "rates")) {
      all.add("spring.http.serviceclient." + client + ".base-url=" + real.uri(""));
      all.add("steadfast.clients." + client + ".policy=backoff=none; maxAttempts=3");
    }
    return App.start(configuration, all.toArray(String[]::new));
  }

  private static void assertForeign(Executable call) {
    WebClientRequestException thrown = assertThrows(WebClientRequestException.class, call);
    assertEquals("foreign", thrown.getCause().getMessage());
  }

  @ParameterizedTest
  @ValueSource(
      classes = {
        ByACustomizer.class,
        ByAnEarlyCustomizer.class,
        OfTheGroup.class,
        InPlaceOfBoots.class
      })
  void ofAGroup(Class<?> configuration, CapturedOutput output) {
    try (ConfigurableApplicationContext app = start(configuration)) {
      assertEquals("foreign", app.getBean(Payments.class).read());
      assertForeign(app.getBean(Rates.class)::read);
      assertEquals(
          List.of(
              "client payments of steadfast.clients does not retry for the HTTP service group"
                  + " payments: something else has set its request factory, "
                  + FOREIGN.getClass().getName(),
              "client rates of steadfast.clients does not retry for the HTTP service group rates:"
                  + " something else has set its connector, "
                  + FOREIGN_CONNECTOR.getClass().getName()),
          Warnings.in(output));
    }
    assertEquals(0, real.requests().size());
  }

  @ParameterizedTest
  @ValueSource(
      classes = {
        ByACustomizer.class,
        ByAnEarlyCustomizer.class,
        OwnBuilder.class,
        InPlaceOfBoots.class
      })
  void ofABuilder(Class<?> configuration, CapturedOutput output) {
    try (ConfigurableApplicationContext app = start(configuration)) {
      SteadfastClient client = app.getBean(SteadfastClients.class).get("payments");
      for (int i = 0; i < 2; i++) {
        assertEquals(
            "foreign",
            client.restClient().build().get().uri("/payments").retrieve().body(String.class));
      }
      String warning =
          "client payments of steadfast.clients does not retry for a builder of"
              + " SteadfastClients: something else has set its request factory, "
              + FOREIGN.getClass().getName();
      assertEquals(1, Warnings.in(output).stream().filter(warning::equals).count());
    }
    assertEquals(0, real.requests().size());
  }

  @ParameterizedTest
  @ValueSource(classes = {OwnBuilderWithoutFactory.class, OwnBuilderAsBootConfiguresIt.class})
  void aBuilderOfTheApplicationIsTheBase_andStaysAsItIs(Class<?> configuration) {
    real.defaultReply(Reply.status(500));
    try (ConfigurableApplicationContext app = start(configuration)) {
      RestClient retrying =
          app.getBean(SteadfastClients.class).get("payments").restClient().build();
      assertThrows(
          HttpServerErrorException.class,
          () -> retrying.get().uri("/x").retrieve().toBodilessEntity());
      assertEquals(3, real.requests().size());
      assertEquals("7", real.requests().get(0).header("X-Shop").orElseThrow());
      RestClient plain = app.getBean(RestClient.Builder.class).build();
      assertThrows(
          HttpServerErrorException.class,
          () -> plain.get().uri(real.uri("/y")).retrieve().toBodilessEntity());
      assertEquals(4, real.requests().size());
    }
  }

  @Test
  void ofABuilderOfWebFlux() {
    try (ConfigurableApplicationContext app = start(ByACustomizer.class)) {
      WebClient web =
          app.getBean(SteadfastClients.class).get("payments").as(WebClient.Builder.class).build();
      assertForeign(() -> web.get().retrieve().toBodilessEntity().block());
    }
    assertEquals(0, real.requests().size());
  }

  @ParameterizedTest
  @ValueSource(classes = {ByACustomizer.class, ByAnEarlyCustomizer.class, InPlaceOfBoots.class})
  void ofBuildersWithADefaultClient(Class<?> configuration) {
    try (ConfigurableApplicationContext app =
        start(configuration, "steadfast.default-client=payments")) {
      RestClient rest = app.getBean(RestClient.Builder.class).build();
      assertEquals("foreign", rest.get().uri(real.uri("/")).retrieve().body(String.class));
      RestTemplate template = app.getBean(RestTemplateBuilder.class).build();
      assertEquals("foreign", template.getForObject(real.uri("/"), String.class));
      WebClient web = app.getBean(WebClient.Builder.class).build();
      assertForeign(() -> web.get().uri(real.uri("/")).retrieve().toBodilessEntity().block());
    }
    assertEquals(0, real.requests().size());
  }

  /** A connector of Spring's that the application has configured itself, as for its proxy. */
  @Configuration(proxyBeanMethods = false)
  static class OwnConnector {
    @Bean
    ClientHttpConnector connector() {
      return new JdkClientHttpConnector(HttpClient.newHttpClient());
    }
  }

  @Test
  void aConnectorThatIsABeanOfTheApplication(CapturedOutput output) {
    real.defaultReply(Reply.status(503));
    try (ConfigurableApplicationContext app =
        start(OwnConnector.class, "steadfast.default-client=payments")) {
      WebClient web = app.getBean(WebClient.Builder.class).build();
      assertThrows(
          WebClientResponseException.class,
          () -> web.get().uri(real.uri("/")).retrieve().toBodilessEntity().block());
    }
    assertEquals(1, real.requests().size(), "it does not retry");
    String left =
        "client payments of steadfast.clients does not retry for a WebClient.Builder of Boot:"
            + " something else has set its connector, "
            + JdkClientHttpConnector.class.getName();
    assertEquals(1, Warnings.in(output).stream().filter(left::equals).count());
  }

  @Test
  void ofATemplateBuilderWithADefaultClient() {
    try (ConfigurableApplicationContext app =
        start(Groups.class, "steadfast.default-client=payments")) {
      RestTemplate template =
          app.getBean(RestTemplateBuilder.class).requestFactory(() -> FOREIGN).build();
      assertEquals("foreign", template.getForObject(real.uri("/"), String.class));
    }
    assertEquals(0, real.requests().size());
  }
}
