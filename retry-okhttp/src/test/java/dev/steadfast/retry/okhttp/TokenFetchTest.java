package dev.steadfast.retry.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import java.util.Optional;
import okhttp3.Call;
import okhttp3.Interceptor;
import okhttp3.Request;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** An interceptor sends a POST of its own through its chain, before the caller's request. */
class TokenFetchTest {
  @RegisterExtension private final Rig rig = new Rig();
  private final ScriptedServer server = rig.server();

  private Request token() {
    return new Request.Builder()
        .url(server.uri("/token?secret=1").toString())
        .post(Rig.BODY)
        .build();
  }

  private Interceptor fetching() {
    return chain -> {
      chain.proceed(token()).close();
      return chain.proceed(chain.request());
    };
  }

  private Entry.Outcome make(Spot spot, HttpRetry retry, Request request) {
    return spot.make(spot.calls(rig, retry, fetching()).newCall(request));
  }

  private void assertNamesTheToken(Entry.Outcome got) {
    assertEquals(2, server.requests().size(), got.toString());
    assertEquals(StopReason.NOT_REPLAYABLE, got.report().reason());
    String named = "POST http://127.0.0.1:" + server.port() + "/token again";
    assertTrue(got.report().toString().contains(named), got.report().toString());
  }

  @ParameterizedTest
  @EnumSource(names = {"FACTORY_EXECUTE", "FACTORY_ENQUEUE", "AFTER_ADD_TO"})
  void theReportNamesTheRequestThatForbidsARetry(Spot spot) {
    server.enqueue(Reply.status(200), Reply.status(503));
    assertNamesTheToken(make(spot, rig.retry().build(), Calls.get(server)));
  }

  @ParameterizedTest
  @EnumSource(names = {"FACTORY_EXECUTE", "FACTORY_ENQUEUE", "AFTER_ADD_TO"})
  void theKeyCoversTheOperationAllTheSame(Spot spot) {
    server.enqueue(Reply.status(200), Reply.closeAfterRequest());
    Entry.Outcome got = make(spot, rig.keyed(), Calls.post(server));
    assertNamesTheToken(got);
    String sent = server.requests().get(1).header("Idempotency-Key").orElseThrow();
    assertEquals(Optional.of(sent), got.report().idempotencyKey());
    assertEquals(Optional.empty(), got.report().sentWithoutKey());
  }

  /** One that replaces the request of the operation is not beside it. */
  @ParameterizedTest
  @EnumSource(names = {"FACTORY_EXECUTE", "FACTORY_ENQUEUE", "AFTER_ADD_TO"})
  void aRequestInTheOperationsPlaceHasToCarryItsKey(Spot spot) {
    Call.Factory calls = spot.calls(rig, rig.keyed(), chain -> chain.proceed(token()));
    server.enqueue(Reply.closeAfterRequest());

    Entry.Outcome got = spot.make(calls.newCall(Calls.post(server)));

    assertEquals(Optional.empty(), got.report().idempotencyKey());
    assertEquals(
        Optional.of("POST http://127.0.0.1:" + server.port() + "/token"),
        got.report().sentWithoutKey());
  }
}
