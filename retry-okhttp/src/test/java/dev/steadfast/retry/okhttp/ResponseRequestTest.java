package dev.steadfast.retry.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.IdempotencyKeys;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import okhttp3.Call;
import okhttp3.Request;
import okhttp3.Response;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A call that is made from the request of an earlier response is an operation of its own. */
class ResponseRequestTest {
  private static final String KEY = "Idempotency-Key";

  @RegisterExtension private final Rig rig = new Rig();
  private final ScriptedServer server = rig.server();

  /** How many attempts the first call takes, and whether anybody listens. */
  static Stream<Arguments> firstCalls() {
    return Arrays.stream(Entry.values())
        .flatMap(entry ->
            Stream.of(1, 2)
                .flatMap(attempts ->
                    Stream.of(false, true)
                        .map(listened -> Arguments.of(entry, attempts, listened))));
  }

  private Call.Factory calls(Entry entry, boolean listened) {
    HttpRetry.Builder retry =
        listened ? rig.retry() : HttpRetry.builder().environment(rig.time.environment());
    RetryPolicy atOnce = RetryPolicy.builder().backoff(Backoff.none()).build();
    return rig.calls(
        entry,
        Rig.builder(),
        retry.policy(atOnce).idempotencyKeys(IdempotencyKeys.randomUuid()).build());
  }

  private void script(int attempts) {
    for (int i = 1; i < attempts; i++) {
      server.enqueue(Reply.status(503));
    }
  }

  /** What is left of a call: the request of its response, and its report. */
  private record Left(Request request, RetryReport report) {}

  private static Left make(Entry entry, Call call) throws IOException {
    try (Response response = entry == Entry.ENQUEUE ? Entry.enqueued(call) : call.execute()) {
      assertEquals("ok", response.body().string());
      return new Left(response.request(), OkHttpReports.of(response));
    }
  }

  private List<String> keys() {
    return server.requests().stream().map(each -> each.header(KEY).orElse("none")).toList();
  }

  @ParameterizedTest
  @MethodSource("firstCalls")
  void itHasAKeyAndAReportOfItsOwn(Entry entry, int attempts, boolean listened) throws Exception {
    Call.Factory calls = calls(entry, listened);
    script(attempts);
    Left first = make(entry, calls.newCall(Calls.post(server)));
    assertEquals(attempts, first.report().attempts());

    Left second = make(entry, calls.newCall(first.request()));

    assertEquals(attempts + 1, server.requests().size());
    assertEquals(1, second.report().attempts(), second.toString());
    assertNotEquals(keys().get(0), keys().get(attempts));
    assertEquals(keys().get(attempts), second.report().idempotencyKey().orElseThrow());
    assertEquals(keys().get(0), first.report().idempotencyKey().orElseThrow());
  }

  /** The second call takes two attempts, the first one did not, or the other way round. */
  @ParameterizedTest
  @MethodSource("firstCalls")
  void theReportOfARetriedCallIsItsOwnToo(Entry entry, int attempts, boolean listened)
      throws Exception {
    Call.Factory calls = calls(entry, listened);
    script(attempts);
    Left first = make(entry, calls.newCall(Calls.post(server)));
    script(3 - attempts);

    Left second = make(entry, calls.newCall(first.request()));

    assertEquals(attempts, first.report().attempts());
    assertEquals(3 - attempts, second.report().attempts());
  }

  @ParameterizedTest
  @MethodSource("firstCalls")
  void nothingOfOursIsInTheRequestOfTheResponse(Entry entry, int attempts, boolean listened)
      throws Exception {
    HttpRetry.Builder retry =
        listened ? rig.retry() : HttpRetry.builder().environment(rig.time.environment());
    Call.Factory calls =
        rig.calls(
            entry,
            Rig.builder(),
            retry
                .policy(RetryPolicy.builder().backoff(Backoff.none()).build())
                .idempotencyKeys(IdempotencyKeys.randomUuid())
                .oncePerAttempt(
                    "X-Attempt", (operation, number) -> Optional.of(Integer.toString(number)))
                .build());
    script(attempts);
    Request asked = Calls.post(server).newBuilder().header("X-Own", "kept").build();

    Left left = make(entry, calls.newCall(asked));

    assertEquals(asked.headers(), left.request().headers());
    assertEquals(asked.method(), left.request().method());
  }

  @ParameterizedTest
  @MethodSource("firstCalls")
  void itKeepsTheUrlOfARedirect(Entry entry, int attempts, boolean listened) throws Exception {
    Call.Factory calls = calls(entry, listened);
    script(attempts);
    server.enqueue(Reply.status(307).header("Location", "/next"));

    Left left = make(entry, calls.newCall(Calls.post(server)));

    assertEquals("/next", left.request().url().encodedPath());
    assertEquals("POST", left.request().method());
    assertNull(left.request().header(KEY));
    assertEquals(keys().get(0), left.report().idempotencyKey().orElseThrow());
  }

  @ParameterizedTest
  @MethodSource("firstCalls")
  void theCallersOwnKeyStays(Entry entry, int attempts, boolean listened) throws Exception {
    Call.Factory calls = calls(entry, listened);
    script(attempts);
    Request asked = Calls.post(server).newBuilder().header(KEY, "order-1").build();

    Left first = make(entry, calls.newCall(asked));
    assertEquals("order-1", first.request().header(KEY));
    make(entry, calls.newCall(first.request()));

    assertEquals(List.of("order-1"), keys().stream().distinct().toList());
    assertEquals(attempts + 1, keys().size());
  }
}
