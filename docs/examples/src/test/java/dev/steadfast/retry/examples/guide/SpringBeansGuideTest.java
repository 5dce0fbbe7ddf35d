package dev.steadfast.retry.examples.guide;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.tck.Received;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import dev.steadfast.retry.testkit.FakeTime;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.env.MapPropertySource;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.support.RestClientAdapter;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.annotation.PostExchange;
import org.springframework.web.service.invoker.HttpServiceProxyFactory;

/** The beans of the Spring guide, in a context that has a builder, as one of Spring Boot has. */
final class SpringBeansGuideTest {

  @HttpExchange("/payments")
  interface Payments {
    @PostExchange
    String pay(@RequestHeader("Idempotency-Key") String key, @RequestBody String payment);
  }

  static Payments payments(RestClient paymentsClient) {
    return HttpServiceProxyFactory.builderFor(RestClientAdapter.create(paymentsClient))
        .build()
        .createClient(Payments.class);
  }

  private final FakeTime time = new FakeTime();
  @AutoClose private final ScriptedServer server = ScriptedServer.start();

  @Test
  void anHttpExchangeIsRetriedUnderItsKey() {
    server.enqueue(Reply.closeAfterRequest(), Reply.status(201).body("paid"));
    try (AnnotationConfigApplicationContext context = context()) {
      Payments payments = payments(context.getBean(RestClient.class));
      assertEquals("paid", payments.pay("order-12345-payment", "1999"));
    }
    List<String> bodies = server.requests().stream().map(Received::bodyText).toList();
    assertEquals(List.of("1999", "1999"), bodies);
  }

  private AnnotationConfigApplicationContext context() {
    HttpRetry retry =
        HttpRetry.builder().environment(time.environment()).listener(time.skipWaits()).build();
    AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
    Map<String, Object> properties = Map.of("payments.url", server.uri("").toString());
    context
        .getEnvironment()
        .getPropertySources()
        .addFirst(new MapPropertySource("test", properties));
    context.registerBean(RestClient.Builder.class, () -> RestClient.builder());
    context.registerBean("httpRetry", HttpRetry.class, () -> retry); // replaces the guide's
    context.register(PaymentsConfiguration.class);
    context.refresh();
    return context;
  }
}
