package dev.steadfast.retry.examples.guide;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.RetryListener;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.httpclient.RetryingHttpClient;
import dev.steadfast.retry.tck.Received;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import dev.steadfast.retry.testkit.FakeTime;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.http.HttpEntity;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpInputMessage;
import org.springframework.http.HttpOutputMessage;
import org.springframework.http.MediaType;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.http.converter.AbstractHttpMessageConverter;
import org.springframework.web.client.HttpServerErrorException;
import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestTemplate;

final class SpringGuideTest {
  private final FakeTime time = new FakeTime();
  @AutoClose private final ScriptedServer server = ScriptedServer.start();

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
    assertEquals("paid", SpringGuide.pay(converting(client().mutate()), new Money(1999)));
    assertEquals(List.of("1999", "1999"), bodies());
  }

  @Test
  void aStreamedBodyIsSentOnce_andAListenerLearnsWhy() {
    server.enqueue(Reply.status(503));
    AtomicReference<RetryReport> report = new AtomicReference<>();
    RetryListener listener =
        new RetryListener() {
          @Override
          public void ended(OperationInfo operation, RetryReport ended) {
            report.set(ended);
          }
        };
    RestClient streaming =
        converting(
            RestClient.builder()
                .baseUrl(server.uri("").toString())
                .requestFactory(new JdkClientHttpRequestFactory(http(listener))));
    assertThrows(
        HttpServerErrorException.ServiceUnavailable.class, () -> put(streaming, new Money(1999)));
    assertEquals(List.of("1999"), bodies());
    assertEquals(StopReason.BODY_NOT_REPEATABLE, report.get().reason());
  }

  @Test
  void aStreamedBodyIsSentAgain_whereTheOptionsSayThatItIsRepeatable() {
    server.enqueue(Reply.status(503), Reply.status(200));
    RestClient streaming =
        converting(
            SpringGuide.streaming(server.uri("").toString(), http(time.skipWaits())).mutate());
    put(streaming, new Money(1999));
    assertEquals(List.of("1999", "1999"), bodies());
  }

  @Test
  void theBufferingFactoryDoesTheSameForATemplate() {
    server.enqueue(Reply.status(503), Reply.status(200));
    RestTemplate template = SpringGuide.template(http(time.skipWaits()));
    template.getMessageConverters().add(0, new MoneyConverter());
    HttpHeaders headers = new HttpHeaders();
    headers.setContentType(MediaType.APPLICATION_JSON);
    template.put(server.uri("/payments/1"), new HttpEntity<>(new Money(1999), headers));
    assertEquals(List.of("1999", "1999"), bodies());
  }

  private RetryingHttpClient http(RetryListener listener) {
    HttpRetry retry =
        HttpRetry.builder().environment(time.environment()).listener(listener).build();
    return RetryingHttpClient.wrap(HttpClient.newHttpClient(), retry);
  }

  private static RestClient converting(RestClient.Builder builder) {
    return builder
        .configureMessageConverters(
            converters -> converters.registerDefaults().addCustomConverter(new MoneyConverter()))
        .build();
  }

  private static void put(RestClient client, Money money) {
    client
        .put()
        .uri("/payments/1")
        .contentType(MediaType.APPLICATION_JSON)
        .body(money)
        .retrieve()
        .toBodilessEntity();
  }

  @Test
  void anAttemptTimeoutEndsAnAttempt_andAnotherOneFollows() {
    RetryPolicy policy =
        SpringGuide.timeouts().policy().toBuilder().attemptTimeout(Duration.ofSeconds(1)).build();
    HttpRetry retry = HttpRetry.builder().policy(policy).build();
    server.enqueue(Reply.stallAfterRequest(), Reply.status(200).body("paid"));
    assertEquals(
        "paid", SpringGuide.pay(SpringGuide.client(server.uri("").toString(), retry), "1"));
    assertEquals(2, server.requests().size());
  }

  @Test
  void springsReadTimeoutEndsTheWholeOperation() {
    JdkClientHttpRequestFactory factory =
        new JdkClientHttpRequestFactory(
            RetryingHttpClient.wrap(HttpClient.newHttpClient(), HttpRetry.defaults()));
    factory.setReadTimeout(Duration.ofSeconds(1));
    RestClient cancelling =
        RestClient.builder().baseUrl(server.uri("").toString()).requestFactory(factory).build();
    server.enqueue(Reply.stallAfterRequest(), Reply.status(200).body("paid"));
    ResourceAccessException thrown =
        assertThrows(ResourceAccessException.class, () -> SpringGuide.pay(cancelling, "1"));
    assertEquals(1, server.requests().size());
    assertInstanceOf(HttpTimeoutException.class, thrown.getCause());
    assertEquals(Optional.empty(), RetryReport.of(thrown));
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
