package dev.steadfast.retry.okhttp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.IdempotencyKeys;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.operations.OperationJournal.Intent;
import dev.steadfast.retry.operations.OperationJournal.Settings;
import dev.steadfast.retry.operations.OperationJournal.State;
import dev.steadfast.retry.tck.Received;
import dev.steadfast.retry.tck.RefusedPort;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import dev.steadfast.retry.tck.internal.JournalUnderTest;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import okhttp3.Call;
import okhttp3.MediaType;
import okhttp3.Request;
import okhttp3.RequestBody;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A journal keeps enough of a request to send it again as it was. */
class ResumedCallTest {
  private static final RequestBody NOTHING = RequestBody.create(new byte[0], null);
  private static final RequestBody JSON = RequestBody.create("{}", MediaType.get("text/json"));

  private final ScriptedServer server = ScriptedServer.start();
  private final Rig rig = new Rig();
  private final JournalUnderTest journal = new JournalUnderTest(null);
  private final RetryingCallFactory calls =
      rig.factory(
          rig.retry().journal(journal).idempotencyKeys(IdempotencyKeys.randomUuid()).build());

  @AfterEach
  void close() throws Exception {
    Thread.interrupted();
    rig.close();
    server.assertNoLeaks();
    server.close();
  }

  private static RetryOptions once(String key) {
    return RetryOptions.builder().journaled("charge", key).noRetry().build();
  }

  private Request.Builder request() {
    return new Request.Builder()
        .url(server.uri("/pay?order=1&note=a%20b").toString())
        .header("Accept", "application/json")
        .header("Authorization", "secret")
        .tag(RetryOptions.class, once("order-1"));
  }

  static Stream<Arguments> requests() {
    return Stream.of(
        Arguments.of("GET", null),
        Arguments.of("HEAD", null),
        Arguments.of("POST", JSON),
        Arguments.of("POST", NOTHING),
        Arguments.of("POST", RequestBody.create("", MediaType.get("text/json"))),
        Arguments.of("POST", RequestBody.create("text", MediaType.get("text/plain"))),
        Arguments.of("POST", RequestBody.create(new byte[] {0, -1, 13, 10}, null)),
        Arguments.of("PUT", JSON),
        Arguments.of("PUT", NOTHING),
        Arguments.of("PATCH", JSON),
        Arguments.of("DELETE", NOTHING),
        Arguments.of("DELETE", null),
        Arguments.of("DELETE", JSON));
  }

  @ParameterizedTest
  @MethodSource("requests")
  void theSecondRequestIsTheFirst(String method, RequestBody body) throws Exception {
    Request request = request().method(method, body).build();
    server.enqueue(Reply.status(500), Reply.status(200));
    calls.newCall(request).execute().close();

    calls.sender().send(journal, journal.intents().get(0));

    Received first = server.requests().get(0);
    Received second = server.requests().get(1);
    assertEquals(first.method(), second.method());
    assertEquals(first.target(), second.target());
    assertArrayEquals(first.body(), second.body());
    Map<String, String> kept = headers(first);
    assertEquals("secret", kept.remove("authorization"), "never kept");
    assertEquals(kept, headers(second));
    assertEquals(
        List.of(State.READY, State.SUCCEEDED),
        journal.endings().stream().map(each -> each.state()).collect(Collectors.toList()));
  }

  // No body and an empty one mean the same.
  private static Map<String, String> headers(Received request) {
    Map<String, String> headers = request.headerMap();
    headers.remove("content-length", "0");
    return headers;
  }

  @Test
  void theTypeOfTheBodyCountsAsOneOfTheHeaders_andWinsOverThem() throws Exception {
    server.enqueue(Reply.status(500), Reply.status(200));
    calls.newCall(request().header("Content-Type", "a/b").post(JSON).build()).execute().close();
    calls.sender().send(journal, journal.intents().get(0));
    for (Received each : server.requests()) {
      assertEquals(List.of("text/json; charset=utf-8"), each.headerValues("Content-Type"));
    }
  }

  @Test
  void aBodyWithoutATypeGoesOutWithTheTypeInTheHeaders() throws Exception {
    server.enqueue(Reply.status(500), Reply.status(200));
    RequestBody untyped = RequestBody.create("{}", null);
    calls.newCall(request().header("Content-Type", "a/b").post(untyped).build()).execute().close();
    calls.sender().send(journal, journal.intents().get(0));
    for (Received each : server.requests()) {
      assertEquals(List.of("a/b"), each.headerValues("Content-Type"));
    }
  }

  @Test
  void aBodyOfUnknownLengthIsSentWithItsLength() throws Exception {
    server.enqueue(Reply.status(500), Reply.status(200));
    calls.newCall(request().put(Bodies.streaming(3)).build()).execute().close();
    calls.sender().send(journal, journal.intents().get(0));
    Received second = server.requests().get(1);
    assertEquals(server.requests().get(0).bodyText(), second.bodyText());
    assertEquals("text/plain", second.header("Content-Type").orElseThrow());
  }

  @Test
  void whatAnswersTheSecondRequestIsKeptForTheCaller() throws Exception {
    Request request = request().post(JSON).build();
    server.enqueue(Reply.status(500), Reply.status(201).body("charged"));
    calls.newCall(request).execute().close();
    calls.sender().send(journal, journal.intents().get(0));
    Entry.Outcome outcome = Entry.EXECUTE.make(calls.newCall(request));
    assertEquals("charged", outcome.body());
    assertTrue(outcome.report().saved().orElseThrow().handedBack());
  }

  @Test
  void whatIsEnlistedIsWhatACallClaims() throws Exception {
    Request request = request().post(JSON).build();
    Intent enlisted = Intent.of(calls.intent(request));
    server.enqueue(Reply.status(200));
    calls.newCall(request).execute().close();
    JournalUnderTest.assertSame(journal.intents().get(0), enlisted);
    assertEquals(1, journal.claims(), "enlisting is the journal's own");
  }

  @Test
  void whatCannotBeEnlistedIsRefused() {
    Request unnamed = request().tag(RetryOptions.class, null).build();
    assertThrows(IllegalArgumentException.class, () -> calls.intent(unnamed));
    Request upgrade = unnamed.newBuilder().header("Upgrade", "websocket").build();
    assertThrows(IllegalArgumentException.class, () -> calls.intent(upgrade));
  }

  static Stream<Arguments> notJournaled() {
    return Stream.of(
        Arguments.of(new Request.Builder().header("Upgrade", "websocket")),
        Arguments.of(new Request.Builder().post(Bodies.duplex())));
  }

  @ParameterizedTest
  @MethodSource("notJournaled")
  void whatNoJournalCanKeepIsRefused(Request.Builder builder) {
    Request request =
        builder.url(server.uri("/a").toString()).tag(RetryOptions.class, once("order-1")).build();
    Call.Factory interceptor = rig.calls(Entry.INTERCEPTOR, Rig.builder(), rig.retry().build());
    String why =
        "journaled operation charge: an upgrade or a duplex body"
            + " (expected: a request that a journal can keep)";
    List<Executable> ways = List.of(() -> calls.newCall(request), () -> calls.intent(request));
    for (Executable way : ways) {
      assertEquals(why, assertThrows(IllegalArgumentException.class, way).getMessage());
    }
    IOException failure =
        assertThrows(IOException.class, () -> interceptor.newCall(request).execute());
    assertEquals(why, failure.getMessage());
    assertEquals(0, server.requests().size());
  }

  @Test
  void aBodyThatIsReadOnceNeedsAFingerprint() throws Exception {
    Request oneShot = request().post(Bodies.oneShot(new AtomicInteger())).build();
    IllegalArgumentException refused =
        assertThrows(IllegalArgumentException.class, () -> calls.newCall(oneShot));
    assertTrue(refused.getMessage().contains("RetryOptions.fingerprint"), refused.getMessage());
    RetryOptions told =
        RetryOptions.builder().journaled("charge", "order-1").fingerprint("5 EUR").build();
    server.enqueue(Reply.status(200));
    calls.newCall(oneShot.newBuilder().tag(RetryOptions.class, told).build()).execute().close();
    assertEquals(State.SUCCEEDED, journal.endings().get(0).state());
    assertTrue(journal.intents().get(0).request().content().body().isEmpty());
  }

  @Test
  void withoutItsBodyARequestCannotBeResumed() {
    journal.settings(Settings.defaults().addedByClient("Authorization").withoutRequestBodies());
    Intent bodiless = Intent.of(calls.intent(request().post(JSON).build()));
    IllegalArgumentException refused =
        assertThrows(IllegalArgumentException.class, () -> calls.sender().send(journal, bodiless));
    assertFalse(refused.getMessage().contains("order-1"), "the key may be a secret");
    assertEquals(0, server.requests().size());
  }

  @Test
  void aLostConnectionIsTheSendersFailure() throws Exception {
    try (RefusedPort nobody = RefusedPort.open()) {
      Request request = request().url(nobody.uri("/pay").toString()).post(JSON).build();
      Intent due = Intent.of(calls.intent(request));
      assertThrows(IOException.class, () -> calls.sender().send(journal, due));
    }
    assertEquals(State.CLOSED, journal.endings().get(0).state(), "never sent");
  }

  @Test
  void anInterruptEndsTheSenderAsSuch() throws Exception {
    Intent due = Intent.of(calls.intent(request().post(JSON).build()));
    server.enqueue(Reply.stallAfterRequest());
    Thread.currentThread().interrupt();
    InterruptedException thrown =
        assertThrows(InterruptedException.class, () -> calls.sender().send(journal, due));
    assertInstanceOf(IOException.class, thrown.getCause());
    assertFalse(Thread.currentThread().isInterrupted());
  }

  @Test
  void aResumedOneKeepsItsKeyWhateverTheClientIsConfiguredToSend() throws Exception {
    server.enqueue(Reply.status(500), Reply.status(200));
    calls.newCall(request().post(JSON).build()).execute().close();
    HttpRetry other =
        rig.retry().idempotencyKeys(IdempotencyKeys.payPal()).journal(journal).build();
    rig.factory(other).sender().send(journal, journal.intents().get(0));
    Received second = server.requests().get(1);
    assertEquals(
        server.requests().get(0).header("Idempotency-Key"), second.header("Idempotency-Key"));
    assertTrue(second.header("PayPal-Request-Id").isEmpty());
  }
}
