package dev.steadfast.retry.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.tck.Reply;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import okhttp3.Authenticator;
import okhttp3.Call;
import okhttp3.Headers;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Answers that make OkHttp send the request again by itself, wanted or not. */
class WireStatusTest {
  // Knows the password; asked a second time, it gives up.
  private static final Authenticator PASSWORD =
      (route, response) ->
          response.request().header("Authorization") != null
              ? null
              : response.request().newBuilder().header("Authorization", "Basic x").build();

  // The same, but with a new body, for example with a new token in it.
  private static final Authenticator NEW_BODY =
      (route, response) ->
          response.request().header("Authorization") != null
              ? null
              : response
                  .request()
                  .newBuilder()
                  .header("Authorization", "Basic x")
                  .post(RequestBody.create("charge 5 again", null))
                  .build();

  private static final int MANY_LINES = 500;

  @RegisterExtension private final Rig rig = new Rig();
  private Target target;

  static Stream<Arguments> protocolsAndEntries() {
    return Stream.of(false, true)
        .flatMap(h2 -> Arrays.stream(Entry.values()).map(entry -> Arguments.of(h2, entry)));
  }

  private void assertReported(int deliveries) {
    assertEquals(deliveries, target.deliveries(), "deliveries at the server");
    assertEquals(deliveries, rig.recorder.deliveries(), "deliveries in the report");
  }

  private Request delete() {
    return target.get().newBuilder().delete(null).build();
  }

  // ---- 408 and 503 with a delay of zero

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void plainOkHttpResendsOn408And503(boolean h2) {
    target = rig.target(h2);
    Call.Factory plain = rig.plain(target.client());
    target.script(408);

    assertEquals(200, Entry.EXECUTE.make(plain.newCall(target.post())).status());
    assertEquals(2, target.deliveries());

    target.script(503, "Retry-After", "0");
    assertEquals(200, Entry.EXECUTE.make(plain.newCall(target.post())).status());
    assertEquals(4, target.deliveries());
  }

  @ParameterizedTest
  @MethodSource("protocolsAndEntries")
  void a408IsOneDelivery(boolean h2, Entry entry) {
    target = rig.target(h2);
    Call.Factory calls = rig.calls(entry, target.client(), rig.once());
    for (Request request : List.of(target.post(), target.get(), delete())) {
      target.script(408);
      Entry.Outcome got = entry.make(calls.newCall(request));
      assertEquals(408, got.status());
      assertNull(got.headers().get("Retry-After"));
    }
    assertReported(3);
    target.script(408, "Retry-After", "0");
    assertEquals("0", entry.make(calls.newCall(target.post())).headers().get("Retry-After"));
    assertReported(4);
  }

  @ParameterizedTest
  @MethodSource("protocolsAndEntries")
  void a503WithZeroDelayIsOneDelivery(boolean h2, Entry entry) {
    target = rig.target(h2);
    Call.Factory calls = rig.calls(entry, target.client(), rig.once());
    for (Request request : List.of(target.post(), target.get(), delete())) {
      target.script(503, "Retry-After", "0");
      Entry.Outcome got = entry.make(calls.newCall(request));
      assertEquals(503, got.status());
      assertEquals("0", got.headers().get("Retry-After"));
    }
    assertReported(3);
  }

  /** With an interceptor of the client's, what was hidden is given back below it. */
  @ParameterizedTest
  @MethodSource("protocolsAndEntries")
  void theClientsInterceptorSeesTheServersAnswer_andHasTheLastWord(boolean h2, Entry entry) {
    target = rig.target(h2);
    List<String> seen = new CopyOnWriteArrayList<>();
    OkHttpClient.Builder client =
        target
            .client()
            .addInterceptor(chain -> {
              Response response = chain.proceed(chain.request());
              seen.add(response.code() + " " + response.header("Retry-After"));
              return response.newBuilder().header("Retry-After", "7").build();
            });
    Call.Factory calls = rig.calls(entry, client, rig.once());
    target.script(503, "Retry-After", "0");
    target.script(408);
    assertEquals("7", entry.make(calls.newCall(target.get())).headers().get("Retry-After"));
    assertEquals("7", entry.make(calls.newCall(target.get())).headers().get("Retry-After"));
    assertEquals(List.of("503 0", "408 null"), seen);
    assertReported(2);
  }

  /** OkHttp takes any header of a server's, and not every one of its user's. */
  @ParameterizedTest
  @MethodSource("protocolsAndEntries")
  void neitherDoesWhatIsNotAscii(boolean h2, Entry entry) {
    target = rig.target(h2);
    Call.Factory calls = rig.calls(entry, target.client(), rig.once());
    target.script(503, "Retry-After", "bient\u00f4t");
    target.script(408, "Retry-After", "bient\u00f4t");

    for (int status : new int[] {503, 408}) {
      Entry.Outcome got = entry.make(calls.newCall(target.get()));
      assertEquals(status, got.status());
      assertTrue(got.headers().get("Retry-After").startsWith("bient"), got.toString());
    }
    assertReported(2);
  }

  /** However many lines say how long to wait, they come back as they were, in their order. */
  @ParameterizedTest
  @MethodSource("protocolsAndEntries")
  void theLinesOfAnAnswerKeepTheirOrder(boolean h2, Entry entry) {
    target = rig.target(h2);
    Call.Factory calls = rig.calls(entry, target.client(), rig.once());
    List<String> lines = new ArrayList<>();
    List<String> expected = new ArrayList<>();
    for (int i = MANY_LINES; i >= 0; i--) {
      lines.addAll(List.of("Retry-After", "" + i));
      expected.add("retry-after: " + i);
    }
    lines.addAll(List.of("X-After", "last"));
    expected.add("x-after: last");
    for (int status : new int[] {408, 503}) {
      target.script(status, lines.toArray(new String[0]));
      Headers got = entry.make(calls.newCall(target.get())).headers();
      List<String> seen = new ArrayList<>();
      got.forEach(
          line -> seen.add(line.getFirst().toLowerCase(Locale.ROOT) + ": " + line.getSecond()));
      seen.retainAll(expected);
      assertEquals(expected, seen);
    }
    assertReported(2);
  }

  /** OkHttp unpacks the body, and drops headers for that. */
  @ParameterizedTest
  @EnumSource(Entry.class)
  void theDelayOfAPackedAnswerComesBack(Entry entry) throws IOException {
    target = rig.target(false);
    Call.Factory calls = rig.calls(entry, target.client(), rig.once());
    for (int status : new int[] {408, 503}) {
      ByteArrayOutputStream packed = new ByteArrayOutputStream();
      try (GZIPOutputStream out = new GZIPOutputStream(packed)) {
        out.write("later".getBytes(StandardCharsets.UTF_8));
      }
      target
          .h1()
          .enqueue(
              Reply.status(status)
                  .header("Retry-After", "0")
                  .header("Content-Encoding", "gzip")
                  .header("X-After", "last")
                  .body(packed.toByteArray()));
      Entry.Outcome got = entry.make(calls.newCall(target.get()));
      assertEquals("later", got.body());
      assertEquals(List.of("0"), got.headers().values("Retry-After"));
      assertEquals("last", got.headers().get("X-After"));
      assertNull(got.headers().get("Content-Encoding"));
    }
    assertReported(2);
  }

  /** The delay is changed for OkHttp only where it would act on it. */
  @ParameterizedTest
  @ValueSource(strings = {"30", "1", "999999999", "Fri, 06 Jun 2014 12:30:30 GMT", "soon", "-1"})
  void anInterceptorWithinSeesADelayThatOkHttpDoesNotActOn(String delay) {
    target = rig.target(false);
    List<String> seen = new CopyOnWriteArrayList<>();
    OkHttpClient client =
        rig.client(
            RetryInterceptor.addTo(target.client(), rig.once())
                .addInterceptor(chain -> {
                  Response response = chain.proceed(chain.request());
                  seen.add(response.code() + " " + response.headers("Retry-After"));
                  return response;
                }));
    for (int status : new int[] {408, 503}) {
      target.script(status, "Retry-After", delay);
      Entry.Outcome got = Entry.EXECUTE.make(client.newCall(target.get()));
      assertEquals(List.of(delay), got.headers().values("Retry-After"));
    }
    assertEquals(List.of("408 [" + delay + "]", "503 [" + delay + "]"), seen);
    assertReported(2);
  }

  /** What the guard hides from OkHttp, the client's own interceptors see. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void interceptorsOfTheClientSeeTheOriginals(boolean h2) {
    target = rig.target(h2);
    List<String> seen = new CopyOnWriteArrayList<>();
    OkHttpClient.Builder builder = target.client();
    builder.addInterceptor(chain -> {
      try {
        Response response = chain.proceed(chain.request());
        seen.add(response.code() + " " + response.headers("Retry-After"));
        seen.add("network " + response.networkResponse().headers("Retry-After"));
        return response;
      } catch (IOException failure) {
        seen.add(failure.getClass().getSimpleName());
        throw failure;
      }
    });
    builder.addNetworkInterceptor(chain -> {
      Response response = chain.proceed(chain.request());
      seen.add("inside " + response.code() + " " + response.headers("Retry-After"));
      return response;
    });
    Call.Factory calls = rig.calls(Entry.EXECUTE, builder, rig.once());
    target.script(408);
    target.script(503, "Retry-After", "0");
    target.script(h2 ? Fault.H2_CANCEL : Fault.H1_FIN);
    target.script(h2 ? Fault.H2_CANCEL : Fault.H1_FIN);

    Entry.EXECUTE.make(calls.newCall(target.post()));
    Entry.EXECUTE.make(calls.newCall(target.get()));
    Entry.Outcome got = Entry.EXECUTE.make(calls.newCall(target.get()));

    String failure = h2 ? "StreamResetException" : "IOException";
    assertEquals(
        List.of(
            "inside 408 []",
            "408 []",
            "network []",
            "inside 503 [0]",
            "503 [0]",
            "network [0]",
            failure),
        seen.subList(0, 7));
    assertEquals(failure, got.failure().getClass().getSimpleName());
  }

  // ---- what is wanted: redirects and authentication

  @ParameterizedTest
  @MethodSource("protocolsAndEntries")
  void followUpsSendTheBodyAgain(boolean h2, Entry entry) {
    target = rig.target(h2);
    Call.Factory calls = rig.calls(entry, target.client().authenticator(PASSWORD), rig.once());
    for (int status : new int[] {307, 308, 401}) {
      target.script(status, "Location", target.url("/there"));
      rig.recorder.forget();
      assertEquals(200, entry.make(calls.newCall(target.post())).status());
      assertEquals(2, rig.recorder.deliveries());
      assertEquals(1, rig.recorder.attempts().size());
    }
    assertEquals(6, target.deliveries());
    if (!h2) {
      target.h1().requests().forEach(each -> assertEquals("charge 5", each.bodyText()));
    }
  }

  static Stream<Arguments> secondHops() {
    return protocolsAndEntries()
        .flatMap(each ->
            Stream.of(307, 401).map(status -> Arguments.of(each.get()[0], each.get()[1], status)));
  }

  private static Fault lost(boolean h2) {
    return h2 ? Fault.H2_INTERNAL_ERROR : Fault.H1_FIN;
  }

  @ParameterizedTest
  @MethodSource("secondHops")
  void aLostSecondHopIsNotSentAgain(boolean h2, Entry entry, int status) throws IOException {
    target = rig.target(h2);
    Call.Factory plain = rig.plain(target.client().authenticator(PASSWORD));
    target.warmUp(plain);
    target.script(status, "Location", target.url("/there"));
    target.script(lost(h2));
    assertEquals(200, Entry.EXECUTE.make(plain.newCall(target.post())).status());
    assertEquals(3, target.deliveries()); // so this test can fail

    Call.Factory calls = rig.calls(entry, target.client().authenticator(PASSWORD), rig.once());
    target.warmUp(calls);
    rig.recorder.forget();
    target.script(status, "Location", target.url("/there"));
    target.script(lost(h2));

    Entry.Outcome got = entry.make(calls.newCall(target.post()));

    assertNotNull(got.failure());
    assertReported(2);
    assertEquals(StopReason.NOT_REPLAYABLE, got.report().reason());
  }

  @ParameterizedTest
  @MethodSource("secondHops")
  void aLostSecondHopIsRetriedWithAKey(boolean h2, Entry entry, int status) throws IOException {
    target = rig.target(h2);
    Call.Factory calls = rig.calls(entry, target.client().authenticator(PASSWORD), rig.keyed());
    target.warmUp(calls);
    rig.recorder.forget();
    target.script(status, "Location", target.url("/there"));
    target.script(lost(h2));

    Entry.Outcome got = entry.make(calls.newCall(target.post()));

    assertEquals(200, got.status());
    assertEquals(2, got.report().attempts());
    assertReported(3);
  }

  @ParameterizedTest
  @MethodSource("protocolsAndEntries")
  void aReplacedBodyIsGuardedToo(boolean h2, Entry entry) throws IOException {
    target = rig.target(h2);
    Call.Factory plain = rig.plain(target.client().authenticator(NEW_BODY));
    target.warmUp(plain);
    target.script(401);
    target.script(lost(h2));
    assertEquals(200, Entry.EXECUTE.make(plain.newCall(target.post())).status());
    assertEquals(3, target.deliveries());
    target.script(401);
    target.script(503, "Retry-After", "0");
    assertEquals(200, Entry.EXECUTE.make(plain.newCall(target.post())).status());
    assertEquals(6, target.deliveries());

    Call.Factory calls = rig.calls(entry, target.client().authenticator(NEW_BODY), rig.once());
    target.warmUp(calls);
    rig.recorder.forget();
    target.script(401);
    target.script(lost(h2));
    assertNotNull(entry.make(calls.newCall(target.post())).failure());
    assertReported(2);

    target.script(401);
    target.script(503, "Retry-After", "0");
    Entry.Outcome got = entry.make(calls.newCall(target.post()));
    assertEquals(503, got.status());
    assertEquals("0", got.headers().get("Retry-After"));
    assertReported(4);
  }
}
