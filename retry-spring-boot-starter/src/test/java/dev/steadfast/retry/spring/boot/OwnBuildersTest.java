package dev.steadfast.retry.spring.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.http.client.ClientHttpRequestFactoryBuilder;
import org.springframework.boot.http.client.reactive.ClientHttpConnectorBuilder;
import org.springframework.boot.restclient.RestTemplateBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.client.SimpleClientHttpRequestFactory;
import org.springframework.web.client.HttpServerErrorException;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestTemplate;
import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.web.reactive.function.client.WebClientResponseException;

/** Builders of request factories that the application has made instead of Boot, with settings. */
@ExtendWith(OutputCaptureExtension.class)
final class OwnBuildersTest {
  @Configuration(proxyBeanMethods = false)
  static class OfApache {
    @Bean
    ClientHttpRequestFactoryBuilder<?> shopFactories() {
      return ClientHttpRequestFactoryBuilder.httpComponents()
          .withHttpClientCustomizer(http -> http.setUserAgent("shop"));
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class OfTheSimpleOne {
    @Bean
    ClientHttpRequestFactoryBuilder<?> shopFactories() {
      return ClientHttpRequestFactoryBuilder.simple();
    }
  }

  /** A builder whose settings cannot be read. */
  @Configuration(proxyBeanMethods = false)
  static class ByALambda {
    @Bean
    ClientHttpRequestFactoryBuilder<?> shopFactories() {
      return settings -> new SimpleClientHttpRequestFactory();
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class OfConnectors {
    @Bean
    ClientHttpConnectorBuilder<?> shopConnectors() {
      return ClientHttpConnectorBuilder.jdk();
    }
  }

  @AutoClose private final ScriptedServer server = ScriptedServer.start();

  private ConfigurableApplicationContext start(Class<?> configuration, String... more) {
    List<String> all = new ArrayList<>(List.of(more));
    all.add("spring.http.serviceclient.pay.base-url=" + server.uri("/"));
    all.add("steadfast.clients.pay.policy=backoff=none");
    return App.start(configuration, all.toArray(String[]::new));
  }

  private static String pay(ConfigurableApplicationContext app) {
    RestClient client = app.getBean(SteadfastClients.class).get("pay").restClient().build();
    return client.get().retrieve().body(String.class);
  }

  private String refusal(Class<?> configuration) {
    assertThrows(RuntimeException.class, () -> start(configuration).close());
    FailureAnalysis told = Failures.take();
    return told.getDescription() + " " + told.getAction();
  }

  @Test
  void whoChoosesNoLibraryIsToldThatTheSettingsWouldBeLost() {
    assertEquals(
        "The bean shopFactories sets up HttpComponents, and client pay of steadfast.clients sends"
            + " through java.net.http by default, without the settings of that bean. Set"
            + " steadfast.clients.pay.library=apache to send with these settings, or"
            + " steadfast.clients.pay.library=jdk to send without them.",
        refusal(OfApache.class));
    assertEquals(
        "The bean shopFactories sets up Simple, and client pay of steadfast.clients sends through"
            + " java.net.http by default, without the settings of that bean. Set"
            + " steadfast.clients.pay.library=jdk to send without these settings, or make the bean"
            + " a JdkClientHttpRequestFactoryBuilder.",
        refusal(OfTheSimpleOne.class));
  }

  @Test
  void theSettingsApplyToItsOwnLibrary() {
    server.enqueue(Reply.status(503), Reply.status(200).body("paid"));
    try (ConfigurableApplicationContext app =
        start(OfApache.class, "steadfast.clients.pay.library=apache")) {
      assertEquals("paid", pay(app));
    }
    assertEquals(2, server.requests().size());
    assertEquals(Optional.of("shop"), server.requests().get(1).header("User-Agent"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"jdk", "okhttp"})
  void aLibraryThatIsChosenIsUsed_andTheLogTellsOfTheBean(String library, CapturedOutput output) {
    server.enqueue(Reply.status(503), Reply.status(200).body("paid"));
    try (ConfigurableApplicationContext app =
        start(OfApache.class, "steadfast.clients.pay.library=" + library)) {
      assertEquals("paid", pay(app));
    }
    assertTrue(
        output
            .getOut()
            .contains(", and not through HttpComponents, which the bean shopFactories sets up: "));
  }

  // Boot then makes no builder of its own in the child.
  @Test
  void aBuilderOfBootInAParentIsNoneOfTheApplication() {
    server.enqueue(Reply.status(503), Reply.status(200).body("paid"));
    try (ConfigurableApplicationContext parent = start(App.Empty.class);
        ConfigurableApplicationContext child =
            new SpringApplicationBuilder(App.Empty.class)
                .parent(parent)
                .web(WebApplicationType.NONE)
                .bannerMode(Banner.Mode.OFF)
                .run()) {
      assertEquals("paid", pay(child));
    }
  }

  @Test
  void whatALambdaMakesStays(CapturedOutput output) {
    server.defaultReply(Reply.status(503));
    try (ConfigurableApplicationContext app =
        start(ByALambda.class, "steadfast.default-client=pay")) {
      assertThrows(HttpServerErrorException.class, () -> pay(app));
      RestTemplate template = app.getBean(RestTemplateBuilder.class).build();
      assertThrows(
          HttpServerErrorException.class,
          () -> template.getForObject(server.uri("/"), String.class));
    }
    assertEquals(2, server.requests().size(), "no retries");
    String left =
        "client pay of steadfast.clients does not retry for a builder of SteadfastClients: something"
            + " else has set its request factory, "
            + SimpleClientHttpRequestFactory.class.getName();
    assertTrue(Warnings.in(output).contains(left), Warnings.in(output)::toString);
  }

  @Test
  void aConnectorOfABuilderOfTheApplicationStays(CapturedOutput output) {
    server.defaultReply(Reply.status(503));
    try (ConfigurableApplicationContext app = start(OfConnectors.class)) {
      WebClient web =
          app.getBean(SteadfastClients.class).get("pay").as(WebClient.Builder.class).build();
      assertThrows(
          WebClientResponseException.class, () -> web.get().retrieve().toBodilessEntity().block());
    }
    assertEquals(1, server.requests().size(), "no retries");
    assertEquals(
        1,
        Warnings.in(output).stream()
            .filter(each -> each.contains("something else has set its connector"))
            .count());
  }
}
