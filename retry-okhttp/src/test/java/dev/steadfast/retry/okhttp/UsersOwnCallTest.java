package dev.steadfast.retry.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import okhttp3.Call;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Calls that a factory of the user's makes of the client it was given, beside the attempt's. */
class UsersOwnCallTest {
  @RegisterExtension private final Rig rig = new Rig();
  private final ScriptedServer server = rig.server();
  private final AtomicReference<Call.Factory> given = new AtomicReference<>();

  /** What the request of the other call is made of. */
  enum Made {
    OF_THE_ATTEMPTS_REQUEST,
    ANEW
  }

  static Stream<Arguments> all() {
    return Stream.of(Made.values())
        .flatMap(
            made -> Stream.of(false, true).map(interceptors -> Arguments.of(made, interceptors)));
  }

  private Request other(Made made, Request request) {
    return made == Made.ANEW ? Calls.post(server) : request.newBuilder().build();
  }

  private RetryingCallFactory calls(CallsAround around, boolean interceptors) {
    OkHttpClient.Builder builder = Rig.builder();
    if (interceptors) {
      builder.addInterceptor(chain -> chain.proceed(chain.request()));
      builder.addNetworkInterceptor(chain -> chain.proceed(chain.request()));
    }
    return rig.factory(
        rig.client(builder),
        client -> {
          given.set(client);
          return around.of(client);
        },
        rig.retry().build());
  }

  /** Sends again if the first call has not succeeded. */
  private CallsAround second(Made made) {
    return new CallsAround() {
      @Override
      public Response execute(Call inner) throws IOException {
        Response first = inner.execute();
        if (first.isSuccessful()) {
          return first;
        }
        first.close();
        return given.get().newCall(other(made, inner.request())).execute();
      }
    };
  }

  @ParameterizedTest
  @MethodSource("all")
  void okHttpDoesNotResendThem(Made made, boolean interceptors) {
    RetryingCallFactory calls = calls(second(made), interceptors);
    server.enqueue(Reply.status(500), Reply.status(503).header("Retry-After", "0").body("busy"));

    Entry.Outcome got = Entry.EXECUTE.make(calls.newCall(Calls.post(server)));

    assertEquals(2, server.requests().size(), got.toString());
    assertEquals(503, got.status());
    assertEquals("0", got.headers().get("Retry-After"));
    assertEquals(1, got.headers().values("Retry-After").size());
    assertEquals("busy", got.body());
    assertEquals(StopReason.NOT_REPLAYABLE, got.report().reason());
  }

  @ParameterizedTest
  @MethodSource("all")
  void norAfterAFailure(Made made, boolean interceptors) {
    RetryingCallFactory calls = calls(second(made), interceptors);
    server.enqueue(Reply.status(500), Reply.closeAfterRequest()); // on a connection in use

    Entry.Outcome got = Entry.EXECUTE.make(calls.newCall(Calls.post(server)));

    assertEquals(2, server.requests().size(), got.toString());
    assertEquals(StopReason.NOT_REPLAYABLE, got.report().reason());
  }

  /** The first call was refused, which says nothing of the second. */
  @ParameterizedTest
  @MethodSource("all")
  void theFailureOfOne_isNotJudgedByTheHeadOfAnother(Made made, boolean interceptors) {
    RetryingCallFactory calls = calls(second(made), interceptors);
    server.enqueue(Reply.status(429), Reply.closeAfterRequest());

    Entry.Outcome got = Entry.EXECUTE.make(calls.newCall(Calls.post(server)));

    assertEquals(2, server.requests().size(), got.toString());
    assertEquals(StopReason.NOT_REPLAYABLE, got.report().reason());
    assertTrue(got.report().serverMayHaveActed());
    Optional<FailureKind> kind = got.report().last().orElseThrow().kind();
    assertNotEquals(Optional.of(FailureKind.THROTTLED), kind, got.toString());
  }

  /** The caller gets the refusal, which is older than the other request. */
  @ParameterizedTest
  @MethodSource("all")
  void norOfOneThatComesAfterIt(Made made, boolean interceptors) {
    CallsAround after =
        new CallsAround() {
          @Override
          public Response execute(Call inner) throws IOException {
            Response refusal = inner.execute();
            given.get().newCall(other(made, inner.request())).execute().close();
            return refusal;
          }
        };
    RetryingCallFactory calls = calls(after, interceptors);
    server.enqueue(Reply.status(429), Reply.status(200));

    Entry.Outcome got = Entry.EXECUTE.make(calls.newCall(Calls.post(server)));

    assertEquals(2, server.requests().size(), got.toString());
    assertEquals(StopReason.NOT_REPLAYABLE, got.report().reason(), got.toString());
  }

  /** The answer of the attempt is a refusal, and another request may have been processed. */
  @ParameterizedTest
  @MethodSource("all")
  void aRefusalSaysNothingOfTheOther(Made made, boolean interceptors) {
    CallsAround first =
        new CallsAround() {
          @Override
          public Response execute(Call inner) throws IOException {
            given.get().newCall(other(made, Calls.post(server))).execute().close();
            return inner.execute();
          }
        };
    RetryingCallFactory calls = calls(first, interceptors);
    server.enqueue(Reply.status(200), Reply.status(429));

    Entry.Outcome got = Entry.EXECUTE.make(calls.newCall(Calls.post(server)));

    assertEquals(2, server.requests().size(), got.toString());
    assertEquals(StopReason.NOT_REPLAYABLE, got.report().reason());
  }

  /** A connection that the server has closed while it was idle fails nothing. */
  @ParameterizedTest
  @MethodSource("all")
  void aStaleConnectionIsReplaced(Made made, boolean interceptors) {
    CallsAround patient =
        new CallsAround() {
          @Override
          public Response execute(Call inner) throws IOException {
            inner.execute().close();
            try {
              server.awaitNoOpenConnections(Calls.SOON);
            } catch (InterruptedException e) {
              throw new AssertionError(e);
            }
            return given.get().newCall(other(made, inner.request())).execute();
          }
        };
    RetryingCallFactory calls = calls(patient, interceptors);
    server.enqueue(Reply.status(500).thenClose());

    Entry.Outcome got = Entry.EXECUTE.make(calls.newCall(Calls.post(server)));

    assertEquals(200, got.status(), got.toString());
    assertEquals(2, server.requests().size());
  }
}
