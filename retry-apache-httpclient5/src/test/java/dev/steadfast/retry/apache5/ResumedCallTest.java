package dev.steadfast.retry.apache5;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.IdempotencyKeys;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.operations.OperationJournal.Intent;
import dev.steadfast.retry.operations.OperationJournal.Settings;
import dev.steadfast.retry.operations.OperationJournal.State;
import dev.steadfast.retry.tck.Received;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import dev.steadfast.retry.tck.internal.JournalUnderTest;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.hc.client5.http.async.methods.SimpleHttpResponse;
import org.apache.hc.client5.http.async.methods.SimpleResponseConsumer;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.classic.methods.HttpUriRequestBase;
import org.apache.hc.client5.http.impl.async.CloseableHttpAsyncClient;
import org.apache.hc.client5.http.impl.async.HttpAsyncClients;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClientBuilder;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.protocol.HttpClientContext;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.HttpEntity;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.http.io.entity.ByteArrayEntity;
import org.apache.hc.core5.http.io.entity.InputStreamEntity;
import org.apache.hc.core5.http.io.entity.StringEntity;
import org.apache.hc.core5.http.message.BasicClassicHttpRequest;
import org.apache.hc.core5.http.message.BasicHttpRequest;
import org.apache.hc.core5.http.nio.AsyncEntityProducer;
import org.apache.hc.core5.http.nio.entity.BasicAsyncEntityProducer;
import org.apache.hc.core5.http.nio.support.BasicRequestProducer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A journal keeps enough of a request to send it again as it was. */
class ResumedCallTest {
  private static final RetryOptions ONCE =
      RetryOptions.builder().journaled("charge", "order-1").noRetry().build();

  private final ScriptedServer server = ScriptedServer.start();
  private final JournalUnderTest journal = new JournalUnderTest(null);
  private final HttpRetry retry =
      Parts.retry().journal(journal).idempotencyKeys(IdempotencyKeys.randomUuid()).build();
  private final CloseableHttpClient client = client(HttpClients.custom());

  private CloseableHttpClient client(HttpClientBuilder builder) {
    return Apache5Retry.addTo(builder, retry).build();
  }

  @AfterEach
  void close() throws IOException {
    Thread.interrupted();
    client.close();
    server.close();
  }

  private HttpUriRequestBase request(String method, HttpEntity entity) {
    HttpUriRequestBase request =
        new HttpUriRequestBase(method, server.uri("/pay?order=1&note=a%20b"));
    request.addHeader("Accept", "application/json");
    request.addHeader("Accept", "text/json");
    request.addHeader("Authorization", "secret");
    request.setEntity(entity);
    return request;
  }

  private HttpUriRequestBase post(String body) {
    return request("POST", new StringEntity(body, ContentType.APPLICATION_JSON));
  }

  private String send(HttpUriRequestBase request) throws IOException {
    return client.execute(
        request,
        Apache5Retry.with(HttpClientContext.create(), ONCE),
        response -> response.getCode() + " " + Parts.text(response));
  }

  static Stream<Arguments> requests() {
    return Stream.of(
        Arguments.of("GET", null),
        Arguments.of("GET", new StringEntity("{}")),
        Arguments.of("HEAD", null),
        Arguments.of("POST", new StringEntity("{}", ContentType.APPLICATION_JSON)),
        Arguments.of("POST", new StringEntity("", (ContentType) null)),
        Arguments.of("POST", null),
        Arguments.of("POST", new ByteArrayEntity(new byte[] {0, -1, 13, 10}, null)),
        Arguments.of("POST", new ByteArrayEntity(new byte[] {31}, null, "gzip")),
        Arguments.of("PUT", new StringEntity("{}")),
        Arguments.of("PUT", null),
        Arguments.of("PATCH", new StringEntity("{}")),
        Arguments.of("DELETE", null),
        Arguments.of("DELETE", new StringEntity("{}")));
  }

  @ParameterizedTest
  @MethodSource("requests")
  void theSecondRequestIsTheFirst(String method, HttpEntity entity) throws Exception {
    server.enqueue(Reply.status(500), Reply.status(200));
    send(request(method, entity));

    Apache5Retry.sender(client).send(journal, journal.intents().get(0));

    Received first = server.requests().get(0);
    Received second = server.requests().get(1);
    assertEquals(first.method(), second.method());
    assertEquals(first.target(), second.target());
    assertArrayEquals(first.body(), second.body());
    Map<String, String> kept = first.headerMap();
    assertEquals("secret", kept.remove("authorization"), "never kept");
    assertEquals(kept, second.headerMap());
    assertEquals(State.READY, journal.endings().get(0).state());
    assertEquals(State.SUCCEEDED, journal.endings().get(1).state());
  }

  @Test
  void whatAnswersTheSecondRequestIsKeptForTheCaller() throws Exception {
    server.enqueue(Reply.status(500), Reply.status(201).body("charged"));
    send(post("5"));
    Apache5Retry.sender(client).send(journal, journal.intents().get(0));
    assertEquals("201 charged", send(post("5")));
    assertEquals(2, server.requests().size());
  }

  @Test
  void whatIsEnlistedIsWhatACallClaims() throws Exception {
    Intent enlisted = Intent.of(Apache5Retry.intent(client, post("5"), ONCE));
    server.enqueue(Reply.status(200));
    send(post("5"));
    JournalUnderTest.assertSame(journal.intents().get(0), enlisted);
    assertEquals(1, journal.claims(), "enlisting is the journal's own");
  }

  // ---- what the asynchronous client enlists and begins is resumed through the blocking one

  private SimpleHttpResponse sendAsync(String method, HttpEntity entity) throws Exception {
    try (CloseableHttpAsyncClient async =
        Apache5Retry.addTo(HttpAsyncClients.custom(), retry).build()) {
      async.start();
      BasicHttpRequest request = new BasicHttpRequest(method, request(method, null).getUri());
      request.setHeaders(request(method, null).getHeaders());
      return async
          .execute(
              new BasicRequestProducer(request, entity == null ? null : producer(entity)),
              SimpleResponseConsumer.create(),
              Apache5Retry.with(HttpClientContext.create(), ONCE),
              null)
          .get();
    }
  }

  private static AsyncEntityProducer producer(HttpEntity entity) throws IOException {
    ContentType type = ContentType.parseLenient(entity.getContentType());
    byte[] bytes = entity.getContent().readAllBytes();
    return entity.getContentEncoding() == null
        ? new BasicAsyncEntityProducer(bytes, type)
        : new TestProducer(bytes, true, false) {
          @Override
          public String getContentEncoding() {
            return entity.getContentEncoding();
          }

          @Override
          public long getContentLength() {
            return bytes.length;
          }

          @Override
          public boolean isChunked() {
            return false;
          }
        };
  }

  @ParameterizedTest
  @MethodSource("requests")
  void anAsynchronousCallClaimsWhatIsEnlisted(String method, HttpEntity entity) throws Exception {
    Intent enlisted = Intent.of(Apache5Retry.intent(client, request(method, entity), ONCE));
    server.enqueue(Reply.status(200));
    sendAsync(method, entity);
    JournalUnderTest.assertSame(journal.intents().get(0), enlisted);
  }

  @ParameterizedTest
  @MethodSource("requests")
  void anAsynchronousCallIsResumed(String method, HttpEntity entity) throws Exception {
    server.enqueue(Reply.status(500), Reply.status(200).header("ETag", "1"));
    assertEquals(500, sendAsync(method, entity).getCode());

    Apache5Retry.sender(client).send(journal, journal.intents().get(0));

    Received first = server.requests().get(0);
    Received second = server.requests().get(1);
    assertEquals(first.method(), second.method());
    assertEquals(first.target(), second.target());
    assertArrayEquals(first.body(), second.body());
    assertEquals(
        first.header("Idempotency-Key"), second.header("Idempotency-Key"), "one operation");
    assertEquals(first.header("Content-Type"), second.header("Content-Type"));
    assertEquals(State.SUCCEEDED, journal.endings().get(1).state());
    SimpleHttpResponse kept = sendAsync(method, entity);
    assertEquals("1", kept.getFirstHeader("ETag").getValue());
    assertEquals(2, server.requests().size());
  }

  @Test
  void whatCannotBeEnlistedIsRefused() {
    HttpUriRequestBase upgrade = post("5");
    upgrade.setHeader("Upgrade", "websocket");
    HttpUriRequestBase stream =
        request("POST", new InputStreamEntity(new ByteArrayInputStream(new byte[3]), null));
    assertRefused("operation", () -> Apache5Retry.intent(client, post("5"), RetryOptions.none()));
    assertRefused("upgrade", () -> Apache5Retry.intent(client, upgrade, ONCE));
    assertRefused("fingerprint", () -> Apache5Retry.intent(client, stream, ONCE));
    assertRefused(
        "absolute URI",
        () -> Apache5Retry.intent(client, new BasicClassicHttpRequest("POST", "/pay"), ONCE));
    assertThrows(NullPointerException.class, () -> Apache5Retry.intent(client, null, ONCE));
    assertThrows(NullPointerException.class, () -> Apache5Retry.sender(null));
  }

  private static void assertRefused(String says, org.junit.jupiter.api.function.Executable what) {
    IllegalArgumentException refused = assertThrows(IllegalArgumentException.class, what);
    assertTrue(refused.getMessage().contains(says), refused.getMessage());
  }

  /** It would send what the journal has, and nobody would note it. */
  @Test
  void aClientWithoutRetriesIsRefusedAndSendsNothing() throws Exception {
    server.defaultReply(Reply.status(200));
    try (CloseableHttpClient plain = HttpClients.createDefault()) {
      assertRefused("Apache5Retry.addTo", () -> Apache5Retry.sender(plain));
      assertRefused("Apache5Retry.addTo", () -> Apache5Retry.intent(plain, post("5"), ONCE));
    }
    HttpHost proxy = new HttpHost("http", "localhost", server.port());
    try (CloseableHttpClient byProxy = HttpClients.custom().setProxy(proxy).build()) {
      assertRefused("Apache5Retry.addTo", () -> Apache5Retry.configuration(byProxy));
    }
    assertEquals(List.of(), server.requests());
    assertEquals(0, server.connectionsAccepted());
  }

  @Test
  void aClientWithRetriesTellsItsConfiguration() throws Exception {
    assertSame(retry, Apache5Retry.configuration(client));
    HttpClientBuilder around = Apache5Retry.addTo(HttpClients.custom(), retry);
    around.addExecInterceptorFirst(
        "mine", (request, scope, chain) -> chain.proceed(request, scope));
    try (CloseableHttpClient other = around.build()) {
      assertSame(retry, Apache5Retry.configuration(other));
    }
    assertEquals(0, server.connectionsAccepted());
  }

  /** The client that enlists and the one that sends may be two. */
  @Test
  void credentialsAndHandlersAreThoseOfTheClientThatResumes() throws Exception {
    Intent due = Intent.of(Apache5Retry.intent(client, post("5"), ONCE));
    server.enqueue(Reply.status(302).header("Location", "/done"), Reply.status(200));
    HttpClientBuilder builder =
        HttpClients.custom()
            .addRequestInterceptorFirst((r, e, c) -> r.setHeader("Authorization", "mine"));
    try (CloseableHttpClient other = client(builder)) {
      Apache5Retry.sender(other).send(journal, due);
    }
    assertEquals("mine", server.requests().get(0).header("Authorization").orElseThrow());
    assertEquals("/done", server.requests().get(1).target(), "redirects are followed");
  }

  @Test
  void aResumedOneIsRetriedByThePolicyOfItsClient() throws Exception {
    Intent due = Intent.of(Apache5Retry.intent(client, post("5"), ONCE));
    server.enqueue(Reply.status(503), Reply.closeAfterRequest(), Reply.status(200));
    Apache5Retry.sender(client).send(journal, due);
    assertEquals(3, server.requests().size());
    assertEquals(
        1,
        server.requests().stream().map(each -> each.header("Idempotency-Key")).distinct().count());
    assertEquals(State.SUCCEEDED, journal.endings().get(0).state());
  }

  @Test
  void withoutItsBodyARequestCannotBeResumed() {
    journal.settings(Settings.defaults().addedByClient("Authorization").withoutRequestBodies());
    Intent bodiless = Intent.of(Apache5Retry.intent(client, post("5"), ONCE));
    IllegalArgumentException refused =
        assertThrows(
            IllegalArgumentException.class,
            () -> Apache5Retry.sender(client).send(journal, bodiless));
    assertFalse(refused.getMessage().contains("order-1"), "the key may be a secret");
    assertEquals(0, server.requests().size());
  }

  @Test
  void aFailureIsThrown() {
    Intent due = Intent.of(Apache5Retry.intent(client, post("5"), ONCE));
    journal.onClaim(JournalUnderTest.unreachable());
    assertInstanceOf(
        dev.steadfast.retry.operations.OperationJournal.RefusedException.class,
        assertThrows(IOException.class, () -> Apache5Retry.sender(client).send(journal, due)));
    assertEquals(0, server.requests().size());
  }

  @Test
  void anInterruptEndsTheSender() {
    Intent due = Intent.of(Apache5Retry.intent(client, post("5"), ONCE));
    Thread.currentThread().interrupt();
    assertThrows(InterruptedException.class, () -> Apache5Retry.sender(client).send(journal, due));
    assertFalse(Thread.currentThread().isInterrupted(), "told once");
    assertEquals(0, server.requests().size());
  }

  @Test
  void theCallersOwnCancelIsAsBefore() {
    HttpGet get = new HttpGet(server.uri("/a"));
    get.cancel();
    assertThrows(IOException.class, () -> send(get));
    assertEquals(0, server.requests().size());
  }
}
