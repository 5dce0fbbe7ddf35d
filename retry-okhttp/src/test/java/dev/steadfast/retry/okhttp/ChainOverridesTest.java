package dev.steadfast.retry.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.steadfast.retry.StopReason;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import okhttp3.Authenticator;
import okhttp3.Cache;
import okhttp3.Call;
import okhttp3.ConnectionPool;
import okhttp3.Interceptor;
import okhttp3.OkHttp;
import okhttp3.OkHttpClient;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Since OkHttp 5.4 an interceptor can change the client's settings for its call. OkHttp's own
 * resends stay switched off, and what the settings are for goes on.
 */
class ChainOverridesTest {
  @RegisterExtension private final Rig rig = new Rig();
  private final Target target = rig.target(false);

  @BeforeEach
  void onlyWhereThereAreSuch() {
    assumeTrue(OkHttp.VERSION.startsWith("5."), "since OkHttp 5.4");
  }

  private static Interceptor with(UnaryOperator<Interceptor.Chain> change) {
    return chain -> change.apply(chain).proceed(chain.request());
  }

  private Call.Factory calls(Way way, OkHttpClient.Builder client, Interceptor interceptor) {
    if (way == Way.EXECUTE || way == Way.ENQUEUE) {
      return way.calls(rig, client.addInterceptor(interceptor), rig.retry().build());
    }
    // Added after Steadfast, so within each attempt.
    OkHttpClient retrying = (OkHttpClient) way.calls(rig, client, rig.retry().build());
    return rig.plain(retrying.newBuilder().addInterceptor(interceptor));
  }

  private void assertSentOnce(Way way, Function<OkHttpClient.Builder, Call.Factory> made)
      throws IOException {
    for (Fault fault : new Fault[] {Fault.H1_FIN, Fault.H1_RST}) {
      Call.Factory calls = made.apply(target.client());
      target.warmUp(calls);
      target.script(fault);

      Entry.Outcome got = way.make(calls.newCall(target.post()));

      assertEquals(1, target.deliveries(), got.toString());
      assertEquals(StopReason.NOT_REPLAYABLE, got.report().reason());
      target.script(503, "Retry-After", "0");
      target.forget();
      assertEquals(503, way.make(calls.newCall(target.post())).status());
      assertEquals(1, target.deliveries());
    }
  }

  @ParameterizedTest
  @EnumSource
  void retriesOfConnections(Way way) throws IOException {
    Interceptor on = with(chain -> chain.withRetryOnConnectionFailure(true));
    assertSentOnce(way, client -> calls(way, client.retryOnConnectionFailure(false), on));
    Interceptor off = with(chain -> chain.withRetryOnConnectionFailure(false));
    assertSentOnce(way, client -> calls(way, client, off));
  }

  @ParameterizedTest
  @EnumSource
  void anotherPool(Way way) throws IOException {
    ConnectionPool pool = new ConnectionPool();
    Interceptor own = with(chain -> chain.withConnectionPool(pool));
    assertSentOnce(way, client -> calls(way, client, own));
    pool.evictAll();
  }

  @ParameterizedTest
  @EnumSource
  void aCache(Way way, @TempDir Path directory) throws IOException {
    try (Cache cache = new Cache(directory.toFile(), 1 << 20)) {
      Interceptor own = with(chain -> chain.withCache(cache));
      assertSentOnce(way, client -> calls(way, client, own));
      Call.Factory calls = calls(way, target.client(), own);
      target.script(200, "Cache-Control", "max-age=1000");
      assertEquals(200, way.make(calls.newCall(target.get())).status());
      target.forget();
      assertEquals(200, way.make(calls.newCall(target.get())).status());
      assertEquals(0, target.deliveries());
    }
  }

  @ParameterizedTest
  @EnumSource
  void anAuthenticator(Way way) throws IOException {
    Authenticator login =
        (route, response) -> response.request().newBuilder().header("Authorization", "yes").build();
    Interceptor own = with(chain -> chain.withAuthenticator(login));
    assertSentOnce(way, client -> calls(way, client, own));
    Call.Factory calls = calls(way, target.client(), own);
    target.script(401);
    target.forget();
    Entry.Outcome got = way.make(calls.newCall(target.post()));
    assertEquals(200, got.status());
    assertEquals(2, target.deliveries());
    assertTrue(got.report().attempts() == 1, got.toString());
  }
}
