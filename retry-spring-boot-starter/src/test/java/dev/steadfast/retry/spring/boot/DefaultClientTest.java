package dev.steadfast.retry.spring.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import mockwebserver3.MockResponse;
import mockwebserver3.MockWebServer;
import okhttp3.tls.HandshakeCertificates;
import okhttp3.tls.HeldCertificate;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.restclient.RestTemplateBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.web.client.RestTemplate;

/** A default client keeps the settings that a group or a builder of templates has of its own. */
final class DefaultClientTest {
  private static final HeldCertificate SERVER =
      new HeldCertificate.Builder().addSubjectAlternativeName("localhost").build();

  @AutoClose private final ScriptedServer server = ScriptedServer.start();
  @AutoClose private final MockWebServer secure = new MockWebServer();

  private ConfigurableApplicationContext start(String library, String... more) {
    List<String> all = new ArrayList<>(List.of(more));
    all.add("steadfast.default-client=all");
    if (all.stream().noneMatch(each -> each.contains(".policy="))) {
      all.add("steadfast.clients.all.policy=backoff=none; totalTimeout=10s");
    }
    all.add("steadfast.clients.all.library=" + library);
    for (String group : List.of("stock", "rates")) {
      String url = "spring.http.serviceclient." + group + ".base-url=";
      if (all.stream().noneMatch(each -> each.startsWith(url))) {
        all.add(url + server.uri(""));
      }
    }
    Class<?> groups = library.equals("jdk") ? ClientsTest.Groups.class : StartCheckTest.Shop.class;
    return App.start(groups, all.toArray(String[]::new));
  }

  private static RestTemplate template(ConfigurableApplicationContext app) {
    return app.getBean(RestTemplateBuilder.class).readTimeout(Duration.ofSeconds(1)).build();
  }

  private void stallOnce() {
    server.enqueue(Reply.stallAfterRequest(), Reply.status(200).body("second"));
  }

  @Test
  void theTimeoutOfAGroupEndsAnAttempt() {
    stallOnce();
    try (ConfigurableApplicationContext app =
        start("jdk", "spring.http.serviceclient.stock.read-timeout=1s")) {
      assertEquals("second", app.getBean(ClientsTest.Stock.class).read());
    }
  }

  @Test
  void theTimeoutOfAGroupOfWebFluxEndsAnAttempt() {
    stallOnce();
    try (ConfigurableApplicationContext app =
        start("jdk", "spring.http.serviceclient.rates.read-timeout=1s")) {
      assertEquals("second", app.getBean(ClientsTest.Rates.class).read());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"jdk", "okhttp", "apache"})
  void theTimeoutOfATemplateEndsAnAttempt(String library) {
    stallOnce();
    try (ConfigurableApplicationContext app = start(library)) {
      assertEquals("second", template(app).getForObject(server.uri("/"), String.class));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"jdk", "okhttp", "apache"})
  void theBundleOfAGroupIsTrusted(String library) throws IOException {
    secure.useHttps(
        new HandshakeCertificates.Builder().heldCertificate(SERVER).build().sslSocketFactory());
    secure.start(InetAddress.getByName("localhost"), 0);
    secure.enqueue(new MockResponse.Builder().code(503).build());
    secure.enqueue(new MockResponse.Builder().body("7").build());
    try (ConfigurableApplicationContext app =
        start(
            library,
            "spring.ssl.bundle.pem.internal.truststore.certificate=" + SERVER.certificatePem(),
            "spring.http.serviceclient.stock.ssl.bundle=internal",
            "spring.http.serviceclient.stock.base-url=" + secure.url("/"))) {
      assertEquals(
          "7",
          library.equals("jdk")
              ? app.getBean(ClientsTest.Stock.class).read()
              : app.getBean(StartCheckTest.Stock.class).read());
    }
  }

  @Test
  void theSameSettingsHaveOneRequestFactory() {
    try (ConfigurableApplicationContext app = start("jdk")) {
      assertSame(template(app).getRequestFactory(), template(app).getRequestFactory());
      assertSame(
          app.getBean(SteadfastClients.class).get("all").requestFactory(),
          app.getBean(RestTemplateBuilder.class).build().getRequestFactory());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"jdk", "okhttp", "apache"})
  void theEndOfTheApplicationEndsItsOperations(String library) throws Exception {
    server.enqueue(Reply.status(503).header("Retry-After", "50"));
    CompletableFuture<String> call;
    try (ConfigurableApplicationContext app =
        start(
            library,
            "spring.lifecycle.timeout-per-shutdown-phase=1s",
            "steadfast.clients.all.policy=totalTimeout=none")) {
      RestTemplate template = template(app);
      call =
          CompletableFuture.supplyAsync(() -> template.getForObject(server.uri("/"), String.class));
      server.takeRequest(Duration.ofSeconds(60));
      server.awaitNoBusyConnections(Duration.ofSeconds(60));
    }
    assertThrows(ExecutionException.class, () -> call.get(30, TimeUnit.SECONDS));
  }
}
