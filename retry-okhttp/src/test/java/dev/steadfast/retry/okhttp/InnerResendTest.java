package dev.steadfast.retry.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.Disposition;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.testsupport.H2Server;
import java.io.IOException;
import java.time.Duration;
import okhttp3.Call;
import okhttp3.Interceptor;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** An interceptor of the user's that sends a request a second time within one attempt. */
class InnerResendTest {
  private static final Duration ATTEMPT = Duration.ofSeconds(2);
  private static final int REFUSED_STREAM = 7;

  private static final Interceptor TWICE =
      chain -> {
        try {
          return chain.proceed(chain.request());
        } catch (IOException first) {
          return chain.proceed(chain.request());
        }
      };

  @RegisterExtension private final Rig rig = new Rig();
  private final Target target = rig.target(true);

  /** The server refused the first one. It has the second one when time is up. */
  @ParameterizedTest
  @EnumSource(names = {"EXECUTE", "ENQUEUE"})
  void thatTheFirstWasRefusedSaysNothingOfTheSecond(Entry entry) {
    HttpRetry retry = rig.retry().policy(Calls.seconds().attemptTimeout(ATTEMPT).build()).build();
    Call.Factory calls = rig.calls(entry, target.client().addInterceptor(TWICE), retry);
    target
        .h2()
        .enqueue(H2Server.reset(REFUSED_STREAM), (peer, stream) -> rig.time.advance(ATTEMPT));

    Entry.Outcome got = entry.make(calls.newCall(target.post()));

    assertEquals(2, target.deliveries(), got.toString());
    assertEquals(StopReason.NOT_REPLAYABLE, got.report().reason());
    assertEquals(Disposition.UNKNOWN, rig.recorder.attempts().get(0).disposition());
    assertTrue(got.report().serverMayHaveActed());
  }
}
