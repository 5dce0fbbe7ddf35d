package dev.steadfast.retry.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.tck.RefusedPort;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import dev.steadfast.retry.testsupport.CapturedLog;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import okhttp3.Call;
import okhttp3.Dispatcher;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Interceptors that send by other means than their chain, and exceptions of their own making. */
class OtherMeansTest {
  @RegisterExtension private final Rig rig = new Rig();
  private final ScriptedServer server = rig.server();

  /** How the interceptor sends. */
  enum Means {
    SECOND_CLIENT,
    CLONE_OF_THE_CALL
  }

  /** What it does about a failure there. */
  enum Then {
    /** Throws an exception of its own instead of returning an error answer. */
    THROWS,
    /** Throws one of the kind that tells of a connection that was not made. */
    THROWS_A_CONNECT_FAILURE,
    /** Returns the error answer. */
    RETURNS,
    /** Lets the exception of the other means through. */
    LETS_THROUGH;

    Reply failure() {
      return this == LETS_THROUGH ? Reply.closeAfterRequest() : Reply.status(503);
    }

    Response about(Response response) throws IOException {
      if (response.isSuccessful() || this == RETURNS) {
        return response;
      }
      response.close();
      throw this == THROWS ? new IOException("HTTP error") : new ConnectException("HTTP error");
    }
  }

  static Stream<Arguments> all() {
    return Stream.of(Spot.FACTORY_EXECUTE, Spot.FACTORY_ENQUEUE, Spot.AFTER_ADD_TO)
        .flatMap(spot ->
            Arrays.stream(Means.values())
                .flatMap(means ->
                    Arrays.stream(Then.values()).map(then -> Arguments.of(spot, means, then))));
  }

  private Interceptor sending(Means means, Then then) {
    OkHttpClient second = rig.client(Rig.builder());
    ThreadLocal<Boolean> within = new ThreadLocal<>(); // the clone comes here, too
    return chain -> {
      if (within.get() != null) {
        return chain.proceed(chain.request());
      }
      within.set(true);
      try {
        Call other =
            means == Means.SECOND_CLIENT ? second.newCall(chain.request()) : chain.call().clone();
        return then.about(other.execute());
      } finally {
        within.remove();
      }
    };
  }

  @ParameterizedTest
  @MethodSource("all")
  void aKeylessPostIsSentOnce(Spot spot, Means means, Then then) {
    Call.Factory calls = spot.calls(rig, rig.retry().build(), sending(means, then));
    server.defaultReply(then.failure());

    Entry.Outcome got = spot.make(calls.newCall(Calls.post(server)));

    assertEquals(1, server.requests().size(), got.toString());
    assertEquals(StopReason.NOT_REPLAYABLE, got.report().reason());
    assertTrue(got.report().serverMayHaveActed());
  }

  @ParameterizedTest
  @MethodSource("all")
  void aGetIsRetried(Spot spot, Means means, Then then) {
    Call.Factory calls = spot.calls(rig, rig.retry().build(), sending(means, then));
    server.enqueue(then.failure());

    Entry.Outcome got = spot.make(calls.newCall(Calls.get(server)));

    assertEquals(200, got.status(), got.toString());
    assertEquals(2, server.requests().size());
  }

  static Stream<Arguments> callsOfAFactory() {
    return Stream.of(Entry.EXECUTE, Entry.ENQUEUE)
        .flatMap(entry -> Stream.of(false, true).map(around -> Arguments.of(entry, around)));
  }

  /** Its request has the tag of the attempt, and still it is not the attempt's. */
  @ParameterizedTest
  @MethodSource("callsOfAFactory")
  void aCloneOfTheCallOfAFactoryIsACallOfItsOwn(Entry entry, boolean around) {
    OkHttpClient.Builder builder =
        Rig.builder().addInterceptor(sending(Means.CLONE_OF_THE_CALL, Then.RETURNS));
    CallsAround own = new CallsAround() {};
    RetryingCallFactory calls =
        rig.factory(
            rig.client(builder), client -> around ? own.of(client) : client, rig.retry().build());

    Entry.Outcome got = entry.make(calls.newCall(Calls.post(server)));

    assertEquals(200, got.status(), got.toString());
    assertEquals(1, server.requests().size());
    assertEquals(1, rig.recorder.report().attempts());
    assertTrue(rig.recorder.report().serverMayHaveActed());
  }

  @ParameterizedTest
  @EnumSource(names = {"FACTORY_EXECUTE", "FACTORY_ENQUEUE", "AFTER_ADD_TO"})
  void thatSomebodySendsByOtherMeansIsSaidOnce(Spot spot) {
    Call.Factory calls =
        spot.calls(rig, rig.retry().build(), sending(Means.SECOND_CLIENT, Then.RETURNS));

    List<String> warnings =
        CapturedLog.warningsOf(() -> {
          for (int i = 0; i < 3; i++) {
            assertEquals(200, spot.make(calls.newCall(Calls.get(server))).status());
          }
        });

    assertEquals(1, warnings.size(), warnings.toString());
    assertTrue(warnings.get(0).startsWith("WARN "), warnings.toString());
  }

  // ---- nothing was sent, and who can prove it

  private static final Interceptor WRAPPING =
      chain -> {
        try {
          return chain.proceed(chain.request());
        } catch (IOException failure) {
          throw new ConnectException("backend: " + failure.getMessage());
        }
      };

  private static final Interceptor RETHROWING =
      chain -> {
        try {
          return chain.proceed(chain.request());
        } catch (IOException failure) {
          throw failure;
        }
      };

  private static Request post(RefusedPort port) {
    return new Request.Builder().url(port.uri("/charge").toString()).post(Rig.BODY).build();
  }

  /** It may have sent by other means before it threw. */
  @ParameterizedTest
  @EnumSource(names = {"FACTORY_EXECUTE", "FACTORY_ENQUEUE", "AFTER_ADD_TO"})
  void anExceptionOfAnInterceptorThatDoesNotProceedProvesNothing(Spot spot) {
    Call.Factory calls =
        spot.calls(
            rig,
            rig.retry().build(),
            chain -> {
              throw new IOException("offline");
            });

    Entry.Outcome post = spot.make(calls.newCall(Calls.post(server)));
    Entry.Outcome get = spot.make(calls.newCall(Calls.get(server)));

    assertEquals(1, post.report().attempts(), post.toString());
    assertTrue(post.report().serverMayHaveActed());
    assertEquals(3, get.report().attempts(), get.toString());
  }

  @ParameterizedTest
  @EnumSource(names = {"FACTORY_EXECUTE", "FACTORY_ENQUEUE", "BEFORE_ADD_TO"})
  void theConnectFailureItselfIsProof(Spot spot) {
    Call.Factory calls = spot.calls(rig, rig.retry().build(), RETHROWING);
    try (RefusedPort nobody = RefusedPort.open()) {
      Entry.Outcome got = spot.make(calls.newCall(post(nobody)));

      assertEquals(3, got.report().attempts(), got.toString());
      assertFalse(got.report().serverMayHaveActed());
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"FACTORY_EXECUTE", "FACTORY_ENQUEUE", "NETWORK_EXECUTE", "NETWORK_ENQUEUE"})
  void aCallThatIsCancelledDuringTheLookupSentNothing(Spot spot) {
    Dispatcher dispatcher = new Dispatcher();
    OkHttpClient.Builder builder =
        Rig.builder()
            .dispatcher(dispatcher)
            .dns(host -> {
              dispatcher.cancelAll();
              return List.of(InetAddress.getLoopbackAddress());
            });
    Call.Factory calls = spot.calls(rig, rig.retry().build(), builder, RETHROWING);
    Request post = new Request.Builder().url("http://service.test/charge").post(Rig.BODY).build();

    Entry.Outcome got = spot.make(calls.newCall(post));

    assertEquals(StopReason.CANCELLED, got.report().reason(), got.toString());
    assertFalse(got.report().serverMayHaveActed());
  }

  /** What wraps the exception here is around the operation, which saw the failure itself. */
  @ParameterizedTest
  @EnumSource(names = "BEFORE_ADD_TO")
  void anExceptionMadeAroundTheOperationChangesNothing(Spot spot) {
    Call.Factory calls = spot.calls(rig, rig.retry().build(), WRAPPING);
    try (RefusedPort nobody = RefusedPort.open()) {
      spot.make(calls.newCall(post(nobody)));

      assertEquals(3, rig.recorder.report().attempts());
      assertFalse(rig.recorder.report().serverMayHaveActed());
    }
  }

  /**
   * A connect failure of the second client says nothing about ours. Within a {@link
   * RetryInterceptor}, where that failure names the server that ours would go to, nothing tells the
   * two apart.
   */
  @ParameterizedTest
  @EnumSource(names = {"FACTORY_EXECUTE", "FACTORY_ENQUEUE"})
  void aConnectFailureOfAnotherClientProvesNothing(Spot spot) {
    Call.Factory calls =
        spot.calls(rig, rig.retry().build(), sending(Means.SECOND_CLIENT, Then.LETS_THROUGH));
    try (RefusedPort nobody = RefusedPort.open()) {
      Entry.Outcome got = spot.make(calls.newCall(post(nobody)));

      assertEquals(1, got.report().attempts(), got.toString());
      assertEquals(StopReason.NOT_REPLAYABLE, got.report().reason());
    }
  }
}
