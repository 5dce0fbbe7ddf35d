package dev.steadfast.retry.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.apache5.Apache5Retry;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.IdempotencyKeys;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.limit.AdaptiveLimit;
import dev.steadfast.retry.tck.Received;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import dev.steadfast.retry.testkit.FakeTime;
import java.io.InterruptedIOException;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.core5.util.Timeout;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.core.SpringVersion;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.http.client.ClientHttpResponse;
import org.springframework.util.LinkedMultiValueMap;
import org.springframework.util.MultiValueMap;
import org.springframework.web.client.HttpClientErrorException;
import org.springframework.web.client.HttpServerErrorException;
import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestTemplate;

final class RequestFactoryTest {
  record Payment(int cents) {}

  private static final String WRITTEN = "{\"cents\":1999}";
  private static final Duration SHORT = Duration.ofSeconds(1);

  private final FakeTime time = new FakeTime();
  @AutoClose private final ScriptedServer server = ScriptedServer.start();
  private final AtomicReference<RetryReport> report = new AtomicReference<>();

  private HttpRetry.Builder retry() {
    return HttpRetry.builder()
        .environment(time.environment())
        .listener(time.skipWaits())
        .idempotencyKeys(IdempotencyKeys.randomUuid());
  }

  private RestClient client(SpringClient client) {
    return RestClient.builder()
        .baseUrl(server.uri("").toString())
        .requestFactory(client.requests(retry().build()))
        .build();
  }

  private RestClient.RequestBodySpec post(RestClient client) {
    return client
        .post()
        .uri("/payments")
        .attributes(RetryAttributes.report(report::set))
        .contentType(MediaType.APPLICATION_JSON);
  }

  private List<String> bodies() {
    return server.requests().stream().map(Received::bodyText).toList();
  }

  @Test
  void runsOnTheVersionThatIsMeant() {
    assertEquals(System.getProperty("steadfast.expectedSpring"), SpringVersion.getVersion());
  }

  @ParameterizedTest
  @EnumSource
  void aJsonPostIsRetried_withOneKeyAndTheSameBytes(SpringClient client) {
    server.enqueue(
        Reply.closeAfterRequest(), Reply.status(503), Reply.status(201).body("\"paid\""));
    String answer = post(client(client)).body(new Payment(1999)).retrieve().body(String.class);
    assertEquals("\"paid\"", answer);
    assertEquals(List.of(WRITTEN, WRITTEN, WRITTEN), bodies());
    Set<Optional<String>> keys = new HashSet<>();
    for (Received each : server.requests()) {
      keys.add(each.header("Idempotency-Key"));
      assertEquals(Optional.of("14"), each.header("Content-Length"));
      assertTrue(each.header("Content-Type").orElseThrow().startsWith("application/json"));
    }
    assertEquals(1, keys.size());
    assertTrue(keys.iterator().next().isPresent());
    assertEquals(3, report.get().attempts());
    assertEquals(StopReason.ACCEPTED, report.get().reason());
  }

  @ParameterizedTest
  @EnumSource
  void aTemplateDoesTheSame(SpringClient client) {
    server.enqueue(Reply.status(503), Reply.status(200));
    RestTemplate template = new RestTemplate(client.requests(retry().build()));
    template.put(server.uri("/payments/1"), new Payment(1999));
    assertEquals(List.of(WRITTEN, WRITTEN), bodies());
  }

  @ParameterizedTest
  @EnumSource
  void requestsWithoutABodyHaveNone(SpringClient client) {
    server.enqueue(Reply.status(200), Reply.status(200), Reply.status(200));
    client(client).get().uri("/a").retrieve().toBodilessEntity();
    client(client).delete().uri("/a").retrieve().toBodilessEntity();
    client(client).post().uri("/a").retrieve().toBodilessEntity();
    assertEquals(List.of("", "", ""), bodies());
    if (client == SpringClient.APACHE) { // as with Spring's own factory
      assertEquals(Optional.of("0"), server.requests().get(1).header("Content-Length"));
    }
    assertEquals(Optional.of("0"), server.requests().get(2).header("Content-Length"));
  }

  @ParameterizedTest
  @EnumSource
  void aBodyHasOneFraming_whateverTheCallersHeadersSay(SpringClient client) {
    server.enqueue(Reply.status(503), Reply.status(200));
    post(client(client))
        .header("Transfer-Encoding", "chunked")
        .body("tea")
        .retrieve()
        .toBodilessEntity();
    assertEquals(List.of("tea", "tea"), bodies());
    for (Received each : server.requests()) {
      assertEquals(List.of(), each.headerValues("Transfer-Encoding"));
      assertEquals(List.of("3"), each.headerValues("Content-Length"));
    }
  }

  @ParameterizedTest
  @EnumSource
  void theCallerSeesTheLastAnswer(SpringClient client) {
    server.enqueue(
        Reply.status(503).body("one"),
        Reply.status(503).body("two"),
        Reply.status(503).header("X-Which", "three").body("three"));
    HttpServerErrorException thrown =
        assertThrows(
            HttpServerErrorException.ServiceUnavailable.class,
            () -> post(client(client)).body(new Payment(1)).retrieve().toBodilessEntity());
    assertEquals("three", thrown.getResponseBodyAsString());
    assertEquals("three", thrown.getResponseHeaders().getFirst("x-which"));
    assertEquals(StopReason.ATTEMPTS_EXHAUSTED, report.get().reason());
  }

  @ParameterizedTest
  @EnumSource
  void aFinalAnswerReachesTheErrorHandler(SpringClient client) {
    server.enqueue(Reply.status(409).body("taken"));
    HttpClientErrorException thrown =
        assertThrows(
            HttpClientErrorException.Conflict.class,
            () -> post(client(client)).body(new Payment(1)).retrieve().toBodilessEntity());
    assertEquals("taken", thrown.getResponseBodyAsString());
    assertEquals(StopReason.NOT_RETRYABLE, report.get().reason());
  }

  @ParameterizedTest
  @EnumSource
  void aFailureCarriesItsReport(SpringClient client) {
    server.defaultReply(Reply.closeAfterRequest());
    ResourceAccessException thrown =
        assertThrows(
            ResourceAccessException.class,
            () -> post(client(client)).body(new Payment(1)).retrieve().toBodilessEntity());
    assertEquals(3, RetryReport.of(thrown).orElseThrow().attempts());
    assertEquals(3, report.get().attempts());
  }

  @ParameterizedTest
  @EnumSource
  void anInterceptorFindsTheReportOnTheResponse(SpringClient client) {
    server.enqueue(Reply.status(503), Reply.status(200));
    AtomicReference<RetryReport> found = new AtomicReference<>();
    RestClient intercepted =
        client(client)
            .mutate()
            .requestInterceptor((request, body, execution) -> {
              var response = execution.execute(request, body);
              found.set(assertInstanceOf(RetryReport.Carrier.class, response).retryReport());
              return response;
            })
            .build();
    post(intercepted).body(new Payment(1)).retrieve().toBodilessEntity();
    assertEquals(2, found.get().attempts());
    assertEquals(2, report.get().attempts());
  }

  @ParameterizedTest
  @EnumSource
  void anInterceptorThatSendsTwiceBeginsTwoOperations(SpringClient client) {
    server.enqueue(Reply.status(503), Reply.status(401), Reply.status(503), Reply.status(200));
    List<RetryReport> reports = new ArrayList<>();
    RestClient renewing =
        client(client)
            .mutate()
            .requestInterceptor((request, body, execution) -> {
              try (ClientHttpResponse refused = execution.execute(request, body)) {
                assertEquals(401, refused.getStatusCode().value());
              }
              return execution.execute(request, body);
            })
            .build();
    renewing
        .post()
        .uri("/payments")
        .attributes(RetryAttributes.report(reports::add))
        .body(new Payment(1999))
        .retrieve()
        .toBodilessEntity();
    assertEquals(List.of(2, 2), reports.stream().map(RetryReport::attempts).toList());
    assertEquals(List.of(WRITTEN, WRITTEN, WRITTEN, WRITTEN), bodies());
    assertEquals(2, keys().size());
    assertEquals(1, server.connectionsAccepted());
  }

  private Set<Optional<String>> keys() {
    Set<Optional<String>> keys = new HashSet<>();
    server.requests().forEach(each -> keys.add(each.header("Idempotency-Key")));
    return keys;
  }

  @ParameterizedTest
  @EnumSource
  void aFormWithAFileIsSentAgain_withTheSameBoundary(SpringClient client) {
    server.enqueue(Reply.status(503), Reply.status(200));
    MultiValueMap<String, Object> form = new LinkedMultiValueMap<>();
    form.add("order", "4711");
    form.add(
        "bill",
        new ByteArrayResource(new byte[] {1, 2, 3}) {
          @Override
          public String getFilename() {
            return "bill.bin";
          }
        });
    client(client)
        .post()
        .uri("/bills")
        .contentType(MediaType.MULTIPART_FORM_DATA)
        .body(form)
        .retrieve()
        .toBodilessEntity();
    assertEquals(2, server.requests().size());
    assertEquals(bodies().get(0), bodies().get(1));
    assertTrue(bodies().get(0).contains("bill.bin"), bodies()::toString);
    String type = server.requests().get(1).header("Content-Type").orElseThrow();
    assertTrue(bodies().get(0).contains(type.split("boundary=", -1)[1].split(";", -1)[0]), type);
  }

  @ParameterizedTest
  @EnumSource
  void anErrorHandlerThatThrowsLeavesNoResponseOpen(SpringClient client) {
    server.enqueue(Reply.status(404).body("unread"), Reply.status(200).body("read"));
    RestClient rest = client(client);
    IllegalStateException mine = new IllegalStateException("mine");
    IllegalStateException thrown =
        assertThrows(
            IllegalStateException.class,
            () ->
                rest.get()
                    .uri("/a")
                    .retrieve()
                    .onStatus(
                        HttpStatusCode::isError,
                        (request, response) -> {
                          throw mine;
                        })
                    .toBodilessEntity());
    assertSame(mine, thrown);
    assertEquals("read", rest.get().uri("/b").retrieve().body(String.class));
    assertEquals(1, server.connectionsAccepted());
  }

  @ParameterizedTest
  @EnumSource
  void manyThreadsShareOneFactory(SpringClient client) throws Exception {
    Set<String> refusedOnce = ConcurrentHashMap.newKeySet();
    server.route(request ->
        refusedOnce.add(request.bodyText())
            ? Reply.status(503)
            : Reply.status(200).body(request.bodyText()));
    RetryBudget budget = RetryBudget.unlimited();
    RestClient shared =
        RestClient.builder()
            .baseUrl(server.uri("").toString())
            .requestFactory(client.requests(retry().budget(budget).build()))
            .build();
    List<String> answered = new CopyOnWriteArrayList<>();
    Thread[] callers = new Thread[8];
    for (int i = 0; i < callers.length; i++) {
      int first = i * 25;
      callers[i] =
          new Thread(() -> {
            for (int cents = first; cents < first + 25; cents++) {
              String answer =
                  shared
                      .post()
                      .uri("/payments")
                      .contentType(MediaType.APPLICATION_JSON)
                      .body(new Payment(cents))
                      .retrieve()
                      .body(String.class);
              assertEquals("{\"cents\":" + cents + "}", answer);
              answered.add(answer);
            }
          });
      callers[i].start();
    }
    for (Thread each : callers) {
      each.join();
    }
    assertEquals(200, new HashSet<>(answered).size());
    assertEquals(400, server.requests().size());
    assertEquals(200, keys().size());
  }

  @ParameterizedTest
  @EnumSource
  void optionsOfOneRequest(SpringClient client) {
    server.enqueue(Reply.status(503));
    RetryOptions once = RetryOptions.builder().idempotencyKey("mine").noRetry().build();
    assertThrows(
        HttpServerErrorException.class,
        () ->
            post(client(client))
                .attributes(RetryAttributes.options(once))
                .body(new Payment(1))
                .retrieve()
                .toBodilessEntity());
    assertEquals(Optional.of("mine"), server.requests().get(0).header("Idempotency-Key"));
  }

  @ParameterizedTest
  @EnumSource
  void aReadTimeoutEndsTheAttempt_andNotTheOperation(SpringClient client) {
    server.enqueue(Reply.stallAfterRequest(), Reply.status(200).body("late"));
    // Shorter than the 10 s after which both clients end an attempt by default.
    RetryPolicy policy = RetryPolicy.builder().totalTimeout(Duration.ofSeconds(9)).build();
    HttpRetry retry = HttpRetry.builder().policy(policy).build();
    RestClient impatient =
        RestClient.builder().requestFactory(client.readingFor(retry, SHORT)).build();
    String answer =
        impatient
            .get()
            .uri(server.uri("/slow"))
            .attributes(RetryAttributes.report(report::set))
            .retrieve()
            .body(String.class);
    assertEquals("late", answer);
    assertTrue(report.get().attempts() >= 2, "a slow machine may need another attempt");
  }

  @ParameterizedTest
  @EnumSource
  void aReadTimeoutEndsABodyThatStalls(SpringClient client) {
    server.enqueue(Reply.stalledBody(200, 10, "abc"));
    RestClient impatient =
        RestClient.builder().requestFactory(client.readingFor(HttpRetry.defaults(), SHORT)).build();
    assertThrows(
        ResourceAccessException.class,
        () ->
            impatient
                .get()
                .uri(server.uri("/stalls"))
                .exchange((request, response) -> response.getBody().readAllBytes()));
    assertEquals(1, server.requests().size());
  }

  @ParameterizedTest
  @EnumSource
  void anUnreadAnswerKeepsItsConnection(SpringClient client) {
    RestClient rest = client(client);
    server.enqueue(
        Reply.status(200).body("unread").chunked(),
        Reply.status(200).header("Content-Encoding", "gzip").body(Packed.gzip("unread")),
        Reply.status(200).body("unread").chunked());
    for (int i = 0; i < 3; i++) {
      rest.get().uri("/e").retrieve().toBodilessEntity();
    }
    assertEquals(1, server.connectionsAccepted());
  }

  @ParameterizedTest
  @EnumSource
  void unreadBodiesAreClosed(SpringClient client) throws Exception {
    RestClient rest = client(client);
    server.enqueue(Reply.status(200).body("unread"), Reply.status(404).body("unread"));
    rest.get().uri("/a").retrieve().toBodilessEntity();
    rest.get().uri("/b").exchange((request, response) -> response.getStatusCode());
    server.enqueue(Reply.status(503).body("discarded"), Reply.status(200).body("read"));
    rest.get().uri("/c").retrieve().body(String.class);
    assertEquals(1, server.connectionsAccepted());
    server.enqueue(Reply.endlessBody(200));
    rest.get().uri("/d").exchange((request, response) -> response.getStatusCode());
    server.awaitNoBusyConnections(Duration.ofSeconds(30));
  }

  @ParameterizedTest
  @EnumSource
  void anInterruptEndsTheWait(SpringClient client) throws Exception {
    CountDownLatch never = new CountDownLatch(1);
    server.defaultReply(Reply.status(200).delayUntil(never));
    AtomicReference<Throwable> thrown = new AtomicReference<>();
    AtomicReference<Boolean> flag = new AtomicReference<>();
    // OkHttp looks at the interrupt when its read timeout has passed.
    RestClient calls =
        RestClient.builder().requestFactory(client.readingFor(HttpRetry.defaults(), SHORT)).build();
    Thread caller =
        new Thread(() -> {
          try {
            calls.get().uri(server.uri("/a")).retrieve().toBodilessEntity();
          } catch (RuntimeException ended) {
            thrown.set(ended.getCause());
          }
          flag.set(Thread.currentThread().isInterrupted());
        });
    caller.start();
    server.takeRequest(Duration.ofSeconds(30));
    caller.interrupt();
    caller.join();
    never.countDown();
    assertInstanceOf(InterruptedIOException.class, thrown.get());
    assertEquals(StopReason.INTERRUPTED, RetryReport.of(thrown.get()).orElseThrow().reason());
    assertTrue(flag.get());
  }

  @ParameterizedTest
  @EnumSource
  void wrongSettingsAreRefused(SpringClient client) {
    HttpRetry retry = HttpRetry.defaults();
    assertEquals(
        "keepBodiesUpTo: -1 (expected: 0 to 1073741824)",
        assertThrows(IllegalArgumentException.class, () -> client.keeping(retry, -1)).getMessage());
    Duration negative = Duration.ofMillis(-1);
    assertThrows(IllegalArgumentException.class, () -> client.readingFor(retry, negative));
  }

  @ParameterizedTest
  @EnumSource
  void aReadTimeoutIsThatOfAnAttempt_shortOrLong(SpringClient client) {
    for (Duration each : List.of(SHORT, Duration.ofSeconds(30), Duration.ofMinutes(10))) {
      assertEquals(each, client.readTimeoutOf(client.readingFor(HttpRetry.defaults(), each)));
    }
    assertEquals(
        Duration.ZERO,
        client.readTimeoutOf(client.readingFor(HttpRetry.defaults(), Duration.ZERO)));
  }

  @Test
  void aReadTimeoutFromTheStartIsBoundEnoughForAnAdaptiveLimit() {
    HttpRetry retry =
        HttpRetry.builder()
            .policy(RetryPolicy.builder().noTotalTimeout().build())
            .guard(AdaptiveLimit.perOrigin())
            .build();
    HttpClient plain = HttpClient.newHttpClient();
    assertThrows(
        IllegalArgumentException.class, () -> RetryingJdkRequestFactory.wrap(plain, retry));
    assertThrows(
        IllegalArgumentException.class,
        () -> RetryingJdkRequestFactory.wrap(plain, retry, Duration.ZERO));
    RetryPolicy policy = RetryingJdkRequestFactory.wrap(plain, retry, SHORT).retry().policy();
    assertEquals(List.of(SHORT), policy.attemptTimeouts());
    assertEquals(Optional.of(SHORT), policy.bodyIdleTimeout());
  }

  @Test
  void anAdaptiveLimitNeedsAnEndOfAttempts_withHttpClientToo() {
    HttpRetry retry =
        HttpRetry.builder()
            .policy(RetryPolicy.builder().noTotalTimeout().build())
            .guard(AdaptiveLimit.perOrigin())
            .build();
    CloseableHttpClient endless = Apache5Retry.addTo(HttpClients.custom(), retry).build();
    assertThrows(IllegalArgumentException.class, () -> RetryingApacheRequestFactory.wrap(endless));
    assertThrows(
        IllegalArgumentException.class,
        () -> RetryingApacheRequestFactory.wrap(endless, Duration.ZERO));
    RetryingApacheRequestFactory ofSockets = RetryingApacheRequestFactory.wrap(endless, SHORT);
    assertThrows(IllegalArgumentException.class, () -> ofSockets.readTimeout(Duration.ZERO));
    assertEquals(SHORT, ofSockets.readTimeout(SHORT).config().getResponseTimeout().toDuration());

    RequestConfig config = RequestConfig.custom().setResponseTimeout(Timeout.of(SHORT)).build();
    CloseableHttpClient ends =
        Apache5Retry.addTo(HttpClients.custom().setDefaultRequestConfig(config), retry).build();
    assertEquals(retry, RetryingApacheRequestFactory.wrap(ends).retry());
  }
}
