package dev.steadfast.retry.spring.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.limit.AdaptiveLimit;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.reactive.function.client.WebClient;

/** What somebody sees who has written a property wrong. */
final class WrongPropertiesTest {

  private static String failure(String... properties) {
    return failure(App.Empty.class, properties);
  }

  private static String failure(Class<?> configuration, String... properties) {
    assertThrows(RuntimeException.class, () -> App.start(configuration, properties).close());
    FailureAnalysis analysis = assertNotNullAnalysis(Failures.take());
    return analysis.getDescription() + "\n" + analysis.getAction();
  }

  private static FailureAnalysis assertNotNullAnalysis(FailureAnalysis analysis) {
    assertNotNull(analysis, "no failure analysis");
    return analysis;
  }

  private static void assertTells(String told, String... parts) {
    for (String each : parts) {
      assertTrue(told.contains(each), () -> "expected: " + each + "\nin: " + told);
    }
  }

  @Test
  void aPolicyOutOfItsRange() {
    assertTells(
        failure("steadfast.clients.payments.policy=maxAttempts=0"),
        "Invalid value 'maxAttempts=0' for configuration property"
            + " 'steadfast.clients.payments.policy'",
        "maxAttempts: 0 (expected: >= 1)");
  }

  @Test
  void aLibraryThatIsNone() {
    assertTells(
        failure("steadfast.clients.payments.library=netty"), "\n    APACHE\n    JDK\n    OKHTTP");
  }

  @Test
  void aBudgetOutOfItsRange() {
    assertTells(
        failure("steadfast.clients.payments.budget=11"),
        "Invalid value '11' for configuration property 'steadfast.clients.payments.budget'",
        "0.0 to 10.0");
    assertTells(
        failure("steadfast.clients.payments.budget=some"),
        "Invalid value 'some'",
        "expected: retries per success, 0 to 10, or unlimited");
  }

  @ParameterizedTest
  @CsvSource({
    "jdk, spring.http.clients.connect-timeout",
    "jdk, spring.http.clients.read-timeout",
    "okhttp, spring.http.clients.connect-timeout",
    "okhttp, spring.http.serviceclient.payments.read-timeout",
    "apache, spring.http.clients.read-timeout"
  })
  void aTimeoutBelowZero(String library, String property) {
    assertTells(
        failure("steadfast.clients.payments.library=" + library, property + "=-1s"),
        "Invalid value '-1s' for configuration property '" + property + "'",
        "expected: more than 0, or 0 for none");
  }

  @Test
  void cookiesThatOkHttpDoesNotKeep() {
    assertTells(
        failure(
            "steadfast.clients.payments.library=okhttp",
            "spring.http.serviceclient.payments.cookie-handling=enable"),
        "Invalid value 'enable' for configuration property"
            + " 'spring.http.serviceclient.payments.cookie-handling'",
        "cookieJar",
        "expected: enable-when-possible or disable");
  }

  @Test
  void aGroupOfWebFluxThatIsToUseOkHttp() {
    assertTells(
        failure(ClientsTest.Groups.class, "steadfast.clients.rates.library=okhttp"),
        "Invalid value 'okhttp' for configuration property 'steadfast.clients.rates.library'",
        "WebClient",
        "expected: jdk");
  }

  @Test
  void aDefaultClientOnOkHttp_whereWebClientIsUsed() {
    assertTells(
        failure(
            UsingWebClient.class,
            "steadfast.clients.payments.library=okhttp",
            "steadfast.default-client=payments"),
        "Invalid value 'okhttp' for configuration property 'steadfast.clients.payments.library'",
        "WebClient",
        "expected: jdk");
  }

  @ParameterizedTest
  @ValueSource(strings = {"reactor", "http-components"})
  void aConnectorThatCannotBeWrapped(String named) {
    assertTells(
        failure(
            AskingForWebClient.class,
            "spring.http.clients.reactive.connector=" + named,
            "steadfast.clients.rates.policy="),
        "Invalid value '"
            + named
            + "' for configuration property"
            + " 'spring.http.clients.reactive.connector'",
        "WebClient is to send for client rates of steadfast.clients through java.net.http",
        "expected: jdk, or no value");
    App.start(ClientsTest.Groups.class, "spring.http.clients.reactive.connector=jdk").close();
  }

  /** Its own builder keeps Boot from making a connector, for which there is no library here. */
  @Configuration(proxyBeanMethods = false)
  static class AskingForWebClient {
    @Bean
    WebClient.Builder builder() {
      return WebClient.builder();
    }

    @Bean
    WebClient rates(SteadfastClients clients) {
      return clients.get("rates").as(WebClient.Builder.class).build();
    }
  }

  /** A guard whose places are lost for good to attempts that never end. */
  @Configuration(proxyBeanMethods = false)
  static class Limited {
    @Bean
    HttpRetryCustomizer limit() {
      return (client, retry) ->
          retry
              .policy(RetryPolicy.builder().noTotalTimeout().build())
              .guard(AdaptiveLimit.perOrigin());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"jdk", "okhttp"})
  void aGuardThatNeedsATimeoutWhereThereIsNone(String library) {
    assertTells(
        failure(
            Limited.class,
            "steadfast.clients.payments.library=" + library,
            "spring.http.clients.read-timeout=0"),
        "Client payments of steadfast.clients: attemptTimeout: none (expected: a timeout",
        "Change steadfast.clients.payments");
  }

  @ParameterizedTest
  @CsvSource({
    "steadfast.clients.payments, maxAttempts=3",
    "steadfast.clients, payments",
    "steadfast.metrics, true"
  })
  void aTextInPlaceOfProperties(String property, String text) {
    assertTells(
        failure(property + "=" + text),
        "'" + property + "'",
        "expected: no value, but properties whose names begin with " + property + ".");
  }

  @Configuration(proxyBeanMethods = false)
  static class UsingWebClient {
    @Bean
    WebClient client(WebClient.Builder builder) {
      return builder.build();
    }
  }

  @Test
  void unknownKeys() {
    assertTells(
        failure("steadfast.clients.payments.idempotency=uuid"),
        "Property: steadfast.clients.payments.idempotency",
        "Value: \"uuid\"",
        "RANDOM_UUID");
  }

  @Test
  void anOriginThatIsNone() {
    assertTells(
        failure("steadfast.clients.payments.propagate-to=stock.internal"),
        "steadfast.clients.payments.propagate-to",
        "stock.internal",
        "expected");
  }

  @Test
  void anUnknownDefaultClient() {
    assertTells(
        failure("steadfast.clients.payments.policy=", "steadfast.default-client=payment"),
        "steadfast.default-client",
        "payment",
        "one of [payments]");
  }

  @Test
  void aPropertyThatIsMisspelt() {
    assertTells(
        failure("steadfast.clients.payments.idempotncy=stripe"),
        "Property: steadfast.clients.payments.idempotncy",
        "Value: \"stripe\"",
        "Did you mean",
        "steadfast.clients.payments.idempotency");
  }

  @ParameterizedTest
  @CsvSource({
    "steadfast.client.payments.policy, steadfast.clients.payments.policy",
    "steadfast.clients.payments.polcy, steadfast.clients.payments.policy",
    "steadfast.clients.payments.propagate, steadfast.clients.payments.propagate-to",
    "steadfast.payments.budget, steadfast.clients.payments.budget",
    "steadfast.defaultclient, steadfast.default-client",
    "steadfast.clients.payments.policy.max-attempts, steadfast.clients.payments.policy",
    "steadfast.clients.payments.max-attempts, steadfast.clients.payments.policy",
    "steadfast.default-client[0], steadfast.default-client",
    "steadfast.metric.enabled, steadfast.metrics.enabled",
    "steadfast.scope.enable, steadfast.scope.enabled"
  })
  void theNearestProperty(String wrong, String meant) {
    assertEquals(meant, UnknownPropertyAnalyzer.nearest(ConfigurationPropertyName.of(wrong)));
  }

  @ParameterizedTest
  @CsvSource({"http-components", "jetty", "reactor", "HTTP_COMPONENTS"})
  void aLibraryThatCannotBeWrapped(String named) {
    assertTells(
        failure(
            "steadfast.clients.payments.policy=",
            "spring.http.clients.imperative.factory=" + named),
        "spring.http.clients.imperative.factory",
        named,
        "the clients [payments] of steadfast.clients send through another library");
  }

  @Test
  void aLibraryThatIsNamedForClientsOfIt() {
    App.start(
            "steadfast.clients.payments.library=apache",
            "steadfast.default-client=payments",
            "spring.http.clients.imperative.factory=http-components")
        .close();
    assertTells(
        failure(
            "steadfast.clients.payments.library=apache",
            "spring.http.clients.imperative.factory=jetty"),
        "the clients [payments] of steadfast.clients send through another library");
  }

  @Test
  void theMetadataNamesEachProperty() throws IOException {
    try (InputStream metadata =
        getClass().getResourceAsStream("/META-INF/spring-configuration-metadata.json")) {
      String text = new String(metadata.readAllBytes(), StandardCharsets.UTF_8);
      assertTells(text, UnknownPropertyAnalyzer.properties().toArray(String[]::new));
      for (String each :
          List.of(
              "steadfast.clients",
              "steadfast.default-client",
              "steadfast.metrics.enabled",
              "steadfast.scope.enabled")) {
        assertTells(text, "\"name\": \"" + each + "\"");
      }
      for (String each : JournalProperties.names()) {
        assertTells(text, "\"name\": \"" + each + "\"");
        assertTells(Files.readString(Path.of("..", "docs", "spring.md")), "| `" + each + "` |");
      }
    }
  }
}
