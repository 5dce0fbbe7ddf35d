package dev.steadfast.retry.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.RetryReport.Effect;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import java.util.stream.Stream;
import okhttp3.Call;
import okhttp3.Interceptor;
import okhttp3.Response;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** An interceptor gives an answer another status: what that claims, the server has not said. */
class ChangedAnswerTest {
  @RegisterExtension private final Rig rig = new Rig();
  private final ScriptedServer server = rig.server();

  private static Interceptor mappingTo(int status) {
    return chain -> {
      Response response = chain.proceed(chain.request());
      return response.newBuilder().code(status).build();
    };
  }

  static Stream<Arguments> changed() {
    return Stream.of(
            Spot.FACTORY_EXECUTE, Spot.FACTORY_ENQUEUE, Spot.AFTER_ADD_TO, Spot.NETWORK_EXECUTE)
        .flatMap(spot -> Stream.of(500, 503, 200).map(status -> Arguments.of(spot, status)));
  }

  @ParameterizedTest
  @MethodSource("changed")
  void aLimitInItsPlace_provesNothing(Spot spot, int status) {
    Call.Factory calls = spot.calls(rig, rig.retry().build(), mappingTo(429));
    server.defaultReply(Reply.status(status));

    Entry.Outcome got = spot.make(calls.newCall(Calls.post(server)));

    assertEquals(1, server.requests().size(), got.toString());
    assertEquals(429, got.status());
    assertEquals(StopReason.NOT_REPLAYABLE, got.report().reason());
    assertTrue(got.report().serverMayHaveActed());
    assertTrue(got.report().outcomeUnknown());
    assertEquals(Effect.UNKNOWN, got.report().effect(429));
  }
}
