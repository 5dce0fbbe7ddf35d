package dev.steadfast.retry.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.tck.RefusedPort;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import dev.steadfast.retry.testsupport.CapturedLog;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Clients with a {@link RetryInterceptor} that have lost its network interceptor. */
class MissingNetworkHalfTest {
  @RegisterExtension private final Rig rig = new Rig();
  private final ScriptedServer server = rig.server();

  /** How it gets lost. */
  enum Loss {
    COPY_OF_THE_APPLICATION_INTERCEPTORS,
    CLEARED_NETWORK_INTERCEPTORS;

    OkHttpClient from(Rig rig, HttpRetry retry, OkHttpClient.Builder builder) {
      OkHttpClient complete = rig.client(RetryInterceptor.addTo(builder, retry));
      OkHttpClient.Builder lossy = complete.newBuilder();
      if (this == COPY_OF_THE_APPLICATION_INTERCEPTORS) {
        lossy = Rig.builder().dns(complete.dns()).followRedirects(complete.followRedirects());
        complete.interceptors().forEach(lossy::addInterceptor);
      }
      lossy.networkInterceptors().clear();
      return rig.client(lossy);
    }
  }

  static Stream<Arguments> lossesAndWays() {
    return Arrays.stream(Loss.values())
        .flatMap(loss ->
            Stream.of(Way.INTERCEPTOR, Way.INTERCEPTOR_ENQUEUE)
                .map(way -> Arguments.of(loss, way)));
  }

  private OkHttpClient client(Loss loss) {
    return loss.from(rig, rig.retry().build(), Rig.builder());
  }

  // The next request goes out on a new connection, because OkHttp's resend on a pooled one cannot
  // be prevented here.
  private void answered(Way way, OkHttpClient client) {
    assertEquals(200, way.make(client.newCall(Calls.get(server))).status());
    client.connectionPool().evictAll();
    rig.recorder.forget();
  }

  private static Request post(URI uri) {
    return new Request.Builder().url(uri.toString()).post(Rig.BODY).build();
  }

  // ---- the warning

  @ParameterizedTest
  @MethodSource("lossesAndWays")
  void itIsSaidOnce(Loss loss, Way way) {
    OkHttpClient client = client(loss);

    List<String> warnings =
        CapturedLog.warningsOf(() -> {
          answered(way, client);
          answered(way, client);
          answered(way, client);
        });

    assertEquals(1, warnings.size(), warnings.toString());
    assertTrue(warnings.get(0).startsWith("WARN "), warnings.toString());
  }

  @ParameterizedTest
  @EnumSource
  void nothingIsSaidOfACompleteClient(Way way) {
    var calls = way.calls(rig, rig.retry().build());

    List<String> warnings =
        CapturedLog.warningsOf(
            () -> assertEquals(200, way.make(calls.newCall(Calls.get(server))).status()));

    assertEquals(List.of(), warnings);
  }

  // ---- before any answer

  @ParameterizedTest
  @MethodSource("lossesAndWays")
  void aLostAnswerIsNoConnectFailure(Loss loss, Way way) {
    server.defaultReply(Reply.closeAfterRequest());

    Entry.Outcome got = way.make(client(loss).newCall(Calls.post(server)));

    assertEquals(1, server.requests().size(), got.toString());
    assertTrue(got.report().serverMayHaveActed());
  }

  /** The POST was taken; what was refused is the GET that the redirect asked for. */
  @ParameterizedTest
  @MethodSource("lossesAndWays")
  void aRedirectToNobodyLeavesThePostDelivered(Loss loss, Way way) {
    try (RefusedPort nobody = RefusedPort.open()) {
      server.defaultReply(Reply.status(303).header("Location", nobody.uri("/").toString()));

      Entry.Outcome got = way.make(client(loss).newCall(Calls.post(server)));

      assertEquals(1, server.requests().size(), got.toString());
      assertTrue(got.report().serverMayHaveActed());
    }
  }

  @ParameterizedTest
  @MethodSource("lossesAndWays")
  void aRefusedConnectIsRetried(Loss loss, Way way) {
    OkHttpClient.Builder builder = Rig.builder().followRedirects(false);
    OkHttpClient client = loss.from(rig, rig.retry().build(), builder);
    try (RefusedPort nobody = RefusedPort.open()) {
      Entry.Outcome got = way.make(client.newCall(post(nobody.uri("/charge"))));

      assertEquals(3, got.report().attempts(), got.toString());
      assertFalse(got.report().serverMayHaveActed());
    }
  }

  @ParameterizedTest
  @MethodSource("lossesAndWays")
  void anUnknownHostIsRetried(Loss loss, Way way) {
    OkHttpClient.Builder builder =
        Rig.builder()
            .followRedirects(false)
            .dns(host -> {
              throw new UnknownHostException(host);
            });
    OkHttpClient client = loss.from(rig, rig.retry().build(), builder);

    Entry.Outcome got = way.make(client.newCall(post(URI.create("http://nowhere.test/charge"))));

    assertEquals(2, got.report().attempts(), got.toString()); // once more, no oftener
    assertEquals(FailureKind.DNS, rig.recorder.attempts().get(0).kind().orElseThrow());
  }

  // ---- after the first answer

  @ParameterizedTest
  @MethodSource("lossesAndWays")
  void aKeylessPostIsSentOnceFromThenOn(Loss loss, Way way) {
    OkHttpClient client = client(loss);
    answered(way, client);
    server.defaultReply(Reply.closeAfterRequest());

    Entry.Outcome got = way.make(client.newCall(Calls.post(server)));

    assertEquals(2, server.requests().size(), got.toString());
    assertEquals(StopReason.NOT_REPLAYABLE, got.report().reason());
  }

  @ParameterizedTest
  @MethodSource("lossesAndWays")
  void noConnectFailureIsProofFromThenOn(Loss loss, Way way) {
    OkHttpClient.Builder builder = Rig.builder().followRedirects(false);
    OkHttpClient client = loss.from(rig, rig.retry().build(), builder);
    answered(way, client);
    try (RefusedPort nobody = RefusedPort.open()) {
      Entry.Outcome got = way.make(client.newCall(post(nobody.uri("/charge"))));

      assertEquals(1, got.report().attempts(), got.toString());
      assertTrue(got.report().serverMayHaveActed());
    }
  }

  @ParameterizedTest
  @MethodSource("lossesAndWays")
  void aGetIsRetriedAllTheSame(Loss loss, Way way) {
    OkHttpClient client = client(loss);
    answered(way, client);
    server.enqueue(Reply.closeAfterRequest());

    Entry.Outcome got = way.make(client.newCall(Calls.get(server)));

    assertEquals(200, got.status(), got.toString());
    assertEquals(3, server.requests().size());
  }
}
