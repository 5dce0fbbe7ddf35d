package dev.steadfast.retry.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.http.HttpRetry;
import java.io.IOException;
import java.net.ProtocolException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import okhttp3.Call;
import okhttp3.EventListener;
import okhttp3.OkHttp;
import okhttp3.Request;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** A request is read whole, and then the connection or the stream fails. */
class WireFaultTest {
  @RegisterExtension private final Rig rig = new Rig();
  private Target target;

  static Stream<Arguments> faultsAndEntries() {
    return Arrays.stream(Fault.values())
        .flatMap(fault -> Arrays.stream(Entry.values()).map(entry -> Arguments.of(fault, entry)));
  }

  private void on(Fault fault) {
    target = rig.target(fault.h2());
  }

  private void assertReported(int deliveries) {
    assertEquals(deliveries, target.deliveries(), "deliveries at the server");
    assertEquals(deliveries, rig.recorder.deliveries(), "deliveries in the report");
  }

  private Call.Factory pooled(Entry entry, HttpRetry retry) throws IOException {
    Call.Factory calls = rig.calls(entry, target.client(), retry);
    target.warmUp(calls);
    rig.recorder.forget();
    return calls;
  }

  // ---- pooled connection

  @ParameterizedTest
  @EnumSource
  void plainOkHttpResendsOnPooled(Fault fault) throws Exception {
    on(fault);
    Call.Factory plain = rig.plain(target.client());
    target.warmUp(plain);
    target.script(fault);

    Entry.Outcome got = Entry.EXECUTE.make(plain.newCall(target.post()));

    assertEquals(200, got.status());
    assertTrue(target.deliveries() >= 2, "deliveries: " + target.deliveries());
  }

  @ParameterizedTest
  @MethodSource("faultsAndEntries")
  void pooledOneAttempt(Fault fault, Entry entry) throws Exception {
    on(fault);
    Call.Factory calls = pooled(entry, rig.once());
    target.script(fault);

    Entry.Outcome got = entry.make(calls.newCall(target.post()));

    assertNotNull(got.failure());
    assertReported(1);
    assertEquals(1, got.report().attempts());
    assertEquals(
        fault.refused() ? StopReason.ATTEMPTS_EXHAUSTED : StopReason.NOT_REPLAYABLE,
        got.report().reason());
    assertEquals(!fault.refused(), got.report().serverMayHaveActed());
  }

  @ParameterizedTest
  @MethodSource("faultsAndEntries")
  void pooledKeylessPostIsRetriedOnlyIfRefused(Fault fault, Entry entry) throws Exception {
    on(fault);
    Call.Factory calls = pooled(entry, rig.retry().build());
    target.script(fault);

    Entry.Outcome got = entry.make(calls.newCall(target.post()));

    assertEquals(fault.refused() ? 200 : -1, got.status());
    assertReported(fault.refused() ? 2 : 1);
  }

  @ParameterizedTest
  @MethodSource("faultsAndEntries")
  void pooledPostWithKeyIsRetried(Fault fault, Entry entry) throws Exception {
    on(fault);
    Call.Factory calls = pooled(entry, rig.keyed());
    target.script(fault);

    Entry.Outcome got = entry.make(calls.newCall(target.post()));

    assertEquals(200, got.status());
    assertReported(2);
    assertEquals(!fault.refused(), got.report().earlierAttemptMayHaveActed());
    if (!fault.h2()) {
      assertEquals(
          FailureKind.STALE_CONNECTION, rig.recorder.attempts().get(0).kind().orElseThrow());
    }
  }

  /** The one resend outside the count: a connection that looks as if it had been stale. */
  @ParameterizedTest
  @CsvSource({"H1_FIN, GET", "H1_RST, GET", "H1_FIN, PUT", "H1_RST, DELETE"})
  void pooledIdempotentMethodIsResentOnceThoughOneAttemptIsAllowed(Fault fault, String method)
      throws Exception {
    on(fault);
    Call.Factory calls = pooled(Entry.EXECUTE, rig.once());
    Request request =
        target.get().newBuilder().method(method, method.equals("PUT") ? Rig.BODY : null).build();
    target.script(fault);

    assertEquals(200, Entry.EXECUTE.make(calls.newCall(request)).status());

    assertReported(2);
    target.script(fault);
    target.script(fault);
    rig.recorder.forget();
    Entry.Outcome twice = Entry.EXECUTE.make(calls.newCall(request));
    assertNotNull(twice.failure());
    assertEquals(StopReason.ATTEMPTS_EXHAUSTED, twice.report().reason());
    assertEquals(2, twice.report().attempts());
    assertEquals(4, target.deliveries());
  }

  // ---- fresh connection

  @ParameterizedTest
  @EnumSource(
      value = Fault.class,
      names = {"H1_FIN", "H1_RST", "H2_INTERNAL_ERROR", "H2_CANCEL", "H2_ENHANCE_YOUR_CALM"})
  void plainOkHttpGoesOnToTheSecondAddress(Fault fault) {
    on(fault);
    Call.Factory plain = rig.plain(target.clientOfTwo());
    target.script(fault);

    Entry.Outcome got = Entry.EXECUTE.make(plain.newCall(target.post()));

    assertEquals(200, got.status());
    assertEquals(2, target.deliveries());
  }

  @ParameterizedTest
  @MethodSource("faultsAndEntries")
  void freshOfTwoAddresses(Fault fault, Entry entry) {
    on(fault);
    Call.Factory calls = rig.calls(entry, target.clientOfTwo(), rig.once());
    target.script(fault);

    Entry.Outcome got = entry.make(calls.newCall(target.post()));

    if (fault.refused()) { // OkHttp may go on
      assertEquals(200, got.status());
      assertReported(2);
      return;
    }
    assertNotNull(got.failure());
    assertReported(1);
    target.script(fault);
    Call.Factory keyed = rig.calls(entry, target.client(), rig.keyed());
    rig.recorder.forget();
    assertEquals(200, entry.make(keyed.newCall(target.post())).status());
    assertEquals(2, rig.recorder.deliveries());
    assertEquals(3, target.deliveries());
  }

  @ParameterizedTest
  @EnumSource
  void plainOkHttpGivesUpOnTheOnlyAddress(Fault fault) {
    on(fault);
    Call.Factory plain = rig.plain(target.client());
    target.script(fault);

    Entry.Outcome got = Entry.EXECUTE.make(plain.newCall(target.post()));

    boolean resent =
        OkHttp.VERSION.startsWith("4.")
            && (fault == Fault.H2_REFUSED_STREAM || fault == Fault.H2_GOAWAY);
    assertEquals(resent ? 2 : 1, target.deliveries(), got.toString());
  }

  @ParameterizedTest
  @MethodSource("faultsAndEntries")
  void freshOfOneAddress(Fault fault, Entry entry) {
    on(fault);
    RetryPolicy two = RetryPolicy.builder().maxAttempts(2).build();
    Call.Factory calls = rig.calls(entry, target.client(), rig.once());
    target.script(fault);

    Entry.Outcome got = entry.make(calls.newCall(target.post()));

    assertNotNull(got.failure());
    assertReported(1);
    assertEquals(1, got.report().attempts());
    Call.Factory reads = rig.calls(entry, target.client(), rig.retry().policy(two).build());
    target.script(fault);
    target.script(fault);
    rig.recorder.forget();
    // On a fresh connection nothing was stale: both attempts count.
    assertNotNull(entry.make(reads.newCall(target.get())).failure());
    assertEquals(2, rig.recorder.deliveries());
    assertEquals(3, target.deliveries());
  }

  // ---- what a listener of the user's is told

  @ParameterizedTest
  @EnumSource
  void aListenerGetsTheRealFailureAsCause(Entry entry) {
    Calls.assumeOkHttp5();
    List<Throwable> told = new CopyOnWriteArrayList<>();
    EventListener listener =
        new EventListener() {
          @Override
          public void retryDecision(Call call, IOException failure, boolean retry) {
            told.add(failure);
          }
        };
    on(Fault.H1_FIN);

    target.script(Fault.H1_FIN);
    Call.Factory calls = rig.calls(entry, target.client().eventListener(listener), rig.once());
    Entry.Outcome got = entry.make(calls.newCall(target.post()));

    assertEquals(1, told.size(), told.toString());
    assertInstanceOf(ProtocolException.class, told.get(0));
    assertSame(got.failure(), told.get(0).getCause());
  }
}
