package dev.steadfast.retry.examples.springboot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import dev.steadfast.retry.examples.springboot.Payments.Payment;
import dev.steadfast.retry.spring.boot.HttpRetryCustomizer;
import dev.steadfast.retry.testkit.FakeTime;
import java.io.IOException;
import mockwebserver3.MockResponse;
import mockwebserver3.MockWebServer;
import okhttp3.Headers;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

// region boot-test-server
@SpringBootTest
class FlakyPaymentsTest {
  static final MockWebServer SERVER = new MockWebServer();

  @DynamicPropertySource
  static void url(DynamicPropertyRegistry properties) throws IOException {
    SERVER.start();
    properties.add("payments.url", () -> "http://127.0.0.1:" + SERVER.getPort());
  }

  @TestConfiguration
  static class WithoutWaits {
    @Bean
    HttpRetryCustomizer withoutWaits() {
      FakeTime time = new FakeTime();
      return (client, retry) -> retry.environment(time.environment()).listener(time.skipWaits());
    }
  }

  @Test
  void paysAgainWithTheSameKey(@Autowired Payments payments) throws Exception {
    SERVER.enqueue(new MockResponse(503, Headers.of("Retry-After", "7"), ""));
    Headers json = Headers.of("Content-Type", "application/json");
    SERVER.enqueue(new MockResponse(200, json, "{\"order\": \"7\"}"));

    assertEquals("7", payments.pay(new Payment("7", 1999)).order());

    String key = SERVER.takeRequest().getHeaders().get("Idempotency-Key");
    assertNotNull(key);
    assertEquals(key, SERVER.takeRequest().getHeaders().get("Idempotency-Key"));
  }

  @AfterAll
  static void close() {
    SERVER.close();
  }
}
// endregion
