package dev.steadfast.retry.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.tck.Received;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import dev.steadfast.retry.testsupport.CapturedLog;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import okhttp3.Call;
import okhttp3.EventListener;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import okio.Buffer;
import okio.GzipSink;
import okio.Okio;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a call is, from its making to its response. */
class CallTest {
  @RegisterExtension private final Rig rig = new Rig();
  private final ScriptedServer server = rig.server();

  private List<Optional<String>> keys() {
    return server.requests().stream()
        .map(each -> each.header("Idempotency-Key"))
        .distinct()
        .collect(Collectors.toCollection(ArrayList::new));
  }

  // ---- the operation

  @ParameterizedTest
  @EnumSource
  void aCleanCallIsNotCopied(Entry entry) throws Exception {
    HttpRetry quiet = HttpRetry.builder().environment(rig.time.environment()).build();
    List<Request> sent = new CopyOnWriteArrayList<>();
    Call.Factory calls =
        rig.calls(entry, Rig.builder(), quiet); // the listener of a rig makes reports
    Request request = Calls.get(server);
    Call call = calls.newCall(request);
    try (Response response = entry == Entry.ENQUEUE ? Entry.enqueued(call) : call.execute()) {
      assertEquals(1, OkHttpReports.of(response).attempts());
      assertNull(response.request().tag(RetryReport.class));
      assertEquals("ok", response.body().string());
      sent.add(response.request());
    }
    assertSame(request, sent.get(0));
    assertSame(request, call.request());
  }

  @Test
  void theReportRidesOnTheRequestOfTheResponse() throws Exception {
    RetryingCallFactory calls = rig.factory(rig.retry().build());
    server.enqueue(Reply.status(503));
    Request request = Calls.get(server);
    try (Response response = calls.newCall(request).execute()) {
      assertEquals(2, OkHttpReports.of(response).attempts());
    }
    assertNull(request.tag(RetryReport.class));
  }

  // ---- executed once, cloned

  @Test
  void isExecutedOnce() throws Exception {
    RetryingCallFactory calls = rig.factory(rig.retry().build());
    Call call = calls.newCall(Calls.get(server));
    assertFalse(call.isExecuted());
    call.execute().close();
    assertTrue(call.isExecuted());
    assertThrows(IllegalStateException.class, call::execute);
    assertThrows(IllegalStateException.class, () -> call.enqueue(new Entry.Answers()));
    Call queued = calls.newCall(Calls.get(server));
    Entry.Answers answers = new Entry.Answers();
    queued.enqueue(answers);
    assertThrows(IllegalStateException.class, queued::execute);
    answers.get().close();
    assertSame(queued, answers.call());
    assertEquals(2, server.requests().size());
  }

  @Test
  void aCloneIsAnOperationOfItsOwn() throws Exception {
    RetryingCallFactory calls = rig.factory(rig.keyed());
    Call call = calls.newCall(Calls.post(server));
    call.execute().close();
    Call clone = call.clone();
    assertFalse(clone.isExecuted());
    assertSame(call.request(), clone.request());
    clone.execute().close();
    assertEquals(2, keys().size());
  }

  @Test
  void aCloneKeepsTheCallersKey() throws Exception {
    RetryingCallFactory calls = rig.factory(rig.keyed());
    Request request = Calls.post(server).newBuilder().header("Idempotency-Key", "order-1").build();
    Call call = calls.newCall(request);
    call.execute().close();
    call.clone().execute().close();
    assertEquals(List.of(Optional.of("order-1")), keys());
  }

  @Test
  void aCancelledCallHasAFreshClone() throws Exception {
    Call call = rig.factory(rig.retry().build()).newCall(Calls.get(server));
    call.cancel();
    assertTrue(call.isCanceled());
    Call clone = call.clone();
    assertFalse(clone.isCanceled());
    clone.execute().close();
  }

  // ---- tags and listeners

  @Test
  void requestTagsReachTheInterceptors() throws Exception {
    List<String> seen = new CopyOnWriteArrayList<>();
    OkHttpClient.Builder builder = Rig.builder();
    builder.addInterceptor(chain -> {
      seen.add("app " + chain.request().tag(String.class));
      return chain.proceed(chain.request());
    });
    builder.addNetworkInterceptor(chain -> {
      seen.add("net " + chain.request().tag(String.class));
      return chain.proceed(chain.request());
    });
    RetryingCallFactory calls = rig.factory(rig.client(builder), rig.keyed());
    server.enqueue(Reply.status(503));
    Request request = Calls.post(server).newBuilder().tag(String.class, "mine").build();
    calls.newCall(request).execute().close();
    assertEquals(List.of("app mine", "net mine", "app mine", "net mine"), seen);
  }

  @Test
  void callTagsReachTheAttempts() throws Exception {
    Calls.assumeOkHttp5();
    List<String> seen = new CopyOnWriteArrayList<>();
    OkHttpClient.Builder builder = Rig.builder();
    builder.addInterceptor(chain -> {
      seen.add(chain.call().tag(String.class) + " " + chain.call().tag(Integer.class));
      return chain.proceed(chain.request());
    });
    RetryingCallFactory calls = rig.factory(rig.client(builder), rig.retry().build());
    server.enqueue(Reply.status(503));
    Request request = Calls.get(server).newBuilder().tag(String.class, "mine").build();
    Call call = calls.newCall(request);
    assertEquals("mine", call.tag(String.class));
    assertEquals("mine", call.tag(String.class, () -> "other"));
    assertNull(call.tag(Integer.class));
    assertEquals(5, call.tag(Integer.class, () -> 5));
    assertEquals(5, call.tag(Integer.class, () -> 6));
    assertEquals(5, call.tag(Integer.class));

    call.execute().close();

    assertEquals(List.of("mine 5", "mine 5"), seen);
  }

  @Test
  void listenersHearEachAttempt() throws Exception {
    Calls.assumeOkHttp5();
    RetryingCallFactory calls = rig.factory(rig.retry().build());
    server.enqueue(Reply.status(503));
    List<String> heard = new CopyOnWriteArrayList<>();
    Call call = calls.newCall(Calls.get(server));
    call.addEventListener(
        new EventListener() {
          @Override
          public void callStart(Call started) {
            heard.add("start");
          }

          @Override
          public void responseHeadersEnd(Call answered, Response response) {
            heard.add("" + response.code());
          }

          @Override
          public void callEnd(Call ended) {
            heard.add("end");
          }
        });
    call.execute().close();
    assertEquals(List.of("start", "503", "end", "start", "200", "end"), heard);
  }

  // ---- what passes untouched, and what is decoded

  @ParameterizedTest
  @EnumSource
  void anUpgradeIsOkHttpsOwn(Entry entry) throws Exception {
    Call.Factory calls = rig.calls(entry, Rig.builder(), rig.retry().build());
    server.enqueue(Reply.status(503));
    Request upgrade =
        Calls.get(server)
            .newBuilder()
            .header("Connection", "Upgrade")
            .header("Upgrade", "websocket")
            .build();
    Call call = calls.newCall(upgrade);

    try (Response response = entry == Entry.ENQUEUE ? Entry.enqueued(call) : call.execute()) {
      assertEquals(503, response.code());
      assertThrows(IllegalArgumentException.class, () -> OkHttpReports.of(response));
    }

    assertFalse(call instanceof RetryingCall);
    assertEquals(1, server.requests().size());
    assertEquals(0, rig.recorder.ended().size());
  }

  @Test
  void aDuplexBodyIsOkHttpsOwn() {
    Request duplex = Calls.get(server).newBuilder().post(Bodies.duplex()).build();
    Call.Factory calls = rig.factory(rig.retry().build());
    assertFalse(calls.newCall(duplex) instanceof RetryingCall);
    assertInstanceOf(RetryingCall.class, calls.newCall(Calls.post(server)));
  }

  @ParameterizedTest
  @EnumSource
  void gzipIsDecodedOnTheLastAttempt(Entry entry) throws Exception {
    Buffer zipped = new Buffer();
    try (var sink = Okio.buffer(new GzipSink(zipped))) {
      sink.writeUtf8("hello, hello, hello");
    }
    Reply reply = Reply.status(200).header("Content-Encoding", "gzip").body(zipped.readByteArray());
    server.enqueue(Reply.status(503).header("Content-Encoding", "gzip").body("not gzip"), reply);
    Call.Factory calls =
        rig.calls(entry, Rig.builder(), rig.retry().bufferBodiesUpTo(1000).build());

    Entry.Outcome got = entry.make(calls.newCall(Calls.get(server)));

    assertEquals("hello, hello, hello", got.body());
    assertEquals(2, server.requests().size());
  }

  // ---- small print

  @ParameterizedTest
  @EnumSource
  void aPasswordThatIsNoUriIsNotShown(Entry entry) {
    server.defaultReply(Reply.status(503));
    String url = server.uri("/pay").toString().replace("://", "://user:100%sure@");
    Call.Factory calls = rig.calls(entry, Rig.builder(), rig.retry().build());

    String logged =
        CapturedLog.warningsOf(
                () -> entry.make(calls.newCall(new Request.Builder().url(url).build())))
            .toString();

    assertTrue(logged.contains("/pay") && !logged.contains("sure"), logged);
  }

  @Test
  void showsWhatItIsAndNoSecret() {
    RetryingCallFactory calls = rig.factory(rig.keyed());
    Request request =
        new Request.Builder()
            .url("http://user:secret@service.test:8080/pay?card=4111")
            .header("Idempotency-Key", "order-99")
            .post(Rig.BODY)
            .build();
    String call = calls.newCall(request).toString();
    assertTrue(call.contains("service.test:8080/pay"), call);
    assertFalse(call.contains("secret") || call.contains("4111"), call);
    assertFalse(call.contains("order-99"), call);
    assertTrue(calls.toString().startsWith("RetryingCallFactory(HttpRetry("));
    assertNotEquals(calls.newCall(request), calls.newCall(request));
    assertNotNull(calls.newCall(request).timeout());
  }

  @Test
  void wrapsWhatIsThere() {
    assertThrows(NullPointerException.class, () -> RetryingCallFactory.wrap(null, rig.once()));
    assertThrows(
        NullPointerException.class,
        () -> RetryingCallFactory.wrap(rig.client(Rig.builder()), null));
    assertThrows(
        NullPointerException.class,
        () -> rig.factory(rig.once()).newCall(Calls.get(server)).enqueue(null));
  }

  /** One layer retries, the outer one. */
  @Test
  void aFactoryReplacesTheInterceptorOfItsClient() throws Exception {
    OkHttpClient inner = rig.client(RetryInterceptor.addTo(Rig.builder(), rig.retry().build()));
    RetryingCallFactory calls = rig.factory(inner, rig.retry().build());
    server.defaultReply(Reply.status(503));
    try (Response response = calls.newCall(Calls.get(server)).execute()) {
      assertEquals(503, response.code());
      assertEquals(3, OkHttpReports.of(response).attempts());
    }
    assertEquals(3, server.requests().size());
    // Of the client's own interceptors nothing is lost.
    try (Response response = inner.newCall(Calls.get(server)).execute()) {
      assertEquals(3, OkHttpReports.of(response).attempts());
    }
    assertEquals(6, server.requests().size());
    Set<Integer> connections =
        server.requests().stream().map(Received::connection).collect(Collectors.toSet());
    assertEquals(1, connections.size());
  }
}
