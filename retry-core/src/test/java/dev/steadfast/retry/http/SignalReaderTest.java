package dev.steadfast.retry.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import dev.steadfast.retry.Disposition;
import dev.steadfast.retry.ServerDelay;
import dev.steadfast.retry.Vectors;
import dev.steadfast.retry.Vectors.Vector;
import dev.steadfast.retry.Verdict;
import dev.steadfast.retry.engine.Evidence;
import dev.steadfast.retry.http.HttpClassifier.OperationView;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a response says about retrying, beside its status. */
class SignalReaderTest {
  private static final SignalReader DEFAULT =
      new SignalReader(ResponseSignals.standard().withRateLimitReset());

  private static Signals read(int status, String... lines) {
    return DEFAULT.read(TestResponse.of(status, List.of(lines)), LeapingTime.START);
  }

  static Stream<Vector> doNotRetry() {
    return Vectors.group("do_not_retry_signal");
  }

  @ParameterizedTest
  @MethodSource("doNotRetry")
  void obeysSignalsAsTheVectorsSay(Vector vector) {
    JsonObject input = vector.input();
    TestResponse response = TestResponse.of(input.get("status").getAsInt());
    JsonObject headers = input.getAsJsonObject("headers");
    headers
        .entrySet()
        .forEach(each -> response.header(each.getKey(), each.getValue().getAsString()));
    HttpRetry.Builder retry = HttpRetry.builder();
    if (vector.name().contains("(opt-in)")) {
      retry.signals(
          ResponseSignals.standard().withShouldRetry("Dialogue-Retries-Exhausted", "true", false));
    }
    HttpOperation operation =
        retry
            .build()
            .operation(TestRequest.of(input.get("method").getAsString()), RetryOptions.none());
    Verdict verdict = Wire.outcome(operation, response).verdict();
    boolean retries = verdict instanceof Verdict.Retryable retryable && !retryable.doNotRetry();
    JsonObject expected = vector.expected();
    assertEquals(expected.get("retry").getAsBoolean(), retries, verdict::toString);
    if (expected.has("exactDelayMillis")) {
      Duration delay = Duration.ofMillis(expected.get("exactDelayMillis").getAsLong());
      assertEquals(ServerDelay.exactly(delay), ((Verdict.Retryable) verdict).serverDelay());
    }
    if (expected.has("knownUnprocessed")) {
      Evidence evidence = Wire.outcome(operation, response).evidence();
      assertEquals(Disposition.REFUSED, evidence.last());
    }
  }

  @Test
  void aForeignSignalIsNotReadWithoutAnOption() {
    assertNull(read(503, "Dialogue-Retries-Exhausted: true").shouldRetry());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "x-should-retry: false",
        "X-Should-Retry: FALSE",
        "x-should-retry:  false ",
        "Stripe-Should-Retry: false",
        "stripe-should-retry: False",
      })
  void doNotRetryIsReadOnAnyFailure(String line) {
    for (int status : new int[] {400, 404, 429, 500, 503}) {
      Signals signals = read(status, line);
      assertEquals(false, signals.shouldRetry(), status + " " + line);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"x-should-retry: true", "X-SHOULD-RETRY: True", "Stripe-Should-Retry: true"})
  void shouldRetryIsReadOnAnyFailure(String line) {
    for (int status : new int[] {400, 404, 429, 500, 503}) {
      Signals signals = read(status, line);
      assertEquals(true, signals.shouldRetry(), status + " " + line);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "x-should-retry: 1",
        "x-should-retry: yes",
        "x-should-retry: ",
        "x-should-retry: true, false",
        "Stripe-Should-Retry: no",
        "Qos-Retry-Hint: retry",
        "Qos-Due-To: custom",
        "x-envoy-ratelimited: true",
        "x-envoy-overloaded: true",
        "x-should-retry-after: false",
      })
  void anyOtherValueSaysNothing(String line) {
    assertEquals(Signals.NONE, read(503, line));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          x-should-retry: false           | x-should-retry: true
          x-should-retry: false           | Stripe-Should-Retry: true
          Stripe-Should-Retry: false      | x-should-retry: true
          Qos-Retry-Hint: do-not-retry    | x-should-retry: true
          grpc-retry-pushback-ms: -1      | x-should-retry: true
          finagle-http-nonretryable-nack: | x-should-retry: true
          """)
  void notToRetryHoldsInEitherOrder(String not, String retry) {
    for (List<String> lines : List.of(List.of(not + " ", retry), List.of(retry, not + " "))) {
      Signals signals = DEFAULT.read(TestResponse.of(503, lines), LeapingTime.START);
      assertEquals(false, signals.shouldRetry(), lines::toString);
    }
  }

  @ParameterizedTest
  @CsvSource({"429, true", "503, true", "500, false", "404, false", "502, false"})
  void theQosHeaderCountsWhereItsServersSendIt(int status, boolean counts) {
    Boolean expected = counts ? Boolean.FALSE : null;
    assertEquals(expected, read(status, "Qos-Retry-Hint: do-not-retry").shouldRetry());
    assertEquals(expected, read(status, "qos-retry-hint: DO-NOT-RETRY").shouldRetry());
  }

  @ParameterizedTest
  @CsvSource({"503, true", "429, false", "500, false", "502, false"})
  void finagleNacksCountOn503Alone(int status, boolean counts) {
    assertEquals(
        new Signals(ServerDelay.none(), null, counts, false),
        read(status, "finagle-http-nack: true"));
    assertEquals(
        new Signals(ServerDelay.none(), counts ? false : null, counts, false),
        read(status, "finagle-http-nonretryable-nack: true"));
  }

  @ParameterizedTest
  @CsvSource({"0, 0", "500, 500", "' 500', 500", "0500, 500", "2147483647, 2147483647"})
  void pushbackIsAnExactDelay(String value, long millis) {
    Signals signals = read(503, "grpc-retry-pushback-ms: " + value);
    assertEquals(
        new Signals(ServerDelay.exactly(Duration.ofMillis(millis)), null, false, false), signals);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "-1",
        "-0",
        "+5",
        "",
        "soon",
        "5.0",
        "1e3",
        "2147483648",
        "99999999999",
        "\u0665",
        "5 0",
        "\u00a05",
        "9223372036854775808"
      })
  void anyOtherPushbackSaysNotToRetry(String value) {
    Signals signals = read(503, "grpc-retry-pushback-ms: " + value, "Retry-After: 3");
    assertEquals(false, signals.shouldRetry());
    assertEquals(
        ServerDelay.atLeast(Duration.ofSeconds(3)), signals.serverDelay(), "exposed all the same");
  }

  @Test
  void ofSeveralPushbacksNotToRetryHoldsOrElseTheLongest() {
    String name = "grpc-retry-pushback-ms: ";
    assertEquals(false, read(503, name + "-1", name + "500").shouldRetry());
    assertEquals(false, read(503, name + "500", name + "junk").shouldRetry());
    assertEquals(
        ServerDelay.exactly(Duration.ofMillis(700)),
        read(503, name + "700", name + "500").serverDelay());
  }

  @Test
  void pushbackBeatsOtherServerDelays() {
    assertEquals(
        ServerDelay.exactly(Duration.ofMillis(500)),
        read(503, "Retry-After: 3", "grpc-retry-pushback-ms: 500").serverDelay());
  }

  @Test
  void moreSignalsCanBeConfigured() {
    HttpRetry retry =
        HttpRetry.builder()
            .signals(
                ResponseSignals.standard()
                    .withShouldRetry("X-Exhausted", "Yes", false)
                    .withShouldRetry("transient-error", "true", true))
            .build();
    HttpOperation get = retry.operation(TestRequest.of("GET"), RetryOptions.none());
    Verdict stopped =
        Wire.outcome(get, TestResponse.of(503).header("x-exhausted", "yes")).verdict();
    assertTrue(((Verdict.Retryable) stopped).doNotRetry());
    Verdict lifted =
        Wire.outcome(get, TestResponse.of(404).header("Transient-Error", "TRUE")).verdict();
    assertFalse(((Verdict.Retryable) lifted).doNotRetry());
    Verdict both =
        Wire.outcome(
                get,
                TestResponse.of(503).header("transient-error", "true").header("x-exhausted", "yes"))
            .verdict();
    assertTrue(((Verdict.Retryable) both).doNotRetry());
    Verdict builtIn =
        Wire.outcome(get, TestResponse.of(503).header("x-should-retry", "false")).verdict();
    assertTrue(((Verdict.Retryable) builtIn).doNotRetry(), "the built-in ones stay");
  }

  @ParameterizedTest
  @ValueSource(strings = {"true", "false", "", "TRUE", "anything"})
  void theMerePresenceOfAHeaderCanSayNotToRetry(String value) {
    HttpRetry retry =
        HttpRetry.builder()
            .signals(
                ResponseSignals.standard()
                    .withDoNotRetry("x-envoy-ratelimited")
                    .withShouldRetry("transient-error", "true", true))
            .build();
    HttpOperation get = retry.operation(TestRequest.of("GET"), RetryOptions.none());
    for (int status : new int[] {429, 503}) {
      TestResponse limited =
          TestResponse.of(status)
              .header("transient-error", "true")
              .header("X-Envoy-RateLimited", value);
      Verdict verdict = Wire.outcome(get, limited).verdict();
      assertTrue(((Verdict.Retryable) verdict).doNotRetry(), status + ": " + verdict);
    }
    TestResponse missing =
        TestResponse.of(404).header("transient-error", "true").header("x-envoy-ratelimited", value);
    assertInstanceOf(Verdict.Permanent.class, Wire.outcome(get, missing).verdict(), "not lifted");
    TestResponse without = TestResponse.of(429).header("x-envoy-ratelimited-by", "x");
    assertFalse(((Verdict.Retryable) Wire.outcome(get, without).verdict()).doNotRetry());
    TestResponse accepted = TestResponse.of(200).header("x-envoy-ratelimited", value);
    assertEquals(Verdict.accepted(), Wire.outcome(get, accepted).verdict());
  }

  @Test
  void presenceHoldsBesideAValueOfTheSameHeader() {
    HttpRetry retry =
        HttpRetry.builder()
            .signals(
                ResponseSignals.standard()
                    .withShouldRetry("X-Limited", "false", true)
                    .withDoNotRetry("x-limited"))
            .build();
    HttpOperation get = retry.operation(TestRequest.of("GET"), RetryOptions.none());
    Verdict verdict =
        Wire.outcome(get, TestResponse.of(503).header("X-Limited", "false")).verdict();
    assertTrue(((Verdict.Retryable) verdict).doNotRetry());
  }

  /** A 202 with Retry-After asks the client to poll; it is no failure. */
  @Test
  void aSuccessIsNotAskedForSignals() {
    HttpClassifier nosy =
        new HttpClassifier() {
          @Override
          public Verdict onResponse(
              OperationView operation, ResponseView response, Signals signals) {
            assertEquals(Signals.NONE, signals);
            return StandardRules.defaults().onResponse(operation, response, signals);
          }

          @Override
          public Verdict onFailure(OperationView operation, TransportFailure failure) {
            throw new AssertionError();
          }
        };
    HttpOperation get =
        HttpRetry.builder()
            .classifier(nosy)
            .build()
            .operation(TestRequest.of("GET"), RetryOptions.none());
    for (int status : new int[] {200, 204, 202, 302, 304, 399}) {
      TestResponse response =
          TestResponse.of(status).header("Retry-After", "5").header("x-should-retry", "true");
      assertEquals(Verdict.accepted(), Wire.outcome(get, response).verdict());
    }
  }

  private static final String[] NAMES = {
    "x-should-retry", "Stripe-Should-Retry", "Qos-Retry-Hint", "finagle-http-nack",
    "finagle-http-nonretryable-nack", "grpc-retry-pushback-ms", "Retry-After", "Date",
  };
  private static final String[] VALUES = {
    "true",
    "false",
    "do-not-retry",
    "",
    "-1",
    "500",
    "99999999999",
    "1e400",
    "\u0661",
    "\u0000",
    "t\u0131rue",
    "fal\u017fe",
    "\ud800",
    "Fri, 06 Jun 2014 12:30:30 GMT",
  };

  private static final Pattern SAYS_NOT = Pattern.compile("(?i)should-retry=\\[[^]]*false");

  @Test
  void noHeaderThrows_andNotToRetryHolds() {
    int not = 0;
    Random random = new Random(11);
    for (int i = 0; i < 20_000; i++) {
      TestResponse response = TestResponse.of(400 + random.nextInt(200));
      for (int lines = random.nextInt(5); lines > 0; lines--) {
        response.header(NAMES[random.nextInt(NAMES.length)], VALUES[random.nextInt(VALUES.length)]);
      }
      Signals signals = DEFAULT.read(response, LeapingTime.START);
      if (SAYS_NOT.matcher(response.toString()).find()) {
        not++;
        assertEquals(false, signals.shouldRetry(), response::toString);
      }
    }
    assertTrue(not > 500, () -> "too few say not to retry");
  }
}
