package dev.steadfast.retry.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.IdempotencyKeys;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import java.io.IOException;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Stream;
import okhttp3.Call;
import okhttp3.Request;
import okhttp3.Response;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What the report says if the first attempt of an operation was accepted. */
class CleanReportTest {
  private static final String KEY = "Idempotency-Key";

  @RegisterExtension private final Rig rig = new Rig();
  private final ScriptedServer server = rig.server();

  /** Which key the POST carries. */
  enum Key {
    MINTED,
    CALLERS_HEADER,
    OF_OPTIONS,
    NONE;

    Request on(Request request) {
      RetryOptions options = RetryOptions.builder().idempotencyKey("order-1").build();
      return switch (this) {
        case CALLERS_HEADER -> request.newBuilder().header(KEY, "order-1").build();
        case OF_OPTIONS -> request.newBuilder().tag(RetryOptions.class, options).build();
        default -> request;
      };
    }
  }

  static Stream<Arguments> entriesAndKeys() {
    return Arrays.stream(Entry.values())
        .flatMap(entry -> Arrays.stream(Key.values()).map(key -> Arguments.of(entry, key)));
  }

  /** The same, and whether anybody listens. */
  static Stream<Arguments> posts() {
    return entriesAndKeys()
        .flatMap(each ->
            Stream.of(false, true)
                .map(listened -> Arguments.of(each.get()[0], each.get()[1], listened)));
  }

  private HttpRetry retry(Key key, boolean listened) {
    HttpRetry.Builder retry =
        listened ? rig.retry() : HttpRetry.builder().environment(rig.time.environment());
    return key == Key.MINTED
        ? retry.idempotencyKeys(IdempotencyKeys.randomUuid()).build()
        : retry.build();
  }

  private static Response carriedOut(Entry entry, Call call) throws IOException {
    return entry == Entry.ENQUEUE ? Entry.enqueued(call) : call.execute();
  }

  @ParameterizedTest
  @MethodSource("posts")
  void theServerActedUnderTheKeyThatItSaw(Entry entry, Key key, boolean listened) throws Exception {
    Call.Factory calls = rig.calls(entry, Rig.builder(), retry(key, listened));

    try (Response response = carriedOut(entry, calls.newCall(key.on(Calls.post(server))))) {
      RetryReport report = OkHttpReports.of(response);
      Optional<String> seen = server.requests().get(0).header(KEY);

      assertEquals(key != Key.NONE, seen.isPresent());
      assertEquals(seen, report.idempotencyKey());
      assertTrue(report.serverMayHaveActed());
      assertFalse(report.earlierAttemptMayHaveActed());
      assertEquals(StopReason.ACCEPTED, report.reason());
      assertEquals(1, report.attempts());
    }
  }

  @ParameterizedTest
  @EnumSource
  void aRedirectDoesNotHideTheKey(Entry entry) throws Exception {
    server.enqueue(Reply.status(303).header("Location", "/next"));
    Call.Factory calls = rig.calls(entry, Rig.builder(), retry(Key.MINTED, false));

    try (Response response = carriedOut(entry, calls.newCall(Calls.post(server)))) {
      RetryReport report = OkHttpReports.of(response);

      assertEquals(server.requests().get(0).header(KEY), report.idempotencyKey());
      assertTrue(report.serverMayHaveActed());
    }
  }

  /** What breaks afterwards is the caller's reading; the payment may have been made. */
  @ParameterizedTest
  @EnumSource
  void aBodyThatBreaksLaterLeavesTheReport(Entry entry) throws Exception {
    server.enqueue(Reply.truncatedBody(200, 100, "half"));
    Call.Factory calls = rig.calls(entry, Rig.builder(), retry(Key.MINTED, false));

    try (Response response = carriedOut(entry, calls.newCall(Calls.post(server)))) {
      RetryReport report = OkHttpReports.of(response);
      boolean broken = false;
      try {
        response.body().string();
      } catch (IOException expected) {
        broken = true;
      }

      assertTrue(broken);
      assertTrue(report.serverMayHaveActed());
      assertEquals(server.requests().get(0).header(KEY), report.idempotencyKey());
    }
  }

  @ParameterizedTest
  @MethodSource("entriesAndKeys")
  void theListenerIsToldTheSame(Entry entry, Key key) throws Exception {
    Call.Factory calls = rig.calls(entry, Rig.builder(), retry(key, true));

    try (Response response = carriedOut(entry, calls.newCall(key.on(Calls.post(server))))) {
      RetryReport rides = OkHttpReports.of(response);
      RetryReport told = rig.recorder.report();

      assertEquals(told.reason(), rides.reason());
      assertEquals(told.attempts(), rides.attempts());
      assertEquals(told.idempotencyKey(), rides.idempotencyKey());
      assertEquals(told.serverMayHaveActed(), rides.serverMayHaveActed());
      assertEquals(told.earlierAttemptMayHaveActed(), rides.earlierAttemptMayHaveActed());
      assertEquals(told.replayed(), rides.replayed());
      assertEquals(told.serverDelay(), rides.serverDelay());
    }
  }

  @ParameterizedTest
  @EnumSource
  void aCopyOfTheResponseKeepsTheReport(Entry entry) throws Exception {
    Call.Factory calls = rig.calls(entry, Rig.builder(), retry(Key.MINTED, false));

    try (Response response = carriedOut(entry, calls.newCall(Calls.post(server)))) {
      RetryReport first = OkHttpReports.of(response);
      RetryReport copy = OkHttpReports.of(response.newBuilder().header("X-Own", "1").build());

      assertEquals(server.requests().get(0).header(KEY), first.idempotencyKey());
      assertEquals(first.idempotencyKey(), copy.idempotencyKey());
      assertEquals(first.serverMayHaveActed(), copy.serverMayHaveActed());
    }
  }

  /** Else a client that polls with the request of the answer before keeps all answers. */
  @ParameterizedTest
  @EnumSource
  void theReportOfAnEarlierAnswerDoesNotGoAlong(Entry entry) throws IOException {
    Call.Factory calls = rig.calls(entry, Rig.builder(), retry(Key.NONE, true));
    server.defaultReply(Reply.status(404));
    Request next = Calls.get(server);
    for (int poll = 1; poll <= 3; poll++) {
      try (Response response = carriedOut(entry, calls.newCall(next))) {
        assertEquals(1, OkHttpReports.of(response).attempts());
        String sent = response.networkResponse().request().toString();
        assertFalse(sent.contains(OkHttpReports.class.getName()), sent);
        next = response.request();
      }
    }
  }
}
