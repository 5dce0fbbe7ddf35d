package dev.steadfast.retry.spring.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.limit.AdaptiveLimit;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import mockwebserver3.MockResponse;
import mockwebserver3.MockWebServer;
import mockwebserver3.RecordedRequest;
import okhttp3.Cookie;
import okhttp3.CookieJar;
import okhttp3.HttpUrl;
import okhttp3.OkHttpClient;
import okhttp3.TlsVersion;
import okhttp3.tls.HandshakeCertificates;
import okhttp3.tls.HeldCertificate;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.http.client.HttpClientSettings;
import org.springframework.boot.http.client.InetAddressFilter;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpStatusCode;
import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.client.RestClient;

/** What Boot's settings for HTTP clients do to both libraries, seen by servers. */
final class HttpSettingsTest {
  private static final HeldCertificate AUTHORITY =
      new HeldCertificate.Builder().certificateAuthority(0).build();
  private static final HeldCertificate SERVER = signedFor("localhost");
  private static final HeldCertificate SHOP = signedFor("shop");

  @AutoClose private final ScriptedServer server = ScriptedServer.start();
  @AutoClose private final MockWebServer secure = new MockWebServer();

  private static HeldCertificate signedFor(String name) {
    return new HeldCertificate.Builder()
        .commonName(name)
        .addSubjectAlternativeName(name)
        .signedBy(AUTHORITY)
        .build();
  }

  private static ConfigurableApplicationContext start(
      Class<?> configuration, String library, String... properties) {
    List<String> all = new ArrayList<>(List.of(properties));
    all.add("steadfast.clients.pay.policy=backoff=none");
    all.add("steadfast.clients.pay.library=" + library);
    return App.start(configuration, all.toArray(String[]::new));
  }

  private static RestClient pay(ConfigurableApplicationContext app) {
    return app.getBean(SteadfastClients.class).get("pay").restClient().build();
  }

  private static String get(ConfigurableApplicationContext app, Object url) {
    return pay(app).get().uri(url.toString()).retrieve().body(String.class);
  }

  private void startSecure() throws IOException {
    secure.useHttps(
        new HandshakeCertificates.Builder()
            .heldCertificate(SERVER)
            .addTrustedCertificate(AUTHORITY.certificate())
            .build()
            .sslSocketFactory());
    secure.start(InetAddress.getByName("localhost"), 0);
  }

  private static final String BUNDLE = "spring.ssl.bundle.pem.internal.";
  private static final String TRUST =
      BUNDLE + "truststore.certificate=" + AUTHORITY.certificatePem();

  @ParameterizedTest
  @ValueSource(strings = {"jdk", "okhttp", "apache"})
  void theBundleOfTheGroupIsTrusted_andShowsItsCertificate(String library) throws Exception {
    startSecure();
    secure.requireClientAuth();
    secure.enqueue(new MockResponse.Builder().code(503).build());
    secure.enqueue(new MockResponse.Builder().body("paid").build());
    try (ConfigurableApplicationContext app =
        start(
            App.Empty.class,
            library,
            TRUST,
            BUNDLE + "keystore.certificate=" + SHOP.certificatePem(),
            BUNDLE + "keystore.private-key=" + SHOP.privateKeyPkcs8Pem(),
            BUNDLE + "options.enabled-protocols=TLSv1.2",
            "spring.http.serviceclient.pay.ssl.bundle=internal")) {
      assertEquals("paid", get(app, secure.url("/")));
    }
    assertEquals(2, secure.getRequestCount());
    RecordedRequest seen = secure.takeRequest(60, TimeUnit.SECONDS);
    assertEquals("CN=shop", String.valueOf(seen.getHandshake().peerPrincipal()));
    assertEquals(TlsVersion.TLS_1_2, seen.getHandshake().tlsVersion());
  }

  @ParameterizedTest
  @ValueSource(strings = {"jdk", "okhttp", "apache"})
  void aServerThatTheBundleDoesNotTrustIsRefused(String library) throws Exception {
    startSecure();
    try (ConfigurableApplicationContext app =
        start(
            App.Empty.class,
            library,
            TRUST,
            "spring.http.serviceclient.other.ssl.bundle=internal")) {
      ResourceAccessException refused =
          assertThrows(ResourceAccessException.class, () -> get(app, secure.url("/")));
      assertInstanceOf(SSLException.class, refused.getCause());
    }
    assertEquals(0, secure.getRequestCount());
  }

  @ParameterizedTest
  @ValueSource(strings = {"jdk", "okhttp", "apache"})
  void redirectsOfTheGroup(String library) {
    server.route(request ->
        request.target().equals("/new")
            ? Reply.status(200).body("moved")
            : Reply.status(302).header("Location", "/new"));
    try (ConfigurableApplicationContext app = start(App.Empty.class, library)) {
      assertEquals("moved", get(app, server.uri("/old")));
    }
    try (ConfigurableApplicationContext app =
        start(
            App.Empty.class,
            library,
            "spring.http.clients.redirects=follow",
            "spring.http.serviceclient.pay.redirects=dont-follow")) {
      HttpStatusCode status =
          pay(app)
              .get()
              .uri(server.uri("/old"))
              .exchange((request, response) -> response.getStatusCode());
      assertEquals(302, status.value());
    }
  }

  /** Keeps cookies in memory. */
  @Configuration(proxyBeanMethods = false)
  static class WithJar {
    @Bean
    OkHttpClient withJar() {
      List<Cookie> kept = new ArrayList<>();
      CookieJar jar =
          new CookieJar() {
            @Override
            public void saveFromResponse(HttpUrl url, List<Cookie> cookies) {
              kept.addAll(cookies);
            }

            @Override
            public List<Cookie> loadForRequest(HttpUrl url) {
              return kept;
            }
          };
      return new OkHttpClient.Builder().cookieJar(jar).build();
    }
  }

  private Optional<String> cookieOfTheSecondRequest(
      Class<?> configuration, String library, String handling) {
    server.enqueue(Reply.status(503).header("Set-Cookie", "session=7"), Reply.status(200));
    try (ConfigurableApplicationContext app =
        start(configuration, library, "spring.http.clients.cookie-handling=" + handling)) {
      get(app, server.uri("/"));
    }
    int last = server.requests().size() - 1;
    return server.requests().get(last).header("Cookie");
  }

  @Test
  void cookies() {
    Optional<String> session = Optional.of("session=7");
    Optional<String> none = Optional.empty();
    Class<?> plain = App.Empty.class;
    assertEquals(session, cookieOfTheSecondRequest(plain, "jdk", "enable"));
    assertEquals(none, cookieOfTheSecondRequest(plain, "jdk", "disable"));
    assertEquals(none, cookieOfTheSecondRequest(plain, "okhttp", "enable-when-possible"));
    assertEquals(session, cookieOfTheSecondRequest(WithJar.class, "okhttp", "enable"));
    assertEquals(none, cookieOfTheSecondRequest(WithJar.class, "okhttp", "disable"));
  }

  /** No address of the loopback network but one. */
  @Configuration(proxyBeanMethods = false)
  static class Filtered {
    @Bean
    HttpClientSettings settings() {
      return HttpClientSettings.defaults().withInetAddressFilter(InetAddressFilter.of("127.0.0.1"));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"jdk", "okhttp", "apache"})
  void onlyAddressesThatTheFilterAllowsAreCalled(String library) {
    String other = "http://127.0.0.2:" + server.port() + "/";
    server.enqueue(Reply.status(200).body("allowed"));
    try (ConfigurableApplicationContext app = start(Filtered.class, library)) {
      assertEquals("allowed", get(app, server.uri("/")));
      RuntimeException refused = assertThrows(RuntimeException.class, () -> get(app, other));
      assertTrue(refused.getMessage().contains("127.0.0.2"), refused::toString);
    }
    assertEquals(1, server.requests().size());
  }

  // Only OkHttp: the JDK's client does not ask the filter about the target of a redirect.
  @Test
  void okHttpFollowsNoRedirectToAnotherAddress() {
    server.enqueue(Reply.status(302).header("Location", "http://127.0.0.2:" + server.port()));
    try (ConfigurableApplicationContext app = start(Filtered.class, "okhttp")) {
      assertThrows(SecurityException.class, () -> get(app, server.uri("/")));
    }
    assertEquals(1, server.requests().size());
  }

  @ParameterizedTest
  @ValueSource(strings = {"jdk", "okhttp", "apache"})
  void zeroIsNoTimeout(String library) {
    server.enqueue(Reply.status(200).body("paid"));
    try (ConfigurableApplicationContext app =
        start(
            App.Empty.class,
            library,
            "spring.http.clients.connect-timeout=0",
            "spring.http.clients.read-timeout=0")) {
      assertEquals("paid", get(app, server.uri("/")));
    }
  }

  @Test
  void aReadTimeoutIsTheAttemptTimeout_howeverLong() {
    try (ConfigurableApplicationContext app =
        start(App.Empty.class, "jdk", "spring.http.serviceclient.pay.read-timeout=30s")) {
      RetryPolicy policy = app.getBean(SteadfastClients.class).get("pay").retry().policy();
      assertEquals(List.of(Duration.ofSeconds(30)), policy.attemptTimeouts());
      assertEquals(Optional.of(Duration.ofSeconds(30)), policy.bodyIdleTimeout());
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
  @ValueSource(strings = {"jdk", "okhttp", "apache"})
  void aReadTimeoutIsBoundEnoughForAnAdaptiveLimit(String library) {
    server.enqueue(Reply.status(200).body("paid"));
    try (ConfigurableApplicationContext app =
        start(Limited.class, library, "spring.http.clients.read-timeout=30s")) {
      assertEquals("paid", get(app, server.uri("/")));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"jdk", "okhttp", "apache"})
  void withoutOneAnAdaptiveLimitIsRefused(String library) {
    RuntimeException refused =
        assertThrows(
            RuntimeException.class,
            () -> start(Limited.class, library, "spring.http.clients.read-timeout=0").close());
    assertTrue(refused.getMessage().contains("attemptTimeout: none"), refused::toString);
    Failures.take();
  }

  @ParameterizedTest
  @ValueSource(strings = {"jdk", "okhttp", "apache"})
  void aReadTimeoutOfTheGroupEndsAnAttempt_andNoBodyWhoseBytesFlow(String library)
      throws Exception {
    secure.start();
    MockResponse.Builder slow =
        new MockResponse.Builder().body("in 2 seconds").throttleBody(3, 500, TimeUnit.MILLISECONDS);
    secure.enqueue(slow.build());
    server.enqueue(Reply.stallAfterRequest(), Reply.status(200).body("second"));
    try (ConfigurableApplicationContext app =
        start(App.Empty.class, library, "spring.http.serviceclient.pay.read-timeout=1500ms")) {
      assertEquals("in 2 seconds", get(app, secure.url("/")));
      assertEquals("second", get(app, server.uri("/")));
    }
    assertEquals(1, secure.getRequestCount());
  }

  @Test
  void severalClientsOfOkHttpAreNotLeftOut() {
    RuntimeException refused =
        assertThrows(RuntimeException.class, () -> start(TwoClients.class, "okhttp").close());
    assertTrue(refused.getMessage().contains("found 2: one,two"), refused::toString);
    Failures.take();
  }

  @Configuration(proxyBeanMethods = false)
  static class TwoClients {
    @Bean
    OkHttpClient one() {
      return new OkHttpClient();
    }

    @Bean
    OkHttpClient two() {
      return new OkHttpClient();
    }
  }
}
