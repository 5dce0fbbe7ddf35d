package dev.steadfast.retry.examples.guide;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.scenarios.Received;
import dev.steadfast.retry.scenarios.Reply;
import dev.steadfast.retry.scenarios.ScriptedServer;
import dev.steadfast.retry.testkit.FakeTime;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.http.HttpInputMessage;
import org.springframework.http.HttpOutputMessage;
import org.springframework.http.MediaType;
import org.springframework.http.converter.AbstractHttpMessageConverter;
import org.springframework.web.client.RestClient;

final class SpringGuideTest {
  private final FakeTime time = new FakeTime();
  private final ScriptedServer server = ScriptedServer.start();

  @AfterEach
  void close() {
    server.close();
  }

  private RestClient client() {
    HttpRetry retry =
        HttpRetry.builder().environment(time.environment()).listener(time.skipWaits()).build();
    return SpringGuide.client(server.uri("").toString(), retry);
  }

  private List<String> bodies() {
    return server.requests().stream().map(Received::bodyText).toList();
  }

  @Test
  void pays_withTheKeyOfTheHeader() {
    server.enqueue(Reply.closeAfterRequest(), Reply.status(201).body("paid"));
    assertEquals("paid", SpringGuide.pay(client(), "{\"cents\": 1999}"));
    assertEquals(List.of("{\"cents\": 1999}", "{\"cents\": 1999}"), bodies());
  }

  @Test
  void sendsAConvertedBodyAgain_becauseItIsBuffered() {
    server.enqueue(Reply.status(503), Reply.status(201).body("paid"));
    RestClient converting =
        client()
            .mutate()
            .configureMessageConverters(converters ->
                converters.registerDefaults().addCustomConverter(new MoneyConverter()))
            .build();
    assertEquals("paid", SpringGuide.pay(converting, new Money(1999)));
    assertEquals(List.of("1999", "1999"), bodies());
  }

  private record Money(int cents) {}

  /** Does not tell the length, as the converter for JSON does not. */
  private static final class MoneyConverter extends AbstractHttpMessageConverter<Money> {
    MoneyConverter() {
      super(MediaType.APPLICATION_JSON);
    }

    @Override
    protected boolean supports(Class<?> type) {
      return type == Money.class;
    }

    @Override
    protected Money readInternal(Class<? extends Money> type, HttpInputMessage message) {
      throw new UnsupportedOperationException();
    }

    @Override
    protected void writeInternal(Money money, HttpOutputMessage message) throws IOException {
      message.getBody().write(("" + money.cents()).getBytes(StandardCharsets.UTF_8));
    }
  }
}
