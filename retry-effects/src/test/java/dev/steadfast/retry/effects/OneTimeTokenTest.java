package dev.steadfast.retry.effects;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.RetryReport.Effect;
import dev.steadfast.retry.effects.EffectResult.End;
import dev.steadfast.retry.effects.Entry.Tokens;
import dev.steadfast.retry.effects.TokenServer.Fault;
import dev.steadfast.retry.http.ResponseView;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.httpclient.RetryingHttpClient;
import dev.steadfast.retry.okhttp.RetryingCallFactory;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeoutException;
import java.util.function.BiFunction;
import okhttp3.Cache;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A token is fetched and used once, whatever is lost on the way, through every entry point. */
class OneTimeTokenTest {
  @AutoClose private final TokenServer server;

  OneTimeTokenTest() throws IOException {
    server = new TokenServer();
  }

  private Tokens tokens(BiFunction<String, ResponseView, Effect> ifLost) {
    return new Tokens(server.uri("/token"), server.uri("/use"), ifLost);
  }

  private static Effect neverAsked(String token, ResponseView answer) {
    throw new AssertionError("asked after " + answer.status());
  }

  private static void assertEnd(End end, Effect effect, EffectResult<String> result) {
    assertEquals(end + " " + effect, result.end() + " " + result.effect(), result::toString);
  }

  @ParameterizedTest
  @EnumSource
  void aToken_isFetchedAndUsed(Entry entry) throws Exception {
    EffectResult<String> result = entry.useToken(tokens(OneTimeTokenTest::neverAsked));
    assertEnd(End.ACCEPTED, Effect.SUCCEEDED, result);
    assertEquals("t-1", result.value().orElseThrow());
    assertEquals("order t-1", Entry.text(result.body()));
  }

  /** As {@code orTimeout} does, while the caller's function makes the use. */
  @Test
  void anEndFromOutside_keepsTheUseFromBeingSent() throws Exception {
    OneTimeToken<HttpRequest> helper = JdkEffects.oneTimeToken(Entry.HTTP, Entry::token);
    HttpRequest fetch = HttpRequest.newBuilder(server.uri("/token")).build();
    HttpRequest use =
        HttpRequest.newBuilder(server.uri("/use"))
            .header("X-Token", "of the call that has ended")
            .POST(HttpRequest.BodyPublishers.noBody())
            .build();
    CompletableFuture<CompletableFuture<?>> started = new CompletableFuture<>();
    CountDownLatch made = new CountDownLatch(1);
    synchronized (server) { // it answers afterwards, so a thread of the client makes the use
      started.complete(
          helper.useAsync(
              fetch,
              token -> {
                started.join().completeExceptionally(new TimeoutException());
                made.countDown();
                return use;
              }));
    }
    made.await();
    EffectResult<String> next = Entry.JDK.useToken(tokens(OneTimeTokenTest::neverAsked));
    assertEnd(End.ACCEPTED, Effect.SUCCEEDED, next);
    assertEquals(List.of("t-2"), server.uses());
  }

  @ParameterizedTest
  @EnumSource
  void aUseThatWasLostBefore_isRepeatedWithTheSameToken(Entry entry) throws Exception {
    server.plan(Fault.LOST_BEFORE, Fault.UNAVAILABLE);
    EffectResult<String> result = entry.useToken(tokens(OneTimeTokenTest::neverAsked));
    assertEnd(End.ACCEPTED, Effect.SUCCEEDED, result);
    assertEquals(List.of("t-1", "t-1", "t-1"), server.uses());
    assertEquals(1, server.fetched());
  }

  @ParameterizedTest
  @EnumSource
  void aTokenThatIsUsedUpAfterALostAnswer_isUnknownByDefault(Entry entry) throws Exception {
    server.plan(Fault.LOST_AFTER);
    EffectResult<String> result = entry.useToken(tokens(null));
    assertEnd(End.ANSWER_LOST, Effect.UNKNOWN, result);
    assertEquals(410, result.answer().orElseThrow().status());
    assertEquals("t-1", result.value().orElseThrow());
    assertEquals(1, server.fetched());
  }

  @ParameterizedTest
  @EnumSource
  void aLookUp_tellsWhatTheLostUseDid(Entry entry) throws Exception {
    server.plan(Fault.LOST_AFTER);
    EffectResult<String> applied =
        entry.useToken(
            tokens((token, answer) -> server.used(token) ? Effect.SUCCEEDED : Effect.FAILED));
    assertEnd(End.ALREADY_APPLIED, Effect.SUCCEEDED, applied);

    server.plan(Fault.LOST_BEFORE, Fault.FORBIDDEN);
    EffectResult<String> refused =
        entry.useToken(
            tokens((token, answer) -> server.used(token) ? Effect.SUCCEEDED : Effect.FAILED));
    assertEnd(End.WRITE_FAILED, Effect.FAILED, refused);
  }

  @ParameterizedTest
  @EnumSource
  void aTokenThatIsUsedUpFromTheStart_wasNotUsedByThisCall(Entry entry) throws Exception {
    server.alreadyUsed("t-1");
    EffectResult<String> result = entry.useToken(tokens(OneTimeTokenTest::neverAsked));
    assertEnd(End.WRITE_FAILED, Effect.FAILED, result);
    assertEquals(List.of("t-1"), server.uses());
  }

  @ParameterizedTest
  @EnumSource
  void aStoredAnswer_isThatOfTheFirstUse(Entry entry) throws Exception {
    server.plan(Fault.LOST_BEFORE, Fault.REPLAYED);
    EffectResult<String> result = entry.useToken(tokens(OneTimeTokenTest::neverAsked));
    assertEnd(End.ACCEPTED, Effect.SUCCEEDED, result);
  }

  @ParameterizedTest
  @EnumSource
  void aUseWithoutAnyAnswer_isUnknown(Entry entry) throws Exception {
    server.plan(Fault.LOST_AFTER, Fault.LOST_BEFORE, Fault.LOST_BEFORE, Fault.LOST_BEFORE);
    EffectResult<String> result = entry.useToken(tokens(OneTimeTokenTest::neverAsked));
    assertEnd(End.WRITE_FAILED, Effect.UNKNOWN, result);
    assertTrue(result.failure().isPresent());
    assertEquals("t-1", result.value().orElseThrow());
  }

  /** No answer was lost, and no answer is definite. */
  @ParameterizedTest
  @EnumSource
  void anErrorOfTheServer_isUnknown(Entry entry) throws Exception {
    server.plan(Fault.UNAVAILABLE, Fault.UNAVAILABLE, Fault.UNAVAILABLE);
    EffectResult<String> result = entry.useToken(tokens(OneTimeTokenTest::neverAsked));
    assertEnd(End.WRITE_FAILED, Effect.UNKNOWN, result);
    assertEquals(503, result.answer().orElseThrow().status());
  }

  /** OkHttp follows it with a GET, whose 200 says nothing of the use. */
  @ParameterizedTest
  @EnumSource
  void aRedirectToAnotherPage_isNotTakenForSuccess(Entry entry) throws Exception {
    server.plan(Fault.MOVED);
    EffectResult<String> result = entry.useToken(tokens(OneTimeTokenTest::neverAsked));
    assertEnd(End.WRITE_FAILED, Effect.UNKNOWN, result);
    assertEquals(entry.jdk() ? 302 : 200, result.answer().orElseThrow().status());
  }

  @Test
  void aRedirectThatTheJdkFollows_isNotTakenForSuccess() throws Exception {
    server.plan(Fault.MOVED);
    HttpClient following =
        HttpClient.newBuilder().followRedirects(HttpClient.Redirect.NORMAL).build();
    EffectResult<String> result =
        JdkEffects.oneTimeToken(RetryingHttpClient.wrap(following, Entry.RETRY), Entry::token)
            .use(
                HttpRequest.newBuilder(server.uri("/token")).build(),
                token ->
                    HttpRequest.newBuilder(server.uri("/use"))
                        .header("X-Token", token)
                        .POST(HttpRequest.BodyPublishers.noBody())
                        .build());
    assertEnd(End.WRITE_FAILED, Effect.UNKNOWN, result);
    assertEquals(200, result.answer().orElseThrow().status());
  }

  /** Who says that the server is at work says nothing of what it did. */
  @ParameterizedTest
  @EnumSource
  void aLookUpThatSaysAccepted_leavesTheEffectUnknown(Entry entry) throws Exception {
    server.plan(Fault.LOST_AFTER);
    EffectResult<String> result = entry.useToken(tokens((token, answer) -> Effect.ACCEPTED));
    assertEnd(End.ANSWER_LOST, Effect.UNKNOWN, result);
  }

  @ParameterizedTest
  @EnumSource
  void aTokenServerThatIsDown_usesNothing(Entry entry) throws Exception {
    server.fetches(Fault.UNAVAILABLE, Fault.UNAVAILABLE, Fault.UNAVAILABLE);
    EffectResult<String> unavailable = entry.useToken(tokens(OneTimeTokenTest::neverAsked));
    assertEnd(End.READ_FAILED, Effect.NEVER_SENT, unavailable);
    assertEquals(503, unavailable.answer().orElseThrow().status());

    Tokens tokens = tokens(OneTimeTokenTest::neverAsked);
    server.close();
    EffectResult<String> down = entry.useToken(tokens);
    assertEnd(End.READ_FAILED, Effect.NEVER_SENT, down);
    assertTrue(down.failure().isPresent());
    assertEquals(List.of(), server.uses());
  }

  @ParameterizedTest
  @EnumSource
  void aLostToken_isFetchedAgain_becauseItWasNotUsed(Entry entry) throws Exception {
    server.fetches(Fault.LOST_AFTER);
    EffectResult<String> result = entry.useToken(tokens(OneTimeTokenTest::neverAsked));
    assertEnd(End.ACCEPTED, Effect.SUCCEEDED, result);
    assertEquals(List.of("t-2"), server.uses());
  }

  /** The second use would meet 410, or the answer to the first one. */
  @Test
  void aTokenThatACacheHasKept_isNotUsedAgain(@TempDir Path directory) throws Exception {
    try (Cache cache = new Cache(directory.toFile(), 1 << 20)) {
      OkHttpClient caching = new OkHttpClient.Builder().cache(cache).build();
      OneTimeToken<Request> tokens =
          OkHttpEffects.oneTimeToken(RetryingCallFactory.wrap(caching, Entry.RETRY), Entry::token);
      Request fetch = new Request.Builder().url(server.uri("/token").toString()).build();
      Request.Builder use =
          new Request.Builder()
              .url(server.uri("/use").toString())
              .post(RequestBody.create(Entry.bytes("order"), null));
      for (int i = 0; i < 2; i++) {
        assertEnd(
            End.ACCEPTED,
            Effect.SUCCEEDED,
            tokens.use(fetch, token -> use.header("X-Token", token).build()));
      }
    }
    assertEquals(List.of("t-1", "t-2"), server.uses());
  }

  @ParameterizedTest
  @EnumSource
  void anAnswerWithoutAToken_usesNothing(Entry entry) throws Exception {
    server.withoutToken();
    EffectResult<String> result = entry.useToken(tokens(OneTimeTokenTest::neverAsked));
    assertEnd(End.READ_FAILED, Effect.NEVER_SENT, result);
    assertEquals(List.of(), server.uses());
  }

  /** The same operation begun again would send another token. */
  @Test
  void aUseThatAJournalRemembers_isRefused() {
    RetryOptions journaled = RetryOptions.builder().journaled("use", "order-1").build();
    OneTimeToken<HttpRequest> jdk =
        JdkEffects.oneTimeToken(Entry.HTTP.with(journaled), Entry::token);
    HttpRequest get = HttpRequest.newBuilder(server.uri("/token")).build();
    assertThrows(IllegalArgumentException.class, () -> jdk.use(get, token -> get));
    assertThrows(IllegalArgumentException.class, () -> jdk.useAsync(get, token -> get));
    assertEquals(0, server.fetched());

    OneTimeToken<Request> okHttp = OkHttpEffects.oneTimeToken(Entry.CALLS, Entry::token);
    Request fetch = new Request.Builder().url(server.uri("/token").toString()).build();
    Request use = fetch.newBuilder().tag(RetryOptions.class, journaled).build();
    assertThrows(IllegalArgumentException.class, () -> okHttp.use(fetch, token -> use));
    assertEquals(1, server.fetched());
    assertEquals(List.of(), server.uses());
  }
}
