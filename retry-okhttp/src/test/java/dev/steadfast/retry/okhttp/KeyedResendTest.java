package dev.steadfast.retry.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.Retrier;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.IdempotencyKeys;
import java.io.IOException;
import java.util.Arrays;
import java.util.stream.Stream;
import okhttp3.Call;
import okhttp3.Request;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A server that commits and then closes a pooled connection looks like one that closed it while it
 * was idle. A key protects only where the server honours it, so the resend of a POST is a retry
 * like any other.
 */
class KeyedResendTest {
  private static final String KEY = "Idempotency-Key";

  @RegisterExtension private final Rig rig = new Rig();
  private final Target target = rig.target(false);

  static Stream<Arguments> waysAndFaults() {
    return Arrays.stream(Way.values())
        .flatMap(
            way -> Stream.of(Fault.H1_FIN, Fault.H1_RST).map(fault -> Arguments.of(way, fault)));
  }

  // Every request after the first is read whole, and its connection ended.
  private Call.Factory pooled(Way way, Fault fault, int maxAttempts) throws IOException {
    HttpRetry retry =
        rig.retry()
            .policy(RetryPolicy.builder().maxAttempts(maxAttempts).build())
            .idempotencyKeys(IdempotencyKeys.randomUuid())
            .build();
    Call.Factory calls = way.calls(rig, target.client(), retry);
    target.warmUp(calls);
    target.h1().defaultReply(fault.h1Reply());
    rig.recorder.forget();
    return calls;
  }

  private Request withOwnKey() {
    return target.post().newBuilder().header(KEY, "order-1").build();
  }

  @ParameterizedTest
  @MethodSource("waysAndFaults")
  void soItIsWithTheCallersOwnKey(Way way, Fault fault) throws Exception {
    Call.Factory calls = pooled(way, fault, 1);

    Entry.Outcome got = way.make(calls.newCall(withOwnKey()));

    assertEquals(1, target.deliveries(), got.toString());
  }

  @ParameterizedTest
  @MethodSource("waysAndFaults")
  void withinARetrierThereIsOneRequest(Way way, Fault fault) throws Exception {
    Call.Factory calls = pooled(way, fault, 3);
    Retrier around =
        Retrier.builder().environment(rig.time.environment()).policy(RetryPolicy.noRetry()).build();

    Entry.Outcome got = around.call(() -> way.make(calls.newCall(target.post())));

    assertEquals(1, target.deliveries(), got.toString());
  }

  static Stream<Arguments> idempotentMethods() {
    return waysAndFaults()
        .flatMap(each ->
            Stream.of("GET", "PUT", "DELETE")
                .map(method -> Arguments.of(each.get()[0], each.get()[1], method)));
  }

  /** Idempotent by its method, a request has its one resend beside the attempts. */
  @ParameterizedTest
  @MethodSource("idempotentMethods")
  void anIdempotentMethodIsResentForFree(Way way, Fault fault, String method) throws Exception {
    Call.Factory calls = pooled(way, fault, 1);
    Request request =
        target.get().newBuilder().method(method, method.equals("PUT") ? Rig.BODY : null).build();

    Entry.Outcome got = way.make(calls.newCall(request));

    assertEquals(2, target.deliveries(), got.toString());
    assertTrue(got.failure() != null, got.toString());
  }
}
