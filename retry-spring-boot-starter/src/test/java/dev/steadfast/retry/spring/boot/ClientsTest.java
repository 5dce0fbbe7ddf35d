package dev.steadfast.retry.spring.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.http.IdempotencyKeys;
import dev.steadfast.retry.okhttp.RetryingCallFactory;
import dev.steadfast.retry.spring.RetryAttributes;
import dev.steadfast.retry.tck.Received;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.ssl.SSLContext;
import okhttp3.Request;
import okhttp3.Response;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.http.client.JdkClientHttpRequestFactoryBuilder;
import org.springframework.boot.http.client.autoconfigure.ClientHttpRequestFactoryBuilderCustomizer;
import org.springframework.boot.http.client.autoconfigure.service.HttpServiceClientPropertiesAutoConfiguration;
import org.springframework.boot.restclient.RestTemplateBuilder;
import org.springframework.boot.ssl.NoSuchSslBundleException;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.ssl.SslManagerBundle;
import org.springframework.boot.ssl.SslOptions;
import org.springframework.boot.ssl.SslStoreBundle;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.client.HttpServerErrorException;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestTemplate;
import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.annotation.PostExchange;
import org.springframework.web.service.registry.HttpServiceGroup.ClientType;
import org.springframework.web.service.registry.ImportHttpServices;
import reactor.core.Disposable;

/** Apache HttpClient 5 is on the class path of these tests, as in many applications. */
@ExtendWith(OutputCaptureExtension.class)
final class ClientsTest {
  record Payment(int cents) {}

  @HttpExchange("/payments")
  interface Payments {
    @PostExchange
    String pay(@RequestBody Payment payment);
  }

  @HttpExchange("/stock")
  interface Stock {
    @GetExchange
    String read();
  }

  @HttpExchange("/rates")
  interface Rates {
    @GetExchange
    String read();
  }

  @Configuration(proxyBeanMethods = false)
  @ImportHttpServices(group = "payments", types = Payments.class)
  @ImportHttpServices(group = "stock", types = Stock.class)
  @ImportHttpServices(group = "rates", types = Rates.class, clientType = ClientType.WEB_CLIENT)
  static class Groups {}

  private static final String POLICY = "backoff=none; maxAttempts=3";

  @AutoClose private final ScriptedServer server = ScriptedServer.start();

  private String url() {
    return server.uri("").toString();
  }

  private String baseUrl(String group) {
    return "spring.http.serviceclient." + group + ".base-url=" + url();
  }

  private static String policy(String client) {
    return "steadfast.clients." + client + ".policy=" + POLICY;
  }

  @ParameterizedTest
  @ValueSource(strings = {"jdk", "okhttp", "apache"})
  void aServiceGroupRetriesAPost_withOneKey(String library) {
    server.enqueue(Reply.closeAfterRequest(), Reply.status(503), Reply.status(201).body("paid"));
    try (ConfigurableApplicationContext app =
        App.start(
            Groups.class,
            baseUrl("payments"),
            policy("payments"),
            "steadfast.clients.payments.idempotency=random-uuid",
            "steadfast.clients.payments.library=" + library)) {
      assertEquals("paid", app.getBean(Payments.class).pay(new Payment(1999)));
    }
    Set<Optional<String>> keys = new HashSet<>();
    for (Received each : server.requests()) {
      assertEquals("{\"cents\":1999}", each.bodyText());
      keys.add(each.header("Idempotency-Key"));
    }
    assertEquals(3, server.requests().size());
    assertEquals(1, keys.size());
    assertTrue(keys.iterator().next().isPresent());
  }

  @Test
  void aClientThatFollowsRedirectsIsWarnedAboutOnce(CapturedOutput output) {
    App.start(
            Groups.class,
            "spring.http.clients.read-timeout=30s",
            policy("payments"),
            "steadfast.clients.payments.idempotency=random-uuid")
        .close();
    List<String> warnings =
        Warnings.in(output).stream()
            .filter(each -> !each.contains("steadfast.default-client")) // of Boot's other clients
            .toList();
    assertEquals(1, warnings.size(), warnings::toString);
    assertTrue(
        warnings.get(0).contains("spring.http.clients.redirects=dont-follow"), warnings::toString);
  }

  @Test
  void aGroupOfWebFluxRetries() {
    server.enqueue(Reply.status(503), Reply.status(200).body("1.07"));
    try (ConfigurableApplicationContext app =
        App.start(Groups.class, baseUrl("rates"), policy("rates"))) {
      assertEquals("1.07", app.getBean(Rates.class).read());
    }
  }

  @Test
  void cancellingAMonoEndsItsOperation_onTheWireAndWaiting() throws Exception {
    server.enqueue(Reply.stallAfterRequest(), Reply.status(503).header("Retry-After", "50"));
    try (ConfigurableApplicationContext app =
        App.start(baseUrl("a"), "steadfast.clients.a.policy=totalTimeout=none")) {
      SteadfastClient client = app.getBean(SteadfastClients.class).get("a");
      WebClient web = client.as(WebClient.Builder.class).build();
      for (int i = 0; i < 2; i++) {
        Disposable call = web.get().retrieve().bodyToMono(String.class).subscribe();
        server.takeRequest(Duration.ofSeconds(60));
        if (i == 1) {
          server.awaitNoBusyConnections(Duration.ofSeconds(60));
        }
        call.dispose();
        assertTrue(client.watch().awaitIdle(Duration.ofSeconds(60)));
      }
      server.awaitNoBusyConnections(Duration.ofSeconds(60));
    }
    assertEquals(2, server.requests().size());
  }

  @Test
  void whatIsNotManaged_staysUntouched() {
    server.enqueue(Reply.status(500), Reply.status(500));
    try (ConfigurableApplicationContext app =
        App.start(Groups.class, baseUrl("stock"), policy("payments"))) {
      Stock stock = app.getBean(Stock.class);
      assertThrows(HttpServerErrorException.class, stock::read);
      RestClient plain = app.getBean(RestClient.Builder.class).build();
      assertThrows(
          HttpServerErrorException.class,
          () -> plain.get().uri(url()).retrieve().toBodilessEntity());
    }
    assertEquals(2, server.requests().size());
    assertTrue(
        server.requests().get(1).header("User-Agent").orElseThrow().startsWith("Apache-HttpClient"),
        "Boot's choice");
  }

  @Test
  void theClientsByName() throws Exception {
    server.defaultReply(Reply.status(503));
    try (ConfigurableApplicationContext app =
        App.start(baseUrl("a"), policy("a"), policy("b"), "steadfast.clients.b.library=okhttp")) {
      SteadfastClients clients = app.getBean(SteadfastClients.class);
      assertEquals(Set.of("a", "b"), clients.names());
      AtomicReference<RetryReport> report = new AtomicReference<>();
      RestClient rest = clients.get("a").restClient().build();
      assertThrows(
          HttpServerErrorException.class,
          () ->
              rest.get()
                  .uri("/x")
                  .attributes(RetryAttributes.report(report::set))
                  .retrieve()
                  .toBodilessEntity());
      assertEquals(3, report.get().attempts());
      HttpResponse<Void> plain =
          clients
              .get("a")
              .httpClient()
              .send(
                  HttpRequest.newBuilder(server.uri("/y")).build(),
                  HttpResponse.BodyHandlers.discarding());
      assertEquals(503, plain.statusCode());
      assertEquals(
          503,
          clients
              .get("a")
              .as(WebClient.Builder.class)
              .build()
              .get()
              .uri("/z")
              .exchangeToMono(response -> response.toBodilessEntity())
              .block()
              .getStatusCode()
              .value());
      Request request = new Request.Builder().url(url()).build();
      RetryingCallFactory calls = clients.get("b").as(RetryingCallFactory.class);
      try (Response response = calls.newCall(request).execute()) {
        assertEquals(503, response.code());
      }
      assertEquals(12, server.requests().size());
      assertThrows(IllegalStateException.class, clients.get("b")::httpClient);
      assertEquals(
          "form: dev.steadfast.retry.okhttp.RetryingCallFactory (expected:"
              + " org.springframework.web.reactive.function.client.WebClient$Builder, as client a"
              + " sends through java.net.http)",
          assertThrows(
                  IllegalArgumentException.class,
                  () -> clients.get("a").as(RetryingCallFactory.class))
              .getMessage());
      assertThrows(
          IllegalArgumentException.class, () -> clients.get("b").as(WebClient.Builder.class));
      assertEquals(
          "client: c (expected: one of [a, b] in steadfast.clients)",
          assertThrows(IllegalArgumentException.class, () -> clients.get("c")).getMessage());
    }
  }

  @Test
  void aDefaultClientIsForAllBuildersOfBoot_butNotForGroupsWithTheirOwn() {
    server.defaultReply(Reply.status(503));
    try (ConfigurableApplicationContext app =
        App.start(
            Groups.class,
            baseUrl("stock"),
            baseUrl("payments"),
            policy("all"),
            "steadfast.clients.payments.policy=maxAttempts=1",
            "steadfast.clients.payments.idempotency=random-uuid",
            "steadfast.default-client=all")) {
      RestClient rest = app.getBean(RestClient.Builder.class).baseUrl(url()).build();
      assertThrows(HttpServerErrorException.class, () -> rest.get().retrieve().toBodilessEntity());
      assertEquals(3, server.requests().size());
      RestTemplate template = app.getBean(RestTemplateBuilder.class).build();
      assertThrows(
          HttpServerErrorException.class, () -> template.getForEntity(url(), String.class));
      assertEquals(6, server.requests().size());
      assertThrows(HttpServerErrorException.class, () -> app.getBean(Stock.class).read());
      assertEquals(9, server.requests().size());
      assertThrows(
          HttpServerErrorException.class, () -> app.getBean(Payments.class).pay(new Payment(1)));
      assertEquals(10, server.requests().size());
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class Customized {
    static final Executor EXECUTOR = Runnable::run;

    @Bean
    ClientHttpRequestFactoryBuilderCustomizer<JdkClientHttpRequestFactoryBuilder> version() {
      return builder ->
          builder.withHttpClientCustomizer(http -> http.priority(7).executor(EXECUTOR));
    }

    @Bean
    HttpRetryCustomizer keys() {
      return (client, retry) -> retry.idempotencyKeys(IdempotencyKeys.stripe());
    }

    @Bean
    SslBundles bundles() throws NoSuchAlgorithmException {
      SSLContext context = SSLContext.getDefault();
      SslManagerBundle managers =
          new SslManagerBundle() {
            @Override
            public javax.net.ssl.KeyManagerFactory getKeyManagerFactory() {
              throw new UnsupportedOperationException();
            }

            @Override
            public javax.net.ssl.TrustManagerFactory getTrustManagerFactory() {
              throw new UnsupportedOperationException();
            }

            @Override
            public SSLContext createSslContext(String protocol) {
              return context;
            }
          };
      SslBundle bundle = SslBundle.of(SslStoreBundle.NONE, null, SslOptions.NONE, "TLS", managers);
      return new SslBundles() {
        @Override
        public SslBundle getBundle(String name) {
          if (name.equals("internal")) {
            return bundle;
          }
          throw new NoSuchSslBundleException(name, "unknown");
        }

        @Override
        public void addBundleUpdateHandler(
            String name, java.util.function.Consumer<SslBundle> handler) {}

        @Override
        public void addBundleRegisterHandler(
            java.util.function.BiConsumer<String, SslBundle> handler) {}

        @Override
        public List<String> getBundleNames() {
          return List.of("internal");
        }
      };
    }
  }

  @Test
  void bootsSettingsAndTheCustomizersOfTheApplicationApply() throws Exception {
    try (ConfigurableApplicationContext app =
        App.start(
            Customized.class,
            policy("a"),
            "spring.http.clients.redirects=dont-follow",
            "spring.http.clients.connect-timeout=3s",
            "spring.http.clients.read-timeout=4s",
            "spring.http.serviceclient.a.connect-timeout=2s",
            "spring.http.serviceclient.a.ssl.bundle=internal")) {
      SteadfastClient client = app.getBean(SteadfastClients.class).get("a");
      HttpClient http = client.httpClient();
      assertEquals(HttpClient.Redirect.NEVER, http.followRedirects());
      assertEquals(Optional.of(Duration.ofSeconds(2)), http.connectTimeout());
      assertSame(SSLContext.getDefault(), http.sslContext());
      assertEquals(Optional.of(Customized.EXECUTOR), http.executor());
      assertTrue(client.retry().idempotencyKeys().isPresent());
      RetryPolicy effective = client.retry().policy();
      assertEquals(List.of(Duration.ofSeconds(4)), effective.attemptTimeouts());
      assertEquals(Optional.of(Duration.ofSeconds(4)), effective.bodyIdleTimeout());
    }
  }

  @Test
  void whatTheGroupSaysOfItsRequestsAppliesToBuilders() {
    try (ConfigurableApplicationContext app =
        App.start(
            baseUrl("a"),
            policy("a"),
            "spring.http.serviceclient.a.default-header.X-Shop=7",
            "spring.http.serviceclient.a.apiversion.default=2",
            "spring.http.serviceclient.a.apiversion.insert.header=X-Version")) {
      SteadfastClient client = app.getBean(SteadfastClients.class).get("a");
      client.restClient().build().get().uri("/x").retrieve().toBodilessEntity();
      client
          .as(WebClient.Builder.class)
          .build()
          .get()
          .uri("/y")
          .retrieve()
          .toBodilessEntity()
          .block();
    }
    assertEquals(2, server.requests().size());
    for (Received each : server.requests()) {
      assertEquals(Optional.of("7"), each.header("X-Shop"));
      assertEquals(Optional.of("2"), each.header("X-Version"));
    }
  }

  @Test
  void yamlReadsBudgetsAsNumbers_andAnEmptyClientHasTheDefaults(@TempDir Path directory)
      throws Exception {
    Files.writeString(
        directory.resolve("application.yml"),
        "steadfast.clients: {half: {budget: 0.5}, one: {budget: 1}, plain: {}}");
    try (ConfigurableApplicationContext app =
        App.start("spring.config.additional-location=" + directory.toUri())) {
      SteadfastClients clients = app.getBean(SteadfastClients.class);
      assertEquals("perOrigin(0.5)", clients.get("half").retry().plan().budget().toString());
      assertEquals("perOrigin(1.0)", clients.get("one").retry().plan().budget().toString());
      assertEquals(RetryPolicy.defaults(), clients.get("plain").retry().policy());
    }
  }

  @Test
  void aClientWithoutPropertiesHasTheDefaults_andThoseOfOtherSources(@TempDir Path directory)
      throws Exception {
    Files.writeString(
        directory.resolve("application.yml"),
        """
        steadfast:
          clients:
            nothing:
            tilde: ~
            empty: ""
            elsewhere:
        """);
    try (ConfigurableApplicationContext app =
        App.start(
            "spring.config.additional-location=" + directory.toUri(),
            "steadfast.clients.elsewhere.policy=maxAttempts=7")) {
      SteadfastClients clients = app.getBean(SteadfastClients.class);
      for (String each : List.of("nothing", "tilde", "empty")) {
        assertEquals(RetryPolicy.defaults(), clients.get(each).retry().policy());
      }
      assertEquals(7, clients.get("elsewhere").retry().policy().maxAttempts());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"steadfast:", "steadfast: {clients: }", "steadfast: {clients: {}}"})
  void noClients(String yaml, @TempDir Path directory) throws Exception {
    Files.writeString(directory.resolve("application.yml"), yaml);
    try (ConfigurableApplicationContext app =
        App.start("spring.config.additional-location=" + directory.toUri())) {
      assertEquals(Set.of(), app.getBean(SteadfastClients.class).names());
    }
  }

  @Test
  void aLazyApplicationRetriesToo() {
    server.enqueue(Reply.status(503), Reply.status(201).body("paid"));
    try (ConfigurableApplicationContext app =
        App.start(
            Groups.class,
            baseUrl("payments"),
            policy("payments"),
            "steadfast.clients.payments.idempotency=random-uuid",
            "spring.main.lazy-initialization=true")) {
      assertEquals("paid", app.getBean(Payments.class).pay(new Payment(1999)));
    }
    assertEquals(2, server.requests().size());
  }

  @Test
  void theEndOfAChildEndsNoClientOfItsParent() {
    server.enqueue(Reply.status(200).body("child"), Reply.status(200).body("parent"));
    try (ConfigurableApplicationContext parent = App.start(baseUrl("a"), policy("a"))) {
      try (ConfigurableApplicationContext child =
          new SpringApplicationBuilder(App.Empty.class)
              .parent(parent)
              .web(WebApplicationType.NONE)
              .bannerMode(Banner.Mode.OFF)
              .run()) {
        assertEquals("child", read(child));
      }
      assertEquals("parent", read(parent));
    }
  }

  private static String read(ConfigurableApplicationContext app) {
    RestClient client = app.getBean(SteadfastClients.class).get("a").restClient().build();
    return client.get().retrieve().body(String.class);
  }

  // As an ApplicationContextRunner makes one.
  @Test
  void aContextWithoutTheConversionsOfBootHasClients() {
    try (AnnotationConfigApplicationContext app = new AnnotationConfigApplicationContext()) {
      TestPropertyValues.of(policy("a"), "spring.lifecycle.timeout-per-shutdown-phase=7s")
          .applyTo(app);
      app.register(
          HttpServiceClientPropertiesAutoConfiguration.class, SteadfastAutoConfiguration.class);
      app.refresh();
      assertEquals(Set.of("a"), app.getBean(SteadfastClients.class).names());
    }
  }

  @Test
  void withoutPropertiesNothingHappens() {
    try (ConfigurableApplicationContext app = App.start()) {
      assertEquals(Set.of(), app.getBean(SteadfastClients.class).names());
      assertFalse(app.getBeansOfType(RestClient.Builder.class).isEmpty(), "Boot's beans are there");
      assertInstanceOf(SteadfastClients.class, app.getBean("steadfastClients"));
    }
  }
}
