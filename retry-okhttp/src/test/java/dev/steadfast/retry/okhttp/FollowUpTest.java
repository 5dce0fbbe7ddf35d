package dev.steadfast.retry.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.AttemptRefusedException;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.http.HttpOperation;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.IdempotencyKeys;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.tck.Received;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import okhttp3.Cache;
import okhttp3.Call;
import okhttp3.HttpUrl;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Redirects and authentication: within an attempt, and what a key has to do with them. */
class FollowUpTest {
  private static final String KEY = "Idempotency-Key";

  @RegisterExtension private final Rig rig = new Rig();
  private final ScriptedServer here = rig.server();
  private final ScriptedServer there = rig.server();

  private static Reply to(ScriptedServer server, int status) {
    return Reply.status(status).header("Location", server.uri("/next").toString());
  }

  private static List<Optional<String>> keys(ScriptedServer server) {
    return server.requests().stream().map(each -> each.header(KEY)).toList();
  }

  @ParameterizedTest
  @EnumSource
  void aKeyNeverLeavesItsOrigin(Entry entry) {
    Call.Factory calls = rig.calls(entry, Rig.builder(), rig.keyed());
    here.enqueue(to(there, 307));
    there.enqueue(to(here, 308)); // and back: there it is known again

    assertEquals(200, entry.make(calls.newCall(Calls.post(here))).status());

    assertEquals(List.of(Optional.empty()), keys(there));
    assertEquals(keys(here).get(0), keys(here).get(1));
    assertTrue(keys(here).get(0).isPresent());
    there.requests().forEach(each -> assertEquals("charge 5", each.bodyText()));
    assertEquals(3, rig.recorder.deliveries());
  }

  private HttpRetry named() {
    return rig.retry()
        .idempotencyKeys(IdempotencyKeys.randomUuid().withHeader("X-Request-Id"))
        .build();
  }

  /** Plain OkHttp takes it along, too, and a request without it may have a second effect. */
  @ParameterizedTest
  @EnumSource
  void theCallersOwnGoesAlong_andProtects(Entry entry) {
    Call.Factory calls = rig.calls(entry, Rig.builder(), named());
    here.defaultReply(to(there, 307));
    there.enqueue(Reply.closeAfterRequest());
    Request own = Calls.post(here).newBuilder().header("X-Request-Id", "order-1").build();

    Entry.Outcome got = entry.make(calls.newCall(own));

    assertEquals(200, got.status(), got.toString());
    assertEquals(Optional.of("order-1"), got.report().idempotencyKey());
    assertEquals(2, there.requests().size());
    there.requests().forEach(each -> assertEquals("order-1", each.header("X-Request-Id").get()));
  }

  /** It is not the key to repeat with: the server that may have acted has not seen it. */
  @ParameterizedTest
  @EnumSource
  void theReportDoesNotNameAKeyThatDidNotGoAlong(Entry entry) {
    Call.Factory calls = rig.calls(entry, Rig.builder(), rig.keyed());
    here.enqueue(to(there, 307));
    there.enqueue(Reply.closeAfterRequest());

    Entry.Outcome got = entry.make(calls.newCall(Calls.post(here)));

    String other = "POST http://127.0.0.1:" + there.port() + "/next";
    assertTrue(got.report().outcomeUnknown(), got.toString());
    assertEquals(Optional.empty(), got.report().idempotencyKey());
    assertEquals(Optional.of(other), got.report().sentWithoutKey());
    assertTrue(got.report().toString().contains("without its key: " + other), got.toString());
  }

  @ParameterizedTest
  @EnumSource
  void norDoesThatOfAnAcceptedAnswer(Entry entry) {
    Call.Factory calls = rig.calls(entry, Rig.builder(), rig.keyed());
    here.enqueue(to(there, 307));

    Entry.Outcome got = entry.make(calls.newCall(Calls.post(here)));

    assertEquals(200, got.status(), got.toString());
    assertEquals(Optional.empty(), got.report().idempotencyKey());
    assertTrue(got.report().serverMayHaveActed());
    String other = "POST http://127.0.0.1:" + there.port() + "/next";
    assertEquals(Optional.of(other), got.report().sentWithoutKey());
  }

  @ParameterizedTest
  @CsvSource({
    "http://a.test/,      https://a.test/pay,      true",
    "http://a.test/,      https://b.test/pay,      false",
    "http://a.test:8080/, https://a.test:8443/pay, false",
    "http://a.test/,      https://a.test:8443/pay, false",
    "http://a.test:443/,  https://a.test/pay,      false",
    "https://a.test/,     http://a.test/pay,       false",
    "https://a.test/,     https://a.test:444/pay,  false",
    "https://a.test/,     https://a.test/pay,      true"
  })
  void aServerThatAsksForHttpsIsTheSameServer(String origin, String target, boolean goesAlong) {
    Request request = new Request.Builder().url(origin).post(Rig.BODY).build();
    HttpOperation operation =
        rig.keyed().operation(new CallersRequest(request), OkHttpViews.options(request));
    Request.Builder redirected = request.newBuilder().url(target);
    operation.headers(Long.MAX_VALUE, redirected::header);

    Request sent =
        WireRequests.withoutHeadersOf(operation, HttpUrl.get(origin), redirected.build());

    assertEquals(goesAlong, sent.header(KEY) != null);
  }

  @ParameterizedTest
  @EnumSource
  void aKeyOfTheOptionsDoesNotLeaveItsOrigin(Entry entry) {
    Call.Factory calls = rig.calls(entry, Rig.builder(), named());
    here.enqueue(to(there, 307));
    RetryOptions options = RetryOptions.builder().idempotencyKey("order-2").build();
    Request tagged = Calls.post(here).newBuilder().tag(RetryOptions.class, options).build();
    assertEquals(200, entry.make(calls.newCall(tagged)).status());

    assertEquals(
        List.of("order-2"),
        here.requests().stream().map(each -> each.header("X-Request-Id").orElseThrow()).toList());
    assertTrue(there.requests().stream().allMatch(each -> each.header("X-Request-Id").isEmpty()));
  }

  /** A 303 makes a GET of it, which needs no key; it keeps the one that it was sent with. */
  @ParameterizedTest
  @EnumSource
  void seeOther(Entry entry) {
    Call.Factory calls = rig.calls(entry, Rig.builder(), rig.keyed());
    here.enqueue(to(there, 303));

    assertEquals(200, entry.make(calls.newCall(Calls.post(here))).status());

    Received second = there.requests().get(0);
    assertEquals("GET", second.method());
    assertEquals(Optional.empty(), second.header(KEY));
  }

  /**
   * The request on the wire is the first one of its attempt, and at another origin all the same.
   */
  @ParameterizedTest
  @EnumSource
  void aKeyDoesNotFollowARedirectThatTheCacheHasKept(Entry entry, @TempDir Path directory)
      throws IOException {
    HttpRetry retry =
        rig.retry().idempotencyKeys(IdempotencyKeys.randomUuid().withEveryMethod()).build();
    try (Cache cache = new Cache(directory.toFile(), 1 << 20)) {
      Call.Factory calls = rig.calls(entry, Rig.builder().cache(cache), retry);
      here.enqueue(to(there, 301).header("Cache-Control", "max-age=1000"));

      assertEquals(200, entry.make(calls.newCall(Calls.get(here))).status());
      assertEquals(200, entry.make(calls.newCall(Calls.get(here))).status());
      assertEquals(200, entry.make(calls.newCall(Calls.get(there))).status());

      assertEquals(1, here.requests().size(), "the redirect comes from the cache");
      assertTrue(keys(here).get(0).isPresent());
      assertEquals(List.of(Optional.empty(), Optional.empty()), keys(there).subList(0, 2));
      assertTrue(keys(there).get(2).isPresent());
    }
  }

  /** The other server got the request without the key, so it would act on it a second time. */
  @ParameterizedTest
  @EnumSource
  void aRequestThatLostItsKeyIsNotReplayable(Entry entry) {
    Call.Factory calls = rig.calls(entry, Rig.builder(), rig.keyed());
    here.defaultReply(to(there, 307));
    there.enqueue(Reply.status(503), Reply.closeAfterRequest());

    Entry.Outcome answered = entry.make(calls.newCall(Calls.post(here)));
    assertEquals(503, answered.status());
    assertEquals(StopReason.NOT_REPLAYABLE, answered.report().reason());

    Entry.Outcome lost = entry.make(calls.newCall(Calls.post(here)));
    assertEquals(StopReason.NOT_REPLAYABLE, lost.report().reason());

    assertEquals(2, there.requests().size());
  }

  @ParameterizedTest
  @EnumSource
  void nothingIsLostWhereTheOtherServerIsOnlyAsked(Entry entry) {
    Call.Factory calls = rig.calls(entry, Rig.builder(), rig.keyed());
    here.defaultReply(to(there, 303));
    there.enqueue(Reply.status(503));

    assertEquals(200, entry.make(calls.newCall(Calls.post(here))).status());

    assertEquals(1, Set.copyOf(keys(here)).size());
    assertEquals(2, there.requests().size());
  }

  @ParameterizedTest
  @EnumSource
  void theGateOfAnOriginDoesNotShutForAnother(Entry entry) {
    HttpRetry gated = rig.retry().serverDelayGate(true).policy(RetryPolicy.noRetry()).build();
    Call.Factory calls = rig.calls(entry, Rig.builder(), gated);
    here.enqueue(to(there, 302));
    there.enqueue(Reply.status(429).header("Retry-After", "30"));
    assertEquals(429, entry.make(calls.newCall(Calls.get(here))).status());

    assertEquals(200, entry.make(calls.newCall(Calls.get(here))).status());
    assertInstanceOf(
        AttemptRefusedException.class, entry.make(calls.newCall(Calls.get(there))).failure());
  }

  /** The POST was taken; what was limited or refused is the GET that the redirect asked for. */
  @ParameterizedTest
  @EnumSource
  void aRefusalOfTheFollowUpSaysNothingOfTheRequestBefore(Entry entry) {
    Call.Factory calls = rig.calls(entry, Rig.builder(), rig.retry().build());
    here.enqueue(to(here, 303), Reply.status(429));
    here.enqueue(to(here, 302), Reply.status(425));
    here.enqueue(to(here, 303), Reply.status(503).header("finagle-http-nack", "true"));

    for (int status : List.of(429, 425, 503)) {
      Entry.Outcome got = entry.make(calls.newCall(Calls.post(here)));
      assertEquals(status, got.status());
      assertEquals(StopReason.NOT_REPLAYABLE, got.report().reason());
      assertTrue(got.report().serverMayHaveActed());
    }

    assertEquals(6, here.requests().size());
  }

  @ParameterizedTest
  @EnumSource
  void tooManyRedirectsAreNotRetried(Entry entry) {
    Call.Factory calls = rig.calls(entry, Rig.builder(), rig.retry().build());
    here.defaultReply(to(here, 307));

    Entry.Outcome got = entry.make(calls.newCall(Calls.get(here)));

    assertEquals("Too many follow-up requests: 21", got.failure().getMessage());
    assertEquals(StopReason.NOT_RETRYABLE, got.report().reason());
    assertEquals(21, here.requests().size());
    assertEquals(21, rig.recorder.deliveries());
  }

  // ---- authentication

  /** The call for the token is an operation of its own, retried by its own policy. */
  @ParameterizedTest
  @EnumSource
  void anAuthenticatorMayCallOnItsOwn(Entry entry) {
    AtomicReference<Call.Factory> own = new AtomicReference<>();
    OkHttpClient.Builder builder = Rig.builder();
    builder.authenticator((route, response) -> {
      if (response.request().header("Authorization") != null) {
        return null;
      }
      Request forToken = Calls.post(there);
      try (Response token = own.get().newCall(forToken).execute()) {
        return response
            .request()
            .newBuilder()
            .header("Authorization", "Bearer " + token.body().string())
            .build();
      }
    });
    Call.Factory calls = rig.calls(entry, builder, rig.keyed());
    own.set(calls);
    here.enqueue(Reply.status(401));
    there.enqueue(Reply.status(503), Reply.status(200).body("token"));

    assertEquals(200, entry.make(calls.newCall(Calls.post(here))).status());

    assertEquals("Bearer token", here.requests().get(1).header("Authorization").orElseThrow());
    assertEquals(keys(here).get(0), keys(here).get(1));
    assertEquals(keys(there).get(0), keys(there).get(1));
    assertNotEquals(keys(here).get(0), keys(there).get(0));
    assertEquals(2, rig.recorder.ended().size());
    assertEquals(
        List.of(2, 1), rig.recorder.ended().stream().map(each -> each.attempts()).toList());
    assertEquals(4, rig.recorder.deliveries());
  }

  /** The answer is judged: a 401 without an authenticator is final. */
  @ParameterizedTest
  @EnumSource
  void anAuthenticatorThatFailsLeavesTheChallengeUnanswered(Entry entry) {
    OkHttpClient.Builder builder = Rig.builder();
    builder.authenticator((route, response) -> {
      throw new IOException("no token today");
    });
    Call.Factory calls = rig.calls(entry, builder, rig.retry().build());
    here.defaultReply(Reply.status(401));

    Entry.Outcome post = entry.make(calls.newCall(Calls.post(here)));

    assertEquals("no token today", post.failure().getMessage());
    assertEquals(StopReason.NOT_RETRYABLE, post.report().reason());
    assertEquals(1, here.requests().size());
    assertEquals(1, rig.recorder.deliveries());
  }

  /** What an application interceptor sends twice is its own wish, and is counted. */
  @ParameterizedTest
  @EnumSource(names = {"EXECUTE", "ENQUEUE"})
  void anInterceptorMayProceedTwice(Entry entry) {
    OkHttpClient.Builder builder = Rig.builder();
    builder.addInterceptor(chain -> {
      chain.proceed(chain.request()).close();
      return chain.proceed(chain.request());
    });
    Call.Factory calls = rig.calls(entry, builder, rig.once());
    here.enqueue(Reply.status(202));

    assertEquals(200, entry.make(calls.newCall(Calls.post(here))).status());

    assertEquals(2, here.requests().size());
    assertEquals(2, rig.recorder.deliveries());
    assertEquals(1, rig.recorder.attempts().size());
  }

  /** The second of its requests tells what the attempt came to. */
  @ParameterizedTest
  @EnumSource(names = {"EXECUTE", "ENQUEUE"})
  void anInterceptorMayRetryItself(Entry entry) {
    OkHttpClient.Builder builder = Rig.builder();
    builder.addInterceptor(chain -> {
      try {
        return chain.proceed(chain.request());
      } catch (IOException first) {
        return chain.proceed(chain.request());
      }
    });
    Call.Factory calls = rig.calls(entry, builder, rig.once());
    here.enqueue(Reply.closeAfterRequest());

    assertEquals(200, entry.make(calls.newCall(Calls.get(here))).status());

    assertEquals(2, rig.recorder.deliveries());
    assertEquals(StopReason.ACCEPTED, rig.recorder.report().reason());
  }
}
