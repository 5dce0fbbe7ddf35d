package dev.steadfast.retry.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.steadfast.retry.AttemptRefusedException;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.RequestView;
import dev.steadfast.retry.limit.AdaptiveLimit;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import java.time.Duration;
import java.util.List;
import okhttp3.Call;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** An adaptive limit over real HTTP: who holds a place, what halves it, and who is refused. */
class AdaptiveLimitTest {
  @RegisterExtension private final Rig rig = new Rig();
  private final ScriptedServer server = rig.server();

  private static HttpRetry retry(String policy, AdaptiveLimit limit) {
    return HttpRetry.builder().policy(RetryPolicy.valueOf(policy)).guard(limit).build();
  }

  private Call call(HttpRetry retry, String path) {
    Request request = new Request.Builder().url(server.uri(path).toString()).build();
    return rig.calls(Entry.EXECUTE, Rig.builder(), retry).newCall(request);
  }

  private AdaptiveLimit.State state(AdaptiveLimit limit) {
    return limit.state(RequestView.origin(server.uri("/")));
  }

  @Test
  void aServerThatDoesNotAnswerHalvesIt_andOneThatFailsAtOnceDoesNot() throws Exception {
    server.route(request ->
        request.target().equals("/stalls") ? Reply.stallAfterRequest() : Reply.status(503));
    server.whenRequest(request -> {
      if (request.target().equals("/stalls")) {
        rig.time.advance(Duration.ofSeconds(5));
      }
    });
    AdaptiveLimit limit = AdaptiveLimit.perOrigin();
    RetryPolicy policy = RetryPolicy.valueOf("maxAttempts=1; attemptTimeout=5s");
    HttpRetry once = rig.retry().policy(policy).guard(limit).build();
    try (Response response = call(once, "/fails").execute()) {
      assertEquals(503, response.code());
    }
    assertEquals(new AdaptiveLimit.State(20, 0, 0), state(limit));
    assertThrows(java.io.IOException.class, call(once, "/stalls")::execute);
    assertEquals(new AdaptiveLimit.State(10, 0, 0), state(limit));
  }

  @Test
  void theHeadGivesThePlaceBack_notTheBody() throws Exception {
    server.route(request -> Reply.status(200).body("ok"));
    AdaptiveLimit limit = AdaptiveLimit.builder().maximum(1).build();
    HttpRetry retry = retry("maxAttempts=1", limit);
    try (Response first = call(retry, "/1").execute();
        Response second = call(retry, "/2").execute()) {
      assertEquals(200, first.code());
      assertEquals(200, second.code());
    }
    assertEquals(new AdaptiveLimit.State(1, 0, 0), state(limit));
  }

  @Test
  void oneBeyondItIsRefusedBeforeAnythingIsSent() throws Exception {
    server.route(request -> Reply.stallAfterRequest());
    AdaptiveLimit limit = AdaptiveLimit.builder().maximum(1).build();
    HttpRetry retry = retry("maxAttempts=1; attemptTimeout=20s", limit);
    Call held = call(retry, "/held");
    server.whenRequest(request -> {
      try {
        assertInstanceOf(
            AdaptiveLimit.Refused.class,
            assertThrows(AttemptRefusedException.class, call(retry, "/refused")::execute)
                .getCause());
      } finally {
        held.cancel();
      }
    });
    assertThrows(java.io.IOException.class, held::execute);
    assertEquals(new AdaptiveLimit.State(1, 0, 1), state(limit));
  }

  @Test
  void aClientWithoutAnyTimeoutIsRefused() {
    HttpRetry endless = retry("totalTimeout=none", AdaptiveLimit.perOrigin());
    OkHttpClient patient = new OkHttpClient.Builder().readTimeout(Duration.ZERO).build();
    assertThrows(IllegalArgumentException.class, () -> RetryingCallFactory.wrap(patient, endless));
    OkHttpClient.Builder builder = patient.newBuilder();
    assertThrows(IllegalArgumentException.class, () -> RetryInterceptor.addTo(builder, endless));
    assertEquals(List.of(), builder.interceptors());
    RetryInterceptor.addTo(new OkHttpClient.Builder(), endless);
    RetryingCallFactory.wrap(new OkHttpClient(), endless);
    RetryingCallFactory.wrap(patient, retry("attemptTimeout=1s", AdaptiveLimit.perOrigin()));
  }
}
