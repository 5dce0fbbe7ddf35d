package dev.steadfast.retry.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.Retrier;
import dev.steadfast.retry.RetryEnvironment;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.testsupport.CapturedLog;
import dev.steadfast.retry.testsupport.CapturedLog.Line;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.event.Level;

/** Settings that contradict each other are legal, but whoever builds them is told. */
class UselessSettingsTest {
  // A time of its own: configurations that other tests build within the minute do not count here.
  private final RetryEnvironment environment = new LeapingTime().environment();

  private void buildHttp(RetryPolicy policy) {
    HttpRetry.builder().environment(environment).policy(policy).build();
  }

  private void buildRetrier(RetryPolicy policy) {
    Retrier.builder().environment(environment).policy(policy).build();
  }

  private static void assertWarned(String expected, Runnable code) {
    List<Line> lines = CapturedLog.of(code);
    assertEquals(1, lines.size(), lines::toString);
    assertEquals(Level.WARN, lines.get(0).level());
    assertEquals(expected, lines.get(0).text());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "totalTimeout=1s; backoff=fixed(5s) | no retry is ever made: the first wait, fixed(5s), is not"
            + " shorter than totalTimeout=1s",
        "totalTimeout=1s; backoff=exponential(1s..2s) | no retry is ever made: the first wait,"
            + " exponential(1s..2s), is not shorter than totalTimeout=1s",
        "totalTimeout=1s; backoff=decorrelated(2s..9s) | no retry is ever made: the first wait,"
            + " decorrelated(2s..9s), is not shorter than totalTimeout=1s",
        "attemptTimeout=1m | no attempt lasts so long: attemptTimeout=1m is above totalTimeout=30s",
        "attemptTimeout=1s,1m; totalTimeout=5s | no attempt lasts so long: attemptTimeout=1m is above"
            + " totalTimeout=5s"
      })
  void aPolicyThatContradictsItself_isWarnedOf(String text, String warning) {
    RetryPolicy policy = RetryPolicy.valueOf(text);
    assertWarned(warning, () -> buildHttp(policy));
    assertWarned(warning, () -> buildRetrier(policy));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "backoff=none",
        "totalTimeout=1s; backoff=full(5s..9s)", // its first wait may be short
        "totalTimeout=1s; backoff=equal(1s..9s)",
        "totalTimeout=1s; backoff=fixed(999ms)",
        "totalTimeout=none; backoff=fixed(1h); attemptTimeout=1h",
        "totalTimeout=1s; backoff=fixed(5s); maxAttempts=1", // nothing is to be retried
        "attemptTimeout=30s"
      })
  void aPolicyThatMakesSense_isNot(String text) {
    RetryPolicy policy = RetryPolicy.valueOf(text);
    assertEquals(List.of(), CapturedLog.of(() -> buildHttp(policy)));
  }

  @Test
  void aConfigurationWithoutKeys_saysSo() {
    String text = HttpRetry.defaults().toString();
    assertFalse(text.contains("null"), text);
    assertTrue(text.contains("; keys=none; "), text);
  }
}
