package dev.steadfast.retry.spring.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.scope.RetryScope;
import dev.steadfast.retry.server.ServletScope;
import dev.steadfast.retry.spring.RetryAttributes;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import io.micrometer.core.instrument.MeterRegistry;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.LoggerFactory;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.HttpServerErrorException;
import org.springframework.web.client.RestClient;
import shop.Till;

/** What an operator sees of an application, and what its inbound requests impose. */
final class OperationsTest {
  private static final String POLICY = "steadfast.clients.pay.policy=backoff=none; maxAttempts=2";

  @AutoClose private final ScriptedServer server = ScriptedServer.start();

  private String baseUrl() {
    return "spring.http.serviceclient.pay.base-url=" + server.uri("");
  }

  @Configuration(proxyBeanMethods = false)
  @EnableResilientMethods(proxyTargetClass = true)
  static class Shop {
    @Bean
    Till till(SteadfastClients clients) {
      return new Till(clients.get("pay").restClient().build());
    }
  }

  private static List<String> warnings(Calls calls) throws Exception {
    Logger logger = (Logger) LoggerFactory.getLogger("dev.steadfast.retry");
    ListAppender<ILoggingEvent> kept = new ListAppender<>();
    kept.start();
    logger.addAppender(kept);
    try {
      calls.make();
    } finally {
      logger.detachAppender(kept);
    }
    return kept.list.stream()
        .map(ILoggingEvent::getFormattedMessage)
        .filter(each -> each.contains("was called within"))
        .toList();
  }

  private interface Calls {
    void make() throws Exception;
  }

  @Test
  void retriesOfSpringAroundAClient_areNoticedOncePerPlace() throws Exception {
    server.defaultReply(Reply.status(503));
    try (ConfigurableApplicationContext app = App.start(Shop.class, baseUrl(), POLICY)) {
      Till till = app.getBean(Till.class);
      assertEquals(List.of(), warnings(() -> assertThrows(Exception.class, till::pay)));
      List<String> annotated = warnings(() -> assertThrows(Exception.class, till::payAgain));
      assertEquals(1, annotated.size());
      assertTrue(annotated.get(0).contains("by shop.Till.payAgain"), annotated.get(0));
      assertTrue(annotated.get(0).contains("client pay"), annotated.get(0));
      assertEquals(List.of(), warnings(() -> assertThrows(Exception.class, till::payAgain)));
      List<String> template = warnings(() -> assertThrows(Exception.class, till::payByTemplate));
      assertEquals(1, template.size());
      assertTrue(template.get(0).contains("org.springframework.core.retry."), template.get(0));
    }
  }

  @Test
  void theEndpointShowsPoliciesBalancesBreakersAndWhatGaveUp() throws Exception {
    server.defaultReply(Reply.status(503));
    try (ConfigurableApplicationContext app =
        App.serve(
            Shop.class,
            baseUrl(),
            POLICY,
            "steadfast.clients.pay.breaker=true",
            "management.endpoints.web.exposure.include=steadfast")) {
      Till till = app.getBean(Till.class);
      for (int i = 0; i < 11; i++) {
        assertThrows(HttpServerErrorException.class, till::pay);
      }
      String shown = App.get(app, "/actuator/steadfast").body();
      assertTrue(shown.contains("\"policy\":\"maxAttempts=2; backoff=none"), shown);
      assertTrue(shown.contains("\"budget\":\"perOrigin(0.1)\""), shown);
      assertTrue(shown.contains("\"budgetAvailable\":{\"http://127.0.0.1:"), shown);
      assertTrue(shown.contains("\"breakers\":{\"http://127.0.0.1:"), shown);
      assertTrue(shown.contains("\"CLOSED\""), shown);
      assertEquals(
          10,
          shown.split("\"attempts\":2", -1).length
              - 1
              + shown.split("\"attempts\":1", -1).length
              - 1,
          shown);
      assertFalse(shown.contains("4711"), shown);
    }
  }

  /** A budget of the application's own: three retries, and nothing earns another. */
  @Configuration(proxyBeanMethods = false)
  static class OwnBudget {
    @Bean
    HttpRetryCustomizer three() {
      return (client, retry) -> retry.budget(RetryBudget.successFunded(0, 3, 0));
    }
  }

  @Test
  void theBudgetOfACustomizerIsShownByEndpointAndMeters() throws Exception {
    server.defaultReply(Reply.status(503));
    try (ConfigurableApplicationContext app =
        App.serve(
            OwnBudget.class,
            baseUrl(),
            POLICY,
            "management.endpoints.web.exposure.include=steadfast")) {
      RestClient pay = app.getBean(SteadfastClients.class).get("pay").restClient().build();
      assertThrows(HttpServerErrorException.class, () -> pay.get().retrieve().toBodilessEntity());
      String shown = App.get(app, "/actuator/steadfast").body();
      assertTrue(shown.contains("\"budget\":\"successFunded(0.0, burst 3, 0.0/s)\""), shown);
      assertTrue(shown.contains(":" + server.port() + "\":2.0}"), shown);
      MeterRegistry registry = app.getBean(MeterRegistry.class);
      while (attempts(registry) < 2) {
        Thread.onSpinWait(); // a meter is registered on another thread
      }
      assertEquals(
          2.0, registry.get("steadfast.budget.available").tag("client", "pay").gauge().value());
    }
  }

  private static long attempts(MeterRegistry registry) {
    return registry.find("steadfast.attempts").tag("client", "pay").timers().stream()
        .mapToLong(each -> each.count())
        .sum();
  }

  @Test
  void metersAreRecordedPerClient_unlessSwitchedOff() {
    server.defaultReply(Reply.status(503));
    try (ConfigurableApplicationContext app = App.start(Shop.class, baseUrl(), POLICY)) {
      assertThrows(HttpServerErrorException.class, app.getBean(Till.class)::pay);
      MeterRegistry registry = app.getBean(MeterRegistry.class);
      while (attempts(registry) < 2) {
        Thread.onSpinWait(); // a meter is registered on another thread
      }
      assertEquals(2, attempts(registry));
    }
    try (ConfigurableApplicationContext app =
        App.start(Shop.class, baseUrl(), POLICY, "steadfast.metrics.enabled=false")) {
      assertThrows(HttpServerErrorException.class, app.getBean(Till.class)::pay);
      assertTrue(app.getBean(MeterRegistry.class).find("steadfast.attempts").timers().isEmpty());
    }
  }

  @RestController
  static class Inbound {
    private final SteadfastClients clients;

    Inbound(SteadfastClients clients) {
      this.clients = clients;
    }

    @GetMapping("/order")
    String order() {
      clients
          .get("pay")
          .restClient()
          .build()
          .get()
          .uri("/charge")
          .attributes(RetryAttributes.options(RetryOptions.builder().derivedKey("charge").build()))
          .retrieve()
          .toBodilessEntity();
      return String.valueOf(RetryScope.current().isPresent());
    }

    @GetMapping("/failed-later")
    CompletableFuture<String> failedLater() {
      CompletableFuture<String> answer = new CompletableFuture<>();
      try {
        answer.complete(order());
      } catch (HttpServerErrorException gaveUp) {
        answer.completeExceptionally(gaveUp);
      }
      return answer;
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class WithInbound {
    @Bean
    Inbound inbound(SteadfastClients clients) {
      return new Inbound(clients);
    }
  }

  @Test
  void aScopeHasThePrincipalOfSpringSecurity() throws Exception {
    String[] twice = {"Idempotency-Key", "order-1"};
    try (ConfigurableApplicationContext app =
        App.serve(WithInbound.class, baseUrl(), POLICY, "steadfast.scope.enabled=true")) {
      App.get(app, "/order", twice);
      App.get(app, "/order", twice);
      App.get(app, "/order", "Idempotency-Key", "order-2");
    }
    List<String> keys =
        server.requests().stream()
            .map(each -> each.header("Idempotency-Key").orElse("none"))
            .toList();
    assertEquals(keys.get(0), keys.get(1));
    assertNotEquals("none", keys.get(0)); // without a principal none derives
    assertNotEquals(keys.get(0), keys.get(2));
  }

  @Configuration(proxyBeanMethods = false)
  static class ForAll {
    @Bean
    SecurityFilterChain all(HttpSecurity http) {
      return http.authorizeHttpRequests(requests -> requests.anyRequest().permitAll()).build();
    }
  }

  @Test
  void whoIsAnonymousIsNoPrincipal_soThatNoTwoShareAKey() throws Exception {
    try (ConfigurableApplicationContext app =
        App.serve(
            WithInbound.class,
            baseUrl(),
            POLICY,
            "steadfast.scope.enabled=true",
            "spring.main.sources=" + ForAll.class.getName())) {
      HttpRequest request =
          HttpRequest.newBuilder(App.uri(app, "/order")).header("Idempotency-Key", "mine").build();
      assertEquals("true", App.CLIENT.send(request, BodyHandlers.ofString()).body());
    }
    assertTrue(server.requests().get(0).header("Idempotency-Key").isEmpty());
  }

  @ParameterizedTest
  @CsvSource({"/order, false", "/order, true", "/failed-later, false", "/failed-later, true"})
  void whoCalledIsToldThatRetriesGaveUp_alsoAfterErrorAndAsynchronousDispatch(
      String path, boolean virtualThreads) throws Exception {
    server.defaultReply(Reply.status(503));
    try (ConfigurableApplicationContext app =
        App.serve(
            WithInbound.class,
            baseUrl(),
            POLICY,
            "steadfast.scope.enabled=true",
            "spring.threads.virtual.enabled=" + virtualThreads)) {
      HttpResponse<String> answer = App.get(app, path);
      assertEquals(500, answer.statusCode());
      assertEquals(Optional.of("false"), answer.headers().firstValue("x-should-retry"));
      assertEquals(2, server.requests().size());
      assertEquals(500, App.get(app, path, "Do-Not-Retry", "true").statusCode());
      assertEquals(3, server.requests().size(), "no retry beneath a caller that retries");
    }
  }

  @Test
  void aScopeFilterOfTheApplicationsOwnIsTheOnlyOne() {
    try (ConfigurableApplicationContext app =
        App.serve(OwnScope.class, "steadfast.scope.enabled=true")) {
      assertFalse(app.containsBean("steadfastScope"));
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class OwnScope {
    @Bean
    FilterRegistrationBean<ServletScope> scope() {
      return new FilterRegistrationBean<>(new ServletScope());
    }
  }

  @Test
  void withoutThePropertyThereIsNoScope() throws Exception {
    try (ConfigurableApplicationContext app = App.serve(WithInbound.class, baseUrl(), POLICY)) {
      App.get(app, "/order", "Idempotency-Key", "order-1");
    }
    assertTrue(server.requests().get(0).header("Idempotency-Key").isEmpty());
  }
}
