package dev.steadfast.retry.examples.springboot;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

/**
 * The run of {@code mvn -q -Pspring} in one process, on the JDK's client. Its total timeout is
 * long, so that a slow machine fails no order.
 */
@SpringBootTest(
    webEnvironment = WebEnvironment.RANDOM_PORT,
    properties =
        "steadfast.clients.payments.policy=maxAttempts=4; totalTimeout=5m; backoff=full(1ms..9ms)")
class RunTest {
  private static FaultyPayments payments;

  @DynamicPropertySource
  static void url(DynamicPropertyRegistry properties) throws IOException {
    payments = new FaultyPayments();
    properties.add("payments.url", payments::url);
  }

  @Test
  void paysEachOrderOnceAndCountsEachAttempt(@Value("${local.server.port}") String port)
      throws Exception {
    assertEquals(
        "paid=10 charged=10 sent=20 attempts=20 meters=20 spans=20",
        Run.of(new Customer(port), payments).toString());
  }

  @AfterAll
  static void close() {
    payments.close();
  }
}
