package dev.steadfast.retry.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import okhttp3.Call;
import okhttp3.HttpUrl;
import okhttp3.Interceptor;
import okhttp3.Request;
import okhttp3.Response;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** An interceptor chooses the host, so the caller's URL is not where the request goes. */
class RewrittenHostTest {
  private static final String KEY = "Idempotency-Key";
  private static final String NONE = "none";
  private static final String NETWORK = "NETWORK_.*"; // OkHttp keeps those from changing the host

  @RegisterExtension private final Rig rig = new Rig();
  private final ScriptedServer here = rig.server();
  private final ScriptedServer there = rig.server();

  /** Which key it is. */
  enum Key {
    CALLERS_HEADER,
    OF_OPTIONS,
    MINTED;

    Request on(Request request) {
      RetryOptions options = RetryOptions.builder().idempotencyKey("order-1").build();
      return switch (this) {
        case CALLERS_HEADER -> request.newBuilder().header(KEY, "order-1").build();
        case OF_OPTIONS -> request.newBuilder().tag(RetryOptions.class, options).build();
        case MINTED -> request;
      };
    }
  }

  private static Request toPlaceholder() {
    return new Request.Builder().url("http://service.invalid/charge").post(Rig.BODY).build();
  }

  /** What a dynamic base URL or service discovery does. */
  private static Interceptor rewriting(ScriptedServer server) {
    return chain -> chain.proceed(at(server, chain.request()));
  }

  private static Request at(ScriptedServer server, Request request) {
    HttpUrl real = HttpUrl.get(server.uri("/").toString());
    HttpUrl url = request.url().newBuilder().host(real.host()).port(real.port()).build();
    return request.newBuilder().url(url).build();
  }

  private static Reply to(ScriptedServer server) {
    return Reply.status(307).header("Location", server.uri("/next").toString());
  }

  private static List<String> keys(ScriptedServer server) {
    return server.requests().stream().map(each -> each.header(KEY).orElse(NONE)).toList();
  }

  private static void assertKeyed(Key key, int requests, List<String> seen) {
    assertEquals(requests, seen.size(), seen.toString());
    assertEquals(1, Set.copyOf(seen).size(), seen.toString());
    if (key == Key.MINTED) {
      assertNotEquals(NONE, seen.get(0));
    } else {
      assertEquals("order-1", seen.get(0));
    }
  }

  static Stream<Arguments> spotsAndKeys() {
    return Arrays.stream(Spot.values())
        .filter(spot -> !spot.name().matches(NETWORK))
        .flatMap(spot -> Arrays.stream(Key.values()).map(key -> Arguments.of(spot, key)));
  }

  @ParameterizedTest
  @MethodSource("spotsAndKeys")
  void theKeyArrivesOnEveryAttempt(Spot spot, Key key) {
    Call.Factory calls = spot.calls(rig, rig.keyed(), rewriting(here));
    here.enqueue(Reply.status(503));

    Entry.Outcome got = spot.make(calls.newCall(key.on(toPlaceholder())));

    assertEquals(200, got.status(), got.toString());
    assertKeyed(key, 2, keys(here));
    assertEquals(keys(here).get(0), got.report().idempotencyKey().orElseThrow());
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = NETWORK)
  void theDefaultsLeaveTheCallersOwnKeyAlone(Spot spot) {
    Call.Factory calls = spot.calls(rig, HttpRetry.defaults(), rewriting(here));

    Entry.Outcome got = spot.make(calls.newCall(Key.CALLERS_HEADER.on(toPlaceholder())));

    assertEquals(200, got.status(), got.toString());
    assertEquals(List.of("order-1"), keys(here));
  }

  @ParameterizedTest
  @MethodSource("spotsAndKeys")
  void aRedirectWithinTheOriginKeepsTheKey(Spot spot, Key key) {
    Call.Factory calls = spot.calls(rig, rig.keyed(), rewriting(here));
    here.enqueue(to(here));

    Entry.Outcome got = spot.make(calls.newCall(key.on(toPlaceholder())));

    assertEquals(200, got.status(), got.toString());
    assertKeyed(key, 2, keys(here));
  }

  @ParameterizedTest
  @MethodSource("spotsAndKeys")
  void aRedirectToAnotherOriginDropsAKeyOfOurs(Spot spot, Key key) {
    Call.Factory calls = spot.calls(rig, rig.keyed(), rewriting(here));
    here.enqueue(to(there));
    there.enqueue(to(here)); // and back

    Entry.Outcome got = spot.make(calls.newCall(key.on(toPlaceholder())));

    assertEquals(200, got.status(), got.toString());
    assertEquals(List.of(key == Key.CALLERS_HEADER ? "order-1" : NONE), keys(there));
    assertKeyed(key, 2, keys(here));
  }

  /** The host in the caller's URL has no claim to the key: the request never went there. */
  @ParameterizedTest
  @MethodSource("spotsAndKeys")
  void aRedirectToTheHostOfTheCallersUrlDropsAKeyOfOurs(Spot spot, Key key) {
    Call.Factory calls = spot.calls(rig, rig.keyed(), rewriting(here));
    here.enqueue(to(there));

    Entry.Outcome got = spot.make(calls.newCall(key.on(Calls.post(there))));

    assertEquals(200, got.status(), got.toString());
    assertEquals(List.of(key == Key.CALLERS_HEADER ? "order-1" : NONE), keys(there));
    assertKeyed(key, 1, keys(here));
  }

  /** Two proceeds of one interceptor are no redirect: it knows what it does. */
  @ParameterizedTest
  @EnumSource(names = {"FACTORY_EXECUTE", "FACTORY_ENQUEUE"})
  void anInterceptorMayTakeTheKeyToASecondHost(Spot spot) {
    Interceptor failover =
        chain -> {
          Response first = chain.proceed(at(here, chain.request()));
          if (first.isSuccessful()) {
            return first;
          }
          first.close();
          return chain.proceed(at(there, chain.request()));
        };
    Call.Factory calls = spot.calls(rig, rig.keyed(), failover);
    here.enqueue(Reply.status(503));

    Entry.Outcome got = spot.make(calls.newCall(toPlaceholder()));

    assertEquals(200, got.status(), got.toString());
    assertKeyed(Key.MINTED, 1, keys(here));
    assertEquals(keys(here), keys(there));
  }
}
