package dev.steadfast.retry.http;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.StopReason;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An answer that a server has stored for a key: every further attempt would get it again. */
class StoredAnswerTest {
  private final HttpRetry retry =
      HttpRetry.builder()
          .budget(RetryBudget.unlimited())
          .environment(new LeapingTime().environment())
          .idempotencyKeys(IdempotencyKeys.randomUuid())
          .classifier(StandardRules.builder().alsoRetry(418).build())
          .build();

  private Wire run(Object... script) {
    return Wire.run(retry.operation(TestRequest.of("POST").body("5"), RetryOptions.none()), script);
  }

  private static TestResponse stored(int status) {
    return TestResponse.of(status).header("Idempotent-Replayed", "true");
  }

  @ParameterizedTest
  @ValueSource(ints = {408, 418, 425, 429, 500, 502, 503, 504})
  void isHandedOver(int status) {
    Wire wire = run(TestResponse.of(503), stored(status).header("x-should-retry", "true"));
    assertEquals(2, wire.sent().size());
    assertEquals(StopReason.NOT_RETRYABLE, wire.report().reason());
  }

  @ParameterizedTest
  @ValueSource(ints = {503, 500})
  void anAnswerThatIsNotStoredIsRetried(int status) {
    Wire wire =
        run(TestResponse.of(status).header("Idempotent-Replayed", "false"), TestResponse.of(200));
    assertEquals(2, wire.sent().size());
    assertEquals(StopReason.ACCEPTED, wire.report().reason());
  }
}
