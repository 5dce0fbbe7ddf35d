package dev.steadfast.retry.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.RetryReport.Effect;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import java.io.IOException;
import java.util.stream.Stream;
import okhttp3.Call;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.Response;
import okhttp3.ResponseBody;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Interceptors of the user's that answer in place of the server. */
class MadeUpAnswerTest {
  private static final Interceptor LIMIT_FOR_A_FAILURE =
      chain -> {
        try {
          return chain.proceed(chain.request());
        } catch (IOException lost) {
          return answer(chain.request(), 429);
        }
      };

  @RegisterExtension private final Rig rig = new Rig();
  private final ScriptedServer server = rig.server();

  private static Response answer(Request request, int status) {
    return new Response.Builder()
        .request(request)
        .protocol(Protocol.HTTP_1_1)
        .code(status)
        .message("made up")
        .body(ResponseBody.create("", null))
        .build();
  }

  /** A 429 of the server's would say that it did nothing; this one cannot. */
  @ParameterizedTest
  @EnumSource(names = {"FACTORY_EXECUTE", "FACTORY_ENQUEUE", "AFTER_ADD_TO"})
  void aLimitInPlaceOfALostAnswerProvesNothing(Spot spot) {
    Call.Factory calls = spot.calls(rig, rig.retry().build(), LIMIT_FOR_A_FAILURE);
    server.defaultReply(Reply.closeAfterRequest());

    Entry.Outcome got = spot.make(calls.newCall(Calls.post(server)));

    assertEquals(1, server.requests().size(), got.toString());
    assertEquals(StopReason.NOT_REPLAYABLE, got.report().reason());
    assertTrue(got.report().serverMayHaveActed());
  }

  static Stream<Arguments> refusals() {
    return Stream.of(Spot.FACTORY_EXECUTE, Spot.FACTORY_ENQUEUE, Spot.AFTER_ADD_TO)
        .flatMap(spot -> Stream.of(401, 421, 425).map(status -> Arguments.of(spot, status)));
  }

  /** The server refused the one; the other may have been processed. */
  @ParameterizedTest
  @MethodSource("refusals")
  void anAnswerInPlaceOfARefusalSaysNothingOfTheRequestThatWentElsewhere(Spot spot, int status) {
    OkHttpClient other = rig.client(Rig.builder());
    Call.Factory calls =
        spot.calls(
            rig,
            rig.retry().build(),
            chain -> {
              chain.proceed(chain.request()).close();
              other.newCall(Calls.post(server)).execute().close();
              return answer(chain.request(), 503);
            });
    server.enqueue(Reply.status(status));

    Entry.Outcome got = spot.make(calls.newCall(Calls.post(server)));

    assertEquals(2, server.requests().size(), got.toString());
    assertEquals(StopReason.NOT_REPLAYABLE, got.report().reason());
    assertTrue(got.report().serverMayHaveActed());
  }

  private static final Interceptor LIMIT_FOR_AN_ERROR =
      chain -> {
        Response answer = chain.proceed(chain.request());
        answer.close();
        return answer.isSuccessful() ? answer(chain.request(), 200) : answer(chain.request(), 429);
      };

  /** An interceptor that unpacks bodies, for example. */
  @ParameterizedTest
  @EnumSource(names = {"FACTORY_EXECUTE", "FACTORY_ENQUEUE", "AFTER_ADD_TO"})
  void aLimitThatIsPutTogetherAnewIsTheServers(Spot spot) {
    Call.Factory calls = spot.calls(rig, rig.retry().build(), LIMIT_FOR_AN_ERROR);
    server.enqueue(Reply.status(429));

    Entry.Outcome got = spot.make(calls.newCall(Calls.post(server)));

    assertEquals(200, got.status(), got.toString());
    assertEquals(2, server.requests().size());
  }

  @ParameterizedTest
  @EnumSource(names = {"FACTORY_EXECUTE", "FACTORY_ENQUEUE", "AFTER_ADD_TO"})
  void aGetIsSentAgainAllTheSame(Spot spot) {
    Call.Factory calls = spot.calls(rig, rig.retry().build(), LIMIT_FOR_A_FAILURE);
    server.enqueue(Reply.closeAfterRequest());

    Entry.Outcome got = spot.make(calls.newCall(Calls.get(server)));

    assertEquals(200, got.status(), got.toString());
    assertEquals(2, server.requests().size());
  }

  /** The interceptor may have sent the request by other means. */
  @ParameterizedTest
  @EnumSource(names = {"FACTORY_EXECUTE", "FACTORY_ENQUEUE", "AFTER_ADD_TO"})
  void anAnswerOfItsOwnDoesNotProveThatNothingWasSent(Spot spot) {
    Call.Factory calls =
        spot.calls(rig, rig.retry().build(), chain -> answer(chain.request(), 503));

    Entry.Outcome got = spot.make(calls.newCall(Calls.post(server)));

    assertEquals(503, got.status());
    assertEquals(StopReason.ACCEPTED, rig.recorder.report().reason());
    assertEquals(1, rig.recorder.report().attempts());
    assertTrue(rig.recorder.report().serverMayHaveActed());
    assertTrue(got.report().serverMayHaveActed());
  }

  /** The scenario table has interceptors of the application; this one sees the network. */
  @Test
  void aLimitInPlaceOfASuccessProvesNothing() {
    Interceptor limiting = chain -> chain.proceed(chain.request()).newBuilder().code(429).build();
    Call.Factory calls = Spot.NETWORK_EXECUTE.calls(rig, rig.retry().build(), limiting);

    Entry.Outcome got = Spot.NETWORK_EXECUTE.make(calls.newCall(Calls.post(server)));

    assertEquals(1, server.requests().size(), got.toString());
    assertEquals(StopReason.NOT_REPLAYABLE, got.report().reason());
    assertEquals(Effect.UNKNOWN, got.report().effect(429));
  }
}
