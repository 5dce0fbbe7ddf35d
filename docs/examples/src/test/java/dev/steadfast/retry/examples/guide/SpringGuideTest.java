package dev.steadfast.retry.examples.guide;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.scenarios.Received;
import dev.steadfast.retry.scenarios.Reply;
import dev.steadfast.retry.scenarios.ScriptedServer;
import dev.steadfast.retry.testkit.FakeTime;
import java.util.List;
import org.junit.jupiter.api.Test;

final class SpringGuideTest {

  @Test
  void pays_withTheKeyOfTheHeader() {
    FakeTime time = new FakeTime();
    HttpRetry retry =
        HttpRetry.builder().environment(time.environment()).listener(time.skipWaits()).build();
    try (ScriptedServer server = ScriptedServer.start()) {
      server.enqueue(Reply.status(503), Reply.status(201).body("paid"));
      assertEquals("paid", SpringGuide.pay(server.uri("").toString(), retry));
      List<String> bodies = server.requests().stream().map(Received::bodyText).toList();
      assertEquals(List.of("{\"cents\": 1999}", "{\"cents\": 1999}"), bodies);
    }
  }
}
