package dev.steadfast.retry.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.tck.Received;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import okhttp3.Authenticator;
import okhttp3.Call;
import okhttp3.Interceptor;
import okhttp3.Request;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What decides whether a request may go out again is its form on the wire, not the caller's. */
class WireFormTest {
  private static final String KEY = "Idempotency-Key";

  @RegisterExtension private final Rig rig = new Rig();
  private final ScriptedServer server = rig.server();

  /** What an interceptor makes of a request, and whether it is safe to send again. */
  enum Change {
    DROPS_THE_KEY(false),
    MAKES_A_KEY_PER_ATTEMPT(false),
    QUOTES_THE_KEY(false),
    ADDS_A_SECOND_KEY(false),
    MAKES_A_POST_OF_A_GET(false),
    WRITES_THE_KEY_AGAIN(true),
    MAKES_A_PUT_OF_A_POST(true);

    private final boolean safe;

    Change(boolean safe) {
      this.safe = safe;
    }

    Request of(Request request) {
      Request.Builder changed = request.newBuilder();
      switch (this) {
        case DROPS_THE_KEY -> changed.removeHeader(KEY);
        case MAKES_A_KEY_PER_ATTEMPT -> changed.header(KEY, UUID.randomUUID().toString());
        case QUOTES_THE_KEY -> changed.header(KEY, '"' + request.header(KEY) + '"');
        case ADDS_A_SECOND_KEY -> changed.addHeader(KEY, "another");
        case MAKES_A_POST_OF_A_GET -> changed.header("Content-Length", "8").post(Rig.BODY);
        case WRITES_THE_KEY_AGAIN -> changed.header(KEY, String.valueOf(request.header(KEY)));
        default -> changed.put(Rig.BODY);
      }
      return changed.build();
    }

    private Request asked(ScriptedServer server) {
      return this == MAKES_A_POST_OF_A_GET ? Calls.get(server) : Calls.post(server);
    }

    private HttpRetry retry(Rig rig) {
      return this == MAKES_A_PUT_OF_A_POST ? rig.retry().build() : rig.keyed();
    }
  }

  /** How an attempt fails whose request may have been processed. */
  enum Failure {
    UNAVAILABLE,
    LOST;

    Reply reply() {
      return this == LOST ? Reply.closeAfterRequest() : Reply.status(503);
    }
  }

  private static Stream<Arguments> changes(boolean safe) {
    return Arrays.stream(Spot.values())
        .filter(spot -> spot != Spot.BEFORE_ADD_TO) // what runs there is the caller to us
        .flatMap(spot ->
            Arrays.stream(Change.values())
                .filter(change -> change.safe == safe)
                .flatMap(change ->
                    Arrays.stream(Failure.values())
                        .map(failure -> Arguments.of(spot, change, failure))));
  }

  static Stream<Arguments> unsafeChanges() {
    return changes(false);
  }

  static Stream<Arguments> safeChanges() {
    return changes(true);
  }

  private Entry.Outcome make(Spot spot, Change change) {
    Interceptor users = chain -> chain.proceed(change.of(chain.request()));
    return spot.make(spot.calls(rig, change.retry(rig), users).newCall(change.asked(server)));
  }

  @ParameterizedTest
  @MethodSource("unsafeChanges")
  void whatBecameUnsafeIsSentOnce(Spot spot, Change change, Failure failure) {
    server.defaultReply(failure.reply());

    Entry.Outcome got = make(spot, change);

    assertEquals(1, server.requests().size(), got.toString());
    assertEquals(StopReason.NOT_REPLAYABLE, got.report().reason());
    assertEquals("POST", server.requests().get(0).method());
  }

  @ParameterizedTest
  @MethodSource("safeChanges")
  void whatIsSafeOnTheWireIsSentAgain(Spot spot, Change change, Failure failure) {
    server.enqueue(failure.reply());

    Entry.Outcome got = make(spot, change);

    assertEquals(200, got.status(), got.toString());
    assertEquals(2, server.requests().size());
  }

  // ---- authenticators

  static Stream<Arguments> entriesAndFailures() {
    return Arrays.stream(Entry.values())
        .flatMap(
            entry -> Arrays.stream(Failure.values()).map(failure -> Arguments.of(entry, failure)));
  }

  // The first request is challenged; one with an answer to that fails.
  private void challenge(Failure failure) {
    server.route(
        request -> request.header("Authorization").isEmpty() ? Reply.status(401) : failure.reply());
  }

  private Entry.Outcome authenticated(Entry entry, HttpRetry retry, Authenticator authenticator) {
    Call.Factory calls = rig.calls(entry, Rig.builder().authenticator(authenticator), retry);
    return entry.make(calls.newCall(Calls.post(server)));
  }

  private List<String> authorized() {
    return server.requests().stream()
        .filter(each -> each.header("Authorization").isPresent())
        .map(Received::method)
        .toList();
  }

  @ParameterizedTest
  @MethodSource("entriesAndFailures")
  void anAuthenticatorsPutNeedsNoKey(Entry entry, Failure failure) {
    challenge(failure);
    Authenticator put =
        (route, response) ->
            response.request().header("Authorization") != null
                ? null
                : response
                    .request()
                    .newBuilder()
                    .header("Authorization", "Basic x")
                    .put(Rig.BODY)
                    .build();

    Entry.Outcome got = authenticated(entry, rig.retry().build(), put);

    assertEquals(List.of("PUT", "PUT", "PUT"), authorized(), got.toString());
    assertEquals(StopReason.ATTEMPTS_EXHAUSTED, got.report().reason());
  }
}
