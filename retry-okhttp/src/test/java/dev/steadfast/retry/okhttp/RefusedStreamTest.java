package dev.steadfast.retry.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.http.HttpRetry;
import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import okhttp3.Call;
import okhttp3.OkHttpClient;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A server has not processed a stream that it refuses: too many were open, or it replaces the
 * connection. Plain OkHttp sends all of a burst again.
 */
class RefusedStreamTest {
  @RegisterExtension private final Rig rig = new Rig();
  private final Target target = rig.target(true);

  private Call.Factory withoutBudget(Way way) throws IOException {
    HttpRetry retry = rig.retry().budget(RetryBudget.successFunded(0, 0, 0)).build();
    Call.Factory calls = way.calls(rig, target.client(), retry);
    target.warmUp(calls);
    rig.recorder.forget();
    return calls;
  }

  private void assertSentAgain(Way way, Fault fault) throws Exception {
    Call.Factory calls = withoutBudget(way);
    target.script(fault);

    Entry.Outcome got = way.make(calls.newCall(target.post()));

    assertEquals(200, got.status());
    assertEquals(
        FailureKind.REFUSED_STREAM, got.report().attemptReports().get(0).kind().orElseThrow());
    assertEquals(2, target.deliveries());
  }

  @ParameterizedTest
  @EnumSource
  void theFirstResendCostsNoBudget(Way way) throws Exception {
    assertSentAgain(way, Fault.H2_REFUSED_STREAM);
  }

  @ParameterizedTest
  @EnumSource
  void norDoesThatAfterAGoAway(Way way) throws Exception {
    assertSentAgain(way, Fault.H2_GOAWAY);
  }

  /** A busy machine, or names that are looked up again, send nothing by other means. */
  @ParameterizedTest
  @EnumSource
  void itIsSentAgainHoweverLongTheFailureTakes(Way way) throws Exception {
    OkHttpClient.Builder slow =
        target
            .client()
            .dns(host -> {
              rig.time.advance(Duration.ofMillis(20));
              return List.of(InetAddress.getLoopbackAddress());
            });
    Call.Factory calls = way.calls(rig, slow, rig.retry().build());
    target.warmUp(calls);
    target.script(Fault.H2_REFUSED_STREAM);

    Entry.Outcome got = way.make(calls.newCall(target.post()));

    assertEquals(200, got.status(), got.toString());
    assertEquals(2, target.deliveries());
  }

  @ParameterizedTest
  @EnumSource
  void theSecondOneDoes(Way way) throws Exception {
    Call.Factory calls = withoutBudget(way);
    target.script(Fault.H2_REFUSED_STREAM);
    target.script(Fault.H2_REFUSED_STREAM);

    Entry.Outcome got = way.make(calls.newCall(target.post()));

    assertEquals(StopReason.BUDGET_EXHAUSTED, got.report().reason());
    assertEquals(2, target.deliveries());
  }
}
