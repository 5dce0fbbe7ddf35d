package dev.steadfast.retry.httpclient;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.http.HttpRetry;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A report is of a call of ours, or there is none. */
class ForeignResponseTest {
  @Test
  void aResponseOfAnotherClientHasNoReport() throws Exception {
    try (Bench bench = new Bench()) {
      HttpResponse<Void> foreign =
          Bench.plain().build().send(bench.get(), BodyHandlers.discarding());

      IllegalArgumentException refused =
          assertThrows(IllegalArgumentException.class, () -> JdkReports.of(foreign));

      assertTrue(
          refused.getMessage().contains("one that a RetryingHttpClient gave"), refused::getMessage);
    }
  }

  @ParameterizedTest
  @EnumSource
  void aCleanResponseThatNobodyListenedToHasOne(Entry entry) throws Throwable {
    try (Bench bench = new Bench()) {
      HttpRetry silent = HttpRetry.builder().environment(bench.time.environment()).build();

      HttpResponse<Void> ours =
          entry.call(
              RetryingHttpClient.wrap(Bench.plain().build(), silent),
              bench.get(),
              BodyHandlers.discarding());

      assertEquals("1 attempt, accepted", JdkReports.of(ours).toString());
    }
  }
}
