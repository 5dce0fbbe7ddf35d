package dev.steadfast.retry.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.steadfast.retry.Disposition;
import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.tck.RefusedPort;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import dev.steadfast.retry.testsupport.H2Server;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import okhttp3.Call;
import okhttp3.Dns;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okhttp3.ResponseBody;
import okio.Buffer;
import okio.BufferedSource;
import okio.ForwardingSource;
import okio.Okio;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Bodies of requests, of responses that the caller gets, and of those that he does not get. */
class BodyTest {
  @RegisterExtension private final Rig rig = new Rig();
  private final ScriptedServer server = rig.server();

  private Request put(RequestBody body) {
    return Calls.get(server).newBuilder().put(body).build();
  }

  private HttpRetry buffering(int bytes) {
    return rig.retry().policy(Calls.seconds().build()).bufferBodiesUpTo(bytes).build();
  }

  // ---- request bodies

  @ParameterizedTest
  @EnumSource
  void aBodyThatWasNotTouchedIsSent(Entry entry) {
    AtomicInteger written = new AtomicInteger();
    AtomicInteger lookups = new AtomicInteger();
    Dns second =
        host -> {
          if (lookups.incrementAndGet() == 1) {
            throw new UnknownHostException(host);
          }
          return List.of(InetAddress.getLoopbackAddress());
        };
    Call.Factory calls = rig.calls(entry, Rig.builder().dns(second), rig.retry().build());
    Request request =
        put(Bodies.oneShot(written))
            .newBuilder()
            .url("http://service.test:" + server.port() + "/")
            .build();

    Entry.Outcome got = entry.make(calls.newCall(request));

    assertEquals(200, got.status());
    assertEquals(2, got.report().attempts());
    assertEquals(1, written.get());
    assertEquals("once", server.requests().get(0).bodyText());
  }

  /** The server answers before it wants the body. */
  @ParameterizedTest
  @EnumSource
  void aBodyThatTheServerDidNotWantIsSentLater(Entry entry) {
    AtomicInteger written = new AtomicInteger();
    Call.Factory calls = rig.calls(entry, Rig.builder(), rig.retry().build());
    server.enqueue(Reply.status(503).onHead());
    Request request =
        put(Bodies.oneShot(written)).newBuilder().header("Expect", "100-continue").build();

    Entry.Outcome got = entry.make(calls.newCall(request));

    assertEquals(200, got.status(), got.toString());
    assertEquals(1, written.get());
    assertEquals("once", server.requests().get(1).bodyText());
  }

  // ---- bodies of responses, handed over

  /** What the head says goes before what became of the body. */
  @ParameterizedTest
  @EnumSource
  void aBrokenBodyHidesNoFailure(Entry entry) throws Exception {
    assertEquals(StopReason.NOT_RETRYABLE, endOfBroken(entry, broken(404)));
    assertEquals(
        StopReason.DO_NOT_RETRY, endOfBroken(entry, broken(503).header("x-should-retry", "false")));
    assertEquals(
        StopReason.SERVER_DELAY_TOO_LONG,
        endOfBroken(entry, broken(503).header("Retry-After", "61")));
    assertEquals(3, server.requests().size());
  }

  private static Reply broken(int status) {
    return Reply.truncatedBody(status, 10, "half");
  }

  private StopReason endOfBroken(Entry entry, Reply reply) throws Exception {
    Call call = rig.calls(entry, Rig.builder(), buffering(100)).newCall(Calls.get(server));
    server.enqueue(reply);
    try (Response response = entry == Entry.ENQUEUE ? Entry.enqueued(call) : call.execute()) {
      assertThrows(IOException.class, () -> response.body().string());
      return OkHttpReports.of(response).reason();
    }
  }

  /** In virtual time: the attempt's timer ends the body that does not come. */
  @ParameterizedTest
  @EnumSource(names = {"EXECUTE", "ENQUEUE"})
  void aBufferedBodyThatStallsIsEndedByTheTimer(Entry entry) throws Exception {
    HttpRetry retry =
        rig.retry()
            .policy(Calls.seconds().attemptTimeout(Duration.ofSeconds(3)).build())
            .bufferBodiesUpTo(100)
            .build();
    CountDownLatch stalled = new CountDownLatch(1);
    OkHttpClient.Builder builder = Rig.builder();
    builder.addInterceptor(chain -> {
      Response response = chain.proceed(chain.request());
      return stalled.getCount() == 0
          ? response
          : response.newBuilder().body(watched(response.body(), stalled)).build();
    });
    Call.Factory calls = rig.calls(entry, builder, retry);
    server.enqueue(Reply.stalledBody(200, 10, "half"));
    Thread clock =
        new Thread(() -> {
          try {
            stalled.await();
            rig.time.advance(Duration.ofSeconds(3));
          } catch (InterruptedException e) {
            throw new AssertionError(e);
          }
        });
    clock.start();

    Entry.Outcome got = entry.make(calls.newCall(Calls.get(server)));
    clock.join();

    assertEquals("ok", got.body());
    assertEquals(2, got.report().attempts());
    assertEquals(FailureKind.TIMEOUT, rig.recorder.attempts().get(0).kind().orElseThrow());
  }

  // Counts down when the body is asked for what has not come yet.
  private static ResponseBody watched(ResponseBody body, CountDownLatch asked) {
    BufferedSource source =
        Okio.buffer(
            new ForwardingSource(body.source()) {
              private long read;

              @Override
              public long read(Buffer sink, long byteCount) throws IOException {
                if (read == 4) {
                  asked.countDown();
                }
                long more = super.read(sink, byteCount);
                read += Math.max(0, more);
                return more;
              }
            });
    return ResponseBody.create(source, body.contentType(), body.contentLength());
  }

  @ParameterizedTest
  @EnumSource
  void aBodyLongerThanTheBufferStreamsThrough(Entry entry) throws Exception {
    Call.Factory calls = rig.calls(entry, Rig.builder(), buffering(1000));
    server.enqueue(
        Reply.stalledBody(200, 100_000, "x"), // said to be longer: not even begun
        Reply.endlessBody(200)); // found to be longer
    for (int i = 0; i < 2; i++) {
      Call call = calls.newCall(Calls.get(server));
      try (Response response = entry == Entry.ENQUEUE ? Entry.enqueued(call) : call.execute()) {
        assertEquals(200, response.code());
        response.body().source().require(1);
        call.cancel();
      }
    }
    assertEquals(2, server.requests().size());
  }

  @ParameterizedTest
  @EnumSource
  void aBufferedErrorIsTheCallersAsWell(Entry entry) {
    Call.Factory calls = rig.calls(entry, Rig.builder(), buffering(1000));
    server.enqueue(Reply.status(404).body("x".repeat(1000)));
    assertEquals("x".repeat(1000), entry.make(calls.newCall(Calls.get(server))).body());
    server.enqueue(Reply.status(200).body("y".repeat(1001)));
    assertEquals("y".repeat(1001), entry.make(calls.newCall(Calls.get(server))).body());
  }

  /** The client's own interceptor reads, and the body breaks on it. */
  @ParameterizedTest
  @EnumSource(names = {"EXECUTE", "ENQUEUE"})
  void aBodyThatBreaksInAnInterceptorIsABrokenBody(Entry entry) {
    OkHttpClient.Builder builder = Rig.builder();
    builder.addInterceptor(chain -> {
      Response response = chain.proceed(chain.request());
      try (ResponseBody body = response.body()) {
        return response
            .newBuilder()
            .body(ResponseBody.create(body.string(), MediaType.get("text/plain")))
            .build();
      }
    });
    Call.Factory calls = rig.calls(entry, builder, rig.retry().build());
    server.enqueue(Reply.truncatedBody(200, 10, "half"));

    Entry.Outcome got = entry.make(calls.newCall(Calls.get(server)));

    assertEquals("ok", got.body());
    assertEquals(FailureKind.BROKEN_BODY, rig.recorder.attempts().get(0).kind().orElseThrow());
  }

  /** It is different if the target of a redirect cannot be reached. */
  @ParameterizedTest
  @EnumSource
  void aRedirectThatCannotBeFollowedIsNot(Entry entry) {
    Call.Factory calls = rig.calls(entry, Rig.builder(), rig.retry().build());
    try (RefusedPort nobody = RefusedPort.open()) {
      server.defaultReply(Reply.status(307).header("Location", nobody.uri("/there").toString()));

      Entry.Outcome got = entry.make(calls.newCall(Calls.get(server)));

      assertInstanceOf(ConnectException.class, got.failure());
      assertEquals(3, got.report().attempts());
      assertEquals(3, rig.recorder.deliveries());
      assertEquals(FailureKind.CONNECT, rig.recorder.attempts().get(0).kind().orElseThrow());
      assertEquals(Disposition.REFUSED, rig.recorder.attempts().get(0).disposition());
      // A server that names another place has done nothing, and nothing was sent there.
      Entry.Outcome post = entry.make(calls.newCall(Calls.post(server)));
      assertEquals(StopReason.ATTEMPTS_EXHAUSTED, post.report().reason());
      assertFalse(post.report().serverMayHaveActed());
      server.defaultReply(Reply.status(302).header("Location", nobody.uri("/there").toString()));
      assertEquals(
          StopReason.NOT_REPLAYABLE,
          entry.make(calls.newCall(Calls.post(server))).report().reason());
    }
  }

  /** A body of an interceptor's making that throws what bodies do not throw. */
  @ParameterizedTest
  @EnumSource
  void aBodyWithABugEndsTheOperation(Entry entry) {
    OkHttpClient.Builder builder = Rig.builder();
    HttpRetry retry = buffering(100);
    if (entry == Entry.INTERCEPTOR) {
      RetryInterceptor.addTo(builder, retry);
    }
    builder.addInterceptor(chain -> {
      Response response = chain.proceed(chain.request());
      return response.newBuilder().body(buggy(response.body())).build();
    });
    Call.Factory calls =
        entry == Entry.INTERCEPTOR ? rig.client(builder) : rig.factory(rig.client(builder), retry);
    Call call = calls.newCall(Calls.get(server));

    Throwable thrown =
        entry == Entry.ENQUEUE
            ? entry.make(call).failure().getCause()
            : assertThrows(IllegalStateException.class, () -> entry.make(call));

    assertEquals("a bug", thrown.getMessage());
    assertEquals(StopReason.NOT_RETRYABLE, rig.recorder.report().reason());
  }

  private static ResponseBody buggy(ResponseBody body) {
    BufferedSource source =
        Okio.buffer(
            new ForwardingSource(body.source()) {
              @Override
              public long read(Buffer sink, long byteCount) {
                throw new IllegalStateException("a bug");
              }
            });
    return ResponseBody.create(source, body.contentType(), -1);
  }

  // ---- bodies of responses that the caller does not get

  @ParameterizedTest
  @EnumSource
  void aShortOneIsReadToKeepTheConnection(Entry entry) {
    Call.Factory calls = rig.calls(entry, Rig.builder(), rig.retry().build());
    server.enqueue(
        Reply.status(503).body("x".repeat(64 * 1024)), Reply.status(503).body("x").chunked());
    assertEquals(200, entry.make(calls.newCall(Calls.get(server))).status());
    assertEquals(1, server.connectionsAccepted());
  }

  @ParameterizedTest
  @EnumSource
  void anEndlessOneIsGivenUp(Entry entry) {
    Call.Factory calls = rig.calls(entry, Rig.builder(), rig.retry().build());
    server.enqueue(Reply.endlessBody(503));

    Entry.Outcome got = entry.make(calls.newCall(Calls.get(server)));

    assertEquals(200, got.status());
    assertEquals(2, server.connectionsAccepted());
    assertEquals(2, got.report().attempts());
  }

  @ParameterizedTest
  @EnumSource
  void aStalledOneIsGivenUp(Entry entry) {
    Call.Factory calls = rig.calls(entry, Rig.builder(), rig.retry().build());
    server.enqueue(Reply.stalledBody(503, 100, "half"));
    Call call = calls.newCall(Calls.get(server));

    assertEquals(200, entry.make(call).status());

    assertEquals(2, server.connectionsAccepted());
    assertFalse(call.isCanceled());
  }

  @Test
  void aStalledOneOfHttp2IsGivenUpWithItsStreamAlone() throws Exception {
    try (Target target = new Target(true)) {
      target.h2().enqueue(H2Server.stalled(503));
      Call.Factory calls = rig.calls(Entry.EXECUTE, target.client(), rig.retry().build());
      assertEquals(200, Entry.EXECUTE.make(calls.newCall(target.get())).status());
      assertEquals(1, target.h2().connections());
      assertEquals(2, target.deliveries());
      rig.close();
    }
  }

  @Test
  void oneAttemptDiscardsNothing() {
    Call.Factory calls =
        rig.calls(Entry.EXECUTE, Rig.builder(), rig.retry().policy(RetryPolicy.noRetry()).build());
    server.enqueue(Reply.status(503).body("x".repeat(200_000)));
    assertEquals(200_000, Entry.EXECUTE.make(calls.newCall(Calls.get(server))).body().length());
  }
}
