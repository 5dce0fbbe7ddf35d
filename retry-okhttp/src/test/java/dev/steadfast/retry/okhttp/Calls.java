package dev.steadfast.retry.okhttp;

import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.tck.ScriptedServer;
import java.time.Duration;
import okhttp3.OkHttp;
import okhttp3.Request;
import org.junit.jupiter.api.Assumptions;

/** Small things that the tests of calls share. */
final class Calls {
  static final Duration SOON = Duration.ofSeconds(10);

  private Calls() {}

  static Request get(ScriptedServer server) {
    return new Request.Builder().url(server.uri("/read").toString()).build();
  }

  static Request post(ScriptedServer server) {
    return get(server).newBuilder().post(Rig.BODY).build();
  }

  /** A policy whose waits are a second each. */
  static RetryPolicy.Builder seconds() {
    return RetryPolicy.builder().backoff(Backoff.fixed(Duration.ofSeconds(1)));
  }

  static boolean okHttp4() {
    return OkHttp.VERSION.startsWith("4.");
  }

  static void assumeOkHttp5() {
    Assumptions.assumeFalse(okHttp4(), "OkHttp 5 only");
  }
}
