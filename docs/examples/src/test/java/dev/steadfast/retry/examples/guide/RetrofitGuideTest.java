package dev.steadfast.retry.examples.guide;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import dev.steadfast.retry.testkit.FakeTime;
import java.util.List;
import okhttp3.HttpUrl;
import okhttp3.RequestBody;
import org.junit.jupiter.api.Test;

final class RetrofitGuideTest {

  @Test
  void pays_withTheKeyOfTheOptions() throws Exception {
    FakeTime time = new FakeTime();
    HttpRetry retry =
        HttpRetry.builder().environment(time.environment()).listener(time.skipWaits()).build();
    try (ScriptedServer server = ScriptedServer.start()) {
      server.enqueue(Reply.closeAfterRequest());
      RetrofitGuide.pay(HttpUrl.get(server.uri("/")), retry, RequestBody.create("a", null));
      assertEquals(
          List.of("order-12345-payment", "order-12345-payment"),
          server.requests().stream()
              .map(each -> each.header("Idempotency-Key").orElse("none"))
              .toList());
    }
  }
}
