package dev.steadfast.retry.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.RequestView;
import dev.steadfast.retry.limit.QuotaPacing;
import dev.steadfast.retry.testkit.FakeTime;
import java.time.Duration;
import okhttp3.Call;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Quota headers of real answers hold back the next call. */
class QuotaPacingTest {
  @AutoClose private final Rig rig = new Rig();

  @ParameterizedTest
  @CsvSource({
    "EXECUTE, false", "ENQUEUE, false", "INTERCEPTOR, false",
    "EXECUTE, true", "ENQUEUE, true", "INTERCEPTOR, true"
  })
  void theNextCallWaitsForTheReset(Entry entry, boolean http2) throws Exception {
    FakeTime time = new FakeTime();
    QuotaPacing pacing = QuotaPacing.perOrigin();
    HttpRetry retry =
        HttpRetry.builder()
            .environment(time.environment())
            .listener(time.skipWaits())
            .guard(pacing)
            .build();
    try (Target target = new Target(http2)) {
      Call.Factory calls = rig.calls(entry, target.client(), retry);
      for (int call = 0; call < 2; call++) {
        target.script(200, "ratelimit", "\"d\";r=0;t=5");
        assertEquals(200, entry.make(calls.newCall(target.get())).status());
      }
      // t=5 may have been rounded down from almost 6 s.
      assertEquals(Duration.ofSeconds(6), Duration.ofNanos(time.nanos()));
      String origin = RequestView.origin(target.get().url().uri());
      assertEquals(new QuotaPacing.State(0, 0, 0), pacing.state(origin));
    }
  }
}
