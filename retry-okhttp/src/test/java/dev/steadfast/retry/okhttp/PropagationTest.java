package dev.steadfast.retry.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.Propagation;
import dev.steadfast.retry.scope.RetryScope;
import dev.steadfast.retry.scope.ScopeOptions;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import okhttp3.Cache;
import okhttp3.Call;
import okhttp3.Request;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Which parts of a scope go over the wire, and to which servers. */
class PropagationTest {
  private static final String TOLD = "Do-Not-Retry";
  private static final String LEFT = "X-Request-Timeout-Ms";
  private static final List<String> NAMES = List.of(TOLD, LEFT, "grpc-timeout");

  @RegisterExtension private final Rig rig = new Rig();
  private final ScriptedServer here = rig.server();
  private final ScriptedServer there = rig.server();

  private static String origin(ScriptedServer server) {
    URI uri = server.uri("/");
    return uri.getScheme() + "://" + uri.getAuthority();
  }

  private HttpRetry.Builder toHere() {
    return rig.retry()
        .policy(
            RetryPolicy.builder()
                .totalTimeout(Duration.ofSeconds(1_000))
                .backoff(Backoff.fixed(Duration.ofSeconds(100)))
                .build())
        .propagation(Propagation.to(origin(here)));
  }

  private HttpRetry.Builder owning() {
    return toHere().propagation(Propagation.to(origin(here)).owningRetries());
  }

  private static List<String> sent(ScriptedServer server, String header) {
    return server.requests().stream().map(each -> each.header(header).orElse("-")).toList();
  }

  private static void assertSilent(ScriptedServer server) {
    for (String name : NAMES) {
      assertTrue(sent(server, name).stream().allMatch("-"::equals), name);
    }
  }

  private RetryScope scope() {
    ScopeOptions options = ScopeOptions.builder().environment(rig.time.environment()).build();
    return RetryScope.enter(Map.of(TOLD, "true", LEFT, "500000")::get, null, options);
  }

  @ParameterizedTest
  @EnumSource
  void theCallersOwnHeadersStay(Way way) {
    Call.Factory calls = way.calls(rig, owning().build());
    Request own =
        Calls.get(here)
            .newBuilder()
            .header("do-not-retry", "no")
            .header("grpc-timeout", "1n")
            .build();
    here.enqueue(redirect());
    assertEquals(200, way.make(calls.newCall(own)).status());
    assertEquals(List.of("no"), sent(here, TOLD));
    assertEquals(List.of("1n"), sent(here, "grpc-timeout"));
    assertEquals(List.of("1000000"), sent(here, LEFT));
    // His own go where OkHttp takes them; ours do not.
    assertEquals(List.of("no"), sent(there, TOLD));
    assertEquals(List.of("1n"), sent(there, "grpc-timeout"));
    assertEquals(List.of("-"), sent(there, LEFT));
    assertEquals(1, here.requests().get(0).headerValues(TOLD).size());
  }

  private Reply redirect() {
    return Reply.status(307).header("Location", there.uri("/next").toString());
  }

  @ParameterizedTest
  @EnumSource
  void aRedirectToAnotherOriginTakesNothingAlong(Way way) {
    Call.Factory calls = way.calls(rig, owning().build());
    here.enqueue(redirect());
    there.enqueue(Reply.status(307).header("Location", here.uri("/back").toString()));
    try (RetryScope scope = scope()) {
      assertEquals(200, way.make(calls.newCall(Calls.get(here))).status());
      assertTrue(scope.doNotRetry());
    }
    assertEquals(1, there.requests().size());
    assertSilent(there);
    assertEquals(List.of("true", "true"), sent(here, TOLD)); // and back: here it is known again
  }

  @ParameterizedTest
  @EnumSource
  void aRedirectWithinTheOriginTakesThemAlong(Way way) {
    Call.Factory calls = way.calls(rig, owning().build());
    here.enqueue(Reply.status(302).header("Location", "/next"));
    assertEquals(200, way.make(calls.newCall(Calls.get(here))).status());
    assertEquals(List.of("true", "true"), sent(here, TOLD));
  }

  @ParameterizedTest
  @EnumSource
  void aRedirectThatTheCacheHasKeptTakesNothingAlong(Way way, @TempDir Path directory)
      throws IOException {
    try (Cache cache = new Cache(directory.toFile(), 1 << 20)) {
      HttpRetry retry = owning().build();
      Call.Factory calls = way.calls(rig, Rig.builder().cache(cache), retry);
      Reply kept = Reply.status(301).header("Location", there.uri("/next").toString());
      here.enqueue(kept.header("Cache-Control", "max-age=1000"));

      assertEquals(200, way.make(calls.newCall(Calls.get(here))).status());
      assertEquals(200, way.make(calls.newCall(Calls.get(here))).status());

      assertEquals(1, here.requests().size(), "the redirect comes from the cache");
      assertEquals(2, there.requests().size());
      assertSilent(there);
    }
  }
}
