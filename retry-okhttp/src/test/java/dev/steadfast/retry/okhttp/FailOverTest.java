package dev.steadfast.retry.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.tck.RefusedPort;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import java.io.IOException;
import java.time.Duration;
import okhttp3.Call;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * User code catches a failed connect, sends by another client, and throws the first exception again
 * (docs/decisions/evidence.md).
 */
class FailOverTest {
  private static final Duration WHILE_SENDING = Duration.ofMillis(2);

  private final Rig rig = new Rig();
  private final ScriptedServer backup = ScriptedServer.start();
  private final RefusedPort down = RefusedPort.open();

  @AfterEach
  void leavesNothing() throws InterruptedException {
    rig.close();
    down.close();
    backup.assertNoLeaks();
    backup.close();
  }

  private Request post() {
    return new Request.Builder().url(down.uri("/charge").toString()).post(Rig.BODY).build();
  }

  /** The server acts, and its answer is lost. */
  private IOException sentToBackup(OkHttpClient other) {
    backup.defaultReply(Reply.closeAfterRequest());
    try {
      other.newCall(Calls.post(backup)).execute().close();
      throw new AssertionError("answered");
    } catch (IOException lost) {
      return lost;
    }
  }

  private Interceptor failingOver(boolean suppresses) {
    OkHttpClient other = rig.client(Rig.builder());
    return chain -> {
      try {
        return chain.proceed(chain.request());
      } catch (IOException first) {
        IOException second = sentToBackup(other);
        if (suppresses) {
          first.addSuppressed(second);
        } else {
          rig.time.advance(WHILE_SENDING);
        }
        throw first;
      }
    };
  }

  private void assertSentOnce(Entry.Outcome got) {
    assertEquals(1, backup.requests().size(), got.toString());
    assertEquals(1, got.report().attempts());
    assertEquals(StopReason.NOT_REPLAYABLE, got.report().reason());
    assertTrue(got.report().serverMayHaveActed());
  }

  @ParameterizedTest
  @EnumSource(names = {"FACTORY_EXECUTE", "FACTORY_ENQUEUE"})
  void theFirstExceptionAfterASecondRequest_provesNothing(Spot spot) {
    Call.Factory calls = spot.calls(rig, rig.retry().build(), failingOver(false));
    assertSentOnce(spot.make(calls.newCall(post())));
  }

  @ParameterizedTest
  @EnumSource(names = {"FACTORY_EXECUTE", "FACTORY_ENQUEUE"})
  void norDoesOneThatTellsOfTheSecond(Spot spot) {
    Call.Factory calls = spot.calls(rig, rig.retry().build(), failingOver(true));
    assertSentOnce(spot.make(calls.newCall(post())));
  }

  @ParameterizedTest
  @EnumSource(names = {"EXECUTE", "ENQUEUE"})
  void norDoesThatOfAUsersCall(Entry entry) {
    OkHttpClient other = rig.client(Rig.builder());
    CallsAround failingOver =
        CallsAround.failing(first -> {
          sentToBackup(other);
          rig.time.advance(WHILE_SENDING);
          return first;
        });
    RetryingCallFactory calls =
        rig.factory(rig.client(Rig.builder()), failingOver::of, rig.retry().build());
    assertSentOnce(entry.make(calls.newCall(post())));
  }

  /** A reset that refuses the stream proves as much, until somebody has had the time to send. */
  @ParameterizedTest
  @EnumSource(
      names = {
        "FACTORY_EXECUTE",
        "FACTORY_ENQUEUE",
        "AFTER_ADD_TO",
        "NETWORK_EXECUTE",
        "NETWORK_INTERCEPTOR"
      })
  void aRefusedStreamIsNoProofAfterASecondRequest(Spot spot) {
    try (Target target = new Target(true)) {
      for (int i = 0; i < 10; i++) {
        target.script(Fault.H2_REFUSED_STREAM);
      }
      Call.Factory calls =
          spot.calls(rig, rig.retry().build(), target.client(), failingOver(false));
      assertSentOnce(spot.make(calls.newCall(target.post())));
    }
  }

  // ---- interceptors that only pass it on

  private static final Interceptor LOGS =
      chain -> {
        try {
          return chain.proceed(chain.request());
        } catch (IOException failure) {
          assertFalse(failure.toString().isEmpty());
          throw failure;
        }
      };

  private static final Interceptor ADDS_A_HEADER =
      chain -> chain.proceed(chain.request().newBuilder().header("X-Trace", "1").build());

  @ParameterizedTest
  @EnumSource(names = {"FACTORY_EXECUTE", "FACTORY_ENQUEUE", "BEFORE_ADD_TO"})
  void whoOnlyPassesItOn_changesNothing(Spot spot) {
    Call.Factory calls =
        spot.calls(rig, rig.retry().build(), Rig.builder().addInterceptor(ADDS_A_HEADER), LOGS);

    Entry.Outcome got = spot.make(calls.newCall(post()));

    assertEquals(3, got.report().attempts(), got.toString());
    assertFalse(got.report().serverMayHaveActed());
  }

  @ParameterizedTest
  @EnumSource(names = {"EXECUTE", "ENQUEUE"})
  void norDoesAUsersCallThatDoes(Entry entry) {
    RetryingCallFactory calls =
        rig.factory(
            rig.client(Rig.builder()),
            CallsAround.failing(first -> first)::of,
            rig.retry().build());

    Entry.Outcome got = entry.make(calls.newCall(post()));

    assertEquals(3, got.report().attempts(), got.toString());
    assertFalse(got.report().serverMayHaveActed());
  }

  /** A slow machine is no reason where no code of the user's comes between. */
  @ParameterizedTest
  @EnumSource
  void withoutInterceptorsTimeDoesNotMatter(Entry entry) {
    OkHttpClient.Builder slow =
        Rig.builder()
            .dns(host -> {
              rig.time.advance(WHILE_SENDING);
              return okhttp3.Dns.SYSTEM.lookup(host);
            });
    Call.Factory calls = rig.calls(entry, slow, rig.retry().build());

    Entry.Outcome got = entry.make(calls.newCall(post()));

    assertEquals(3, got.report().attempts(), got.toString());
    assertFalse(got.report().serverMayHaveActed());
  }
}
