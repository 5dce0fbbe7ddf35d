package dev.steadfast.retry.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.tck.ScriptedServer;
import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import okhttp3.Call;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Code of the user's around OkHttp that sends by another client when an attempt is given up. */
class FallbackTest {
  private static final Duration ATTEMPT = Duration.ofSeconds(2);

  @RegisterExtension private final Rig rig = new Rig();
  private final ScriptedServer server = rig.server();
  private final CountDownLatch fellBack = new CountDownLatch(1);

  /** Where the code is. */
  enum Place {
    INTERCEPTOR,
    INTERCEPTOR_WITHIN_CALLS,
    CALLS,
    CALLS_WITH_AN_INTERCEPTOR_WITHIN;

    Call.Factory calls(
        Rig rig, OkHttpClient.Builder builder, HttpRetry retry, CallsAround.Fallback fallback) {
      if (this == INTERCEPTOR || this == INTERCEPTOR_WITHIN_CALLS) {
        builder.addInterceptor(chain -> {
          try {
            return chain.proceed(chain.request());
          } catch (IOException lost) {
            return fallback.send(chain.request());
          }
        });
      }
      if (this == CALLS_WITH_AN_INTERCEPTOR_WITHIN) {
        builder.addInterceptor(chain -> chain.proceed(chain.request()));
      }
      CallsAround around =
          this == INTERCEPTOR_WITHIN_CALLS
              ? new CallsAround() {}
              : CallsAround.fallingBack(fallback);
      return this == INTERCEPTOR
          ? rig.factory(rig.client(builder), retry)
          : rig.factory(rig.client(builder), around::of, retry);
    }
  }

  static Stream<Arguments> placesAndEntries() {
    return Arrays.stream(Place.values())
        .flatMap(place ->
            Stream.of(Entry.EXECUTE, Entry.ENQUEUE).map(entry -> Arguments.of(place, entry)));
  }

  private HttpRetry bounded() {
    return rig.retry()
        .policy(
            Calls.seconds().attemptTimeout(ATTEMPT).totalTimeout(Duration.ofSeconds(10)).build())
        .build();
  }

  /** Time is up while the host is looked up, the first time. */
  private OkHttpClient.Builder slow() {
    AtomicInteger lookups = new AtomicInteger();
    return Rig.builder()
        .dns(host -> {
          if (lookups.incrementAndGet() == 1) {
            rig.time.advance(ATTEMPT);
          }
          return List.of(InetAddress.getLoopbackAddress());
        });
  }

  private Request post() {
    Request post = Calls.post(server);
    return post.newBuilder().url(post.url().newBuilder().host("service.test").build()).build();
  }

  private Response elsewhere(OkHttpClient other) throws IOException {
    Response answer = other.newCall(Calls.post(server)).execute();
    fellBack.countDown();
    return answer;
  }

  @ParameterizedTest
  @MethodSource("placesAndEntries")
  void aKeylessPostHasOneEffect(Place place, Entry entry) throws Exception {
    OkHttpClient other = rig.client(Rig.builder());
    Call.Factory calls = place.calls(rig, slow(), bounded(), request -> elsewhere(other));

    Entry.Outcome got = entry.make(calls.newCall(post()));

    assertTrue(fellBack.await(10, TimeUnit.SECONDS));
    assertEquals(1, server.requests().size(), got.toString());
    assertEquals(StopReason.NOT_REPLAYABLE, got.report().reason());
    assertTrue(got.report().serverMayHaveActed());
  }

  /** What is thrown then is another exception than OkHttp's. */
  @ParameterizedTest
  @MethodSource("placesAndEntries")
  void nothingIsKnownOfAFallbackThatFails(Place place, Entry entry) throws Exception {
    OkHttpClient other = rig.client(Rig.builder());
    CallsAround.Fallback failing =
        request -> {
          elsewhere(other).close();
          throw new IOException("the answer makes no sense");
        };
    Call.Factory calls = place.calls(rig, slow(), bounded(), failing);

    Entry.Outcome got = entry.make(calls.newCall(post()));

    assertTrue(fellBack.await(10, TimeUnit.SECONDS));
    assertEquals(1, server.requests().size(), got.toString());
    assertTrue(got.report().serverMayHaveActed());
  }
}
