package dev.steadfast.retry.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.IdempotencyKeys;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.tck.Received;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import dev.steadfast.retry.testsupport.CapturedLog;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import okhttp3.Call;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Redirects and challenges on a connection that the server then closes without a word. The request
 * before has been answered, so the follow-up alone is sent again, within the attempt, as plain
 * OkHttp does.
 */
class ClosedFollowUpTest {
  @RegisterExtension private final Rig rig = new Rig();
  private final ScriptedServer server = rig.server();

  private static Reply redirect(int status) {
    return Reply.status(status).header("Location", "/page");
  }

  private static Stream<Arguments> all() {
    return Stream.of(Way.values())
        .flatMap(way -> Stream.of(302, 303).map(status -> Arguments.of(way, status)));
  }

  /** A client that goes on after such an answer when the server has closed the connection. */
  private OkHttpClient.Builder closedAfter(int status) {
    return Rig.builder()
        .addNetworkInterceptor(chain -> {
          Response response = chain.proceed(chain.request());
          if (response.code() == status) {
            awaitClosed();
            // On a busy machine the end may take longer than that to come through.
            assertEquals(-1, chain.connection().socket().getInputStream().read());
          }
          return response;
        });
  }

  private void awaitClosed() {
    try {
      server.awaitNoOpenConnections(Duration.ofSeconds(30));
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private List<String> received() {
    return server.requests().stream().map(Received::method).toList();
  }

  /** The request is read, and the connection closed: what plain OkHttp finds in the end. */
  @ParameterizedTest
  @MethodSource("all")
  void aPostAndItsPage(Way way, int status) {
    Call.Factory calls = way.calls(rig, rig.retry().build());
    server.enqueue(redirect(status), Reply.closeAfterRequest());

    List<String> warnings =
        CapturedLog.warningsOf(() -> {
          Entry.Outcome got = way.make(calls.newCall(Calls.post(server)));
          assertEquals(200, got.status(), got.toString());
          assertEquals(1, got.report().attempts());
        });

    assertEquals(List.of("POST", "GET", "GET"), received());
    assertEquals(3, rig.recorder.deliveries());
    assertEquals(List.of(), warnings);
  }

  @ParameterizedTest
  @MethodSource("all")
  void onAConnectionThatIsClosedAtOnce(Way way, int status) {
    Call.Factory calls = way.calls(rig, rig.retry().build());
    server.enqueue(redirect(status).thenClose());

    Entry.Outcome got = way.make(calls.newCall(Calls.post(server)));

    assertEquals(200, got.status(), got.toString());
    assertEquals(1, got.report().attempts());
    assertEquals(1, received().stream().filter("POST"::equals).count());
  }

  @ParameterizedTest
  @MethodSource("all")
  void aPostWithAKeyIsSentOnce(Way way, int status) {
    Call.Factory calls =
        way.calls(rig, rig.retry().idempotencyKeys(IdempotencyKeys.randomUuid()).build());
    server.enqueue(redirect(status), Reply.closeAfterRequest());

    Entry.Outcome got = way.make(calls.newCall(Calls.post(server)));

    assertEquals(200, got.status(), got.toString());
    assertEquals(List.of("POST", "GET", "GET"), received());
  }

  /** The page is not fetched twice if the caller says that the request must not be repeated. */
  @ParameterizedTest
  @EnumSource
  void theCallersWordHoldsForThePage(Way way) {
    Call.Factory calls = way.calls(rig, rig.retry().build());
    server.enqueue(redirect(303), Reply.closeAfterRequest());
    RetryOptions once = RetryOptions.builder().replayable(false).build();
    Request post = Calls.post(server).newBuilder().tag(RetryOptions.class, once).build();

    Entry.Outcome got = way.make(calls.newCall(post));

    assertEquals(List.of("POST", "GET"), received(), got.toString());
    assertEquals(StopReason.NOT_REPLAYABLE, got.report().reason());
  }

  @ParameterizedTest
  @EnumSource
  void aGetWithoutRetries(Way way) {
    HttpRetry none = rig.retry().policy(RetryPolicy.noRetry()).build();
    Call.Factory calls = way.calls(rig, none);
    server.enqueue(redirect(302), Reply.closeAfterRequest());

    Entry.Outcome got = way.make(calls.newCall(Calls.get(server)));

    assertEquals(200, got.status(), got.toString());
    assertEquals(1, got.report().attempts());
  }

  /** A follow-up that is not safe is asked for first, and sent where nothing has gone out. */
  @ParameterizedTest
  @EnumSource
  void aChallengedPost(Way way) {
    OkHttpClient.Builder client =
        closedAfter(401)
            .authenticator((route, response) ->
                response.request().newBuilder().header("Authorization", "yes").build());
    Call.Factory calls = way.calls(rig, client, rig.retry().build());
    server.enqueue(Reply.status(401).thenClose());

    Entry.Outcome got = way.make(calls.newCall(Calls.post(server)));

    assertEquals(200, got.status(), got.toString());
    assertEquals(List.of("POST", "POST"), received());
  }

  @ParameterizedTest
  @EnumSource
  void aRepeatedPostIsNotSentAgain(Way way) {
    Call.Factory calls = way.calls(rig, rig.retry().build());
    server.enqueue(redirect(307), Reply.closeAfterRequest());

    Entry.Outcome got = way.make(calls.newCall(Calls.post(server)));

    assertNotNull(got.failure());
    assertEquals(StopReason.NOT_REPLAYABLE, got.report().reason());
    assertEquals(List.of("POST", "POST"), received());
  }

  /** Once: what then fails on a new connection is the attempt's failure. */
  @ParameterizedTest
  @EnumSource
  void aPageThatStaysAwayEndsTheAttempt(Way way) throws Exception {
    Call.Factory calls = way.calls(rig, rig.retry().build());
    server.enqueue(redirect(303));
    server.defaultReply(Reply.closeAfterRequest());

    Entry.Outcome got = way.make(calls.newCall(Calls.post(server)));

    assertEquals(StopReason.NOT_REPLAYABLE, got.report().reason());
    assertEquals(List.of("POST", "GET", "GET"), received());
  }

  /** Of a chain of redirects on connections that are closed each time, none is lost. */
  @ParameterizedTest
  @EnumSource
  void aChainOfRedirects(Way way) {
    Call.Factory calls = way.calls(rig, closedAfter(302), rig.retry().build());
    server.enqueue(redirect(303), Reply.closeAfterRequest());
    server.enqueue(redirect(302).thenClose(), redirect(302).thenClose());

    Entry.Outcome got = way.make(calls.newCall(Calls.post(server)));

    assertEquals(200, got.status(), got.toString());
    assertEquals(1, received().stream().filter("POST"::equals).count());
  }

  /** One request more than attempts, however often the page stays away. */
  @ParameterizedTest
  @EnumSource
  void anOutageOfThePage(Way way) {
    Call.Factory calls = way.calls(rig, rig.retry().build());
    server.route(
        request -> request.target().equals("/page") ? Reply.closeAfterRequest() : redirect(302));

    Entry.Outcome got = way.make(calls.newCall(Calls.get(server)));

    assertEquals(3, got.report().attempts());
    assertEquals(7, server.requests().size());
  }

  /** After a challenge nothing has happened, so the connection is asked first. */
  @ParameterizedTest
  @EnumSource
  void aChallengedGetWithoutRetries(Way way) {
    HttpRetry none = rig.retry().policy(RetryPolicy.noRetry()).build();
    OkHttpClient.Builder client =
        closedAfter(401)
            .authenticator((route, response) ->
                response.request().newBuilder().header("Authorization", "yes").build());
    Call.Factory calls = way.calls(rig, client, none);
    server.enqueue(Reply.status(401).thenClose());

    assertEquals(200, way.make(calls.newCall(Calls.get(server))).status());
  }

  /** The user has switched it off, and then plain OkHttp does not send it again either. */
  @ParameterizedTest
  @EnumSource
  void notWithoutRetryOnConnectionFailure(Way way) throws Exception {
    OkHttpClient.Builder builder = Rig.builder().retryOnConnectionFailure(false);
    Call.Factory calls = way.calls(rig, builder, rig.retry().build());
    server.enqueue(redirect(303), Reply.closeAfterRequest());

    Entry.Outcome got = way.make(calls.newCall(Calls.post(server)));

    assertNotNull(got.failure());
    assertEquals(List.of("POST", "GET"), received());
  }

  /** A GET that an interceptor sends after a lost POST is no follow-up of an answered one. */
  @ParameterizedTest
  @EnumSource(names = {"EXECUTE", "ENQUEUE"})
  void afterALostPostNothingIsAFollowUp(Way way) throws Exception {
    OkHttpClient.Builder client = Rig.builder();
    client.addInterceptor(chain -> {
      Request post = chain.request();
      Response warm = chain.proceed(post.newBuilder().get().build());
      warm.close();
      try {
        return chain.proceed(post);
      } catch (IOException lost) {
        return chain.proceed(post.newBuilder().get().build());
      }
    });
    Call.Factory calls = way.calls(rig, client, rig.retry().build());
    server.enqueue(Reply.status(200), Reply.closeAfterRequest(), Reply.closeAfterRequest());

    Entry.Outcome got = way.make(calls.newCall(Calls.post(server)));

    assertEquals(StopReason.NOT_REPLAYABLE, got.report().reason(), got.toString());
    assertEquals(List.of("GET", "POST", "GET"), received());
  }
}
