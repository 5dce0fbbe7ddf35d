package dev.steadfast.retry.ordinary.rows;

import dev.steadfast.retry.ordinary.Entry.Way;
import dev.steadfast.retry.ordinary.Exchange;
import dev.steadfast.retry.ordinary.JdkClient;
import dev.steadfast.retry.ordinary.Row;
import dev.steadfast.retry.ordinary.Text;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.http.client.MultipartBodyBuilder;
import org.springframework.http.client.reactive.JdkClientHttpConnector;
import org.springframework.web.reactive.function.client.ClientRequest;
import org.springframework.web.reactive.function.client.ExchangeFilterFunctions;
import org.springframework.web.reactive.function.client.WebClient;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Spring's WebClient on the connector for {@code java.net.http}, with the types of Reactor. */
final class WebClientRows {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  private WebClientRows() {}

  static List<Row> rows() {
    return Stream.of(reads(), writes(), streams()).flatMap(rows -> rows).toList();
  }

  private static Row row(String name, Function<WebClient, Mono<?>> program) {
    return on(name, client -> note(client, program.apply(web(client))));
  }

  private static Row on(String name, dev.steadfast.retry.ordinary.Program<JdkClient> program) {
    return Row.named("WebClient: " + name)
        .ways(Way.SEND_ASYNC)
        .answers(WebClientRows::answer)
        .jdk(program);
  }

  private static WebClient web(JdkClient client) {
    return WebClient.builder()
        .baseUrl(client.run().uri("").toString())
        .clientConnector(new JdkClientHttpConnector(client.http()))
        .build();
  }

  private static void note(JdkClient client, Mono<?> mono) {
    try {
      Object result = mono.block(LIMIT);
      client.run().note("result", result instanceof ResponseEntity<?> all ? text(all) : result);
    } catch (RuntimeException e) {
      client.run().note("result", "failed: " + Text.of(e));
    }
  }

  private static String text(ResponseEntity<?> all) {
    return all.getStatusCode() + " " + all.getHeaders() + " " + all.getBody();
  }

  private static void answer(Exchange exchange) throws IOException, InterruptedException {
    switch (exchange.target()) {
      case "/404" -> exchange.reply(404, "gone", "Content-Type: text/plain");
      case "/204" -> exchange.reply(204, "");
      case "/large" -> exchange.reply(200, "line\n".repeat(200_000), "Content-Type: text/plain");
      case "/events" -> {
        exchange.raw(
            Exchange.head(200, "Content-Type: text/event-stream", "Transfer-Encoding: chunked"));
        exchange.chunk("data: one\n\n");
        exchange.awaitGate();
        exchange.chunk("data: two\n\n");
        exchange.chunk("");
      }
      case "/silent" -> exchange.awaitGate();
      default -> exchange.reply(200, exchange.target(), "Content-Type: text/plain", "X-A: b");
    }
  }

  private static Stream<Row> reads() {
    return Stream.of(
        row("a Mono of an entity", web -> web.get().uri("/a").retrieve().toEntity(String.class)),
        row(
            "target, headers and cookies",
            web ->
                web.get()
                    .uri("/{name}?q={q}", "a b/c", "x&y=\u00e4")
                    .header("X-Shop", "1", "2")
                    .headers(headers -> headers.setBasicAuth("ann", "secret"))
                    .cookie("a", "b")
                    .accept(MediaType.TEXT_PLAIN)
                    .retrieve()
                    .toEntity(String.class)),
        row("HEAD", web -> web.head().uri("/a").retrieve().toBodilessEntity()),
        row("204", web -> web.delete().uri("/204").retrieve().toBodilessEntity()),
        row("404", web -> web.get().uri("/404").retrieve().bodyToMono(String.class)),
        row(
            "404 that is fine",
            web ->
                web.get()
                    .uri("/404")
                    .retrieve()
                    .onStatus(HttpStatusCode::isError, response -> Mono.empty())
                    .toEntity(String.class)),
        row(
            "exchangeToMono",
            web ->
                web.get()
                    .uri("/404")
                    .exchangeToMono(response ->
                        response
                            .bodyToMono(String.class)
                            .map(body -> response.statusCode() + " " + body))),
        row(
            "a filter that adds a token",
            web ->
                web.mutate()
                    .filter(ExchangeFilterFunctions.basicAuthentication("ann", "secret"))
                    .filter((request, next) ->
                        next.exchange(ClientRequest.from(request).header("X-By", "me").build()))
                    .build()
                    .get()
                    .uri("/a")
                    .retrieve()
                    .bodyToMono(String.class)),
        row(
            "ten calls of a Flux",
            web ->
                Flux.range(0, 10)
                    .concatMap(i -> web.get().uri("/" + i).retrieve().bodyToMono(String.class))
                    .collectList()),
        row(
                "ten calls at once",
                web ->
                    Flux.range(0, 10)
                        .flatMapSequential(
                            i -> web.get().uri("/" + i).retrieve().bodyToMono(String.class))
                        .collectList())
            .unordered());
  }

  private static Stream<Row> writes() {
    byte[] large = Bodies.bytes(100_000);
    return Stream.of(
        row("POST of a text", web -> post(web).bodyValue("text").retrieve().toEntity(String.class)),
        row("POST of bytes", web -> post(web).bodyValue(large).retrieve().toEntity(String.class)),
        row("POST of nothing", web -> post(web).retrieve().toEntity(String.class)),
        row(
            "POST of a Flux",
            web ->
                post(web)
                    .body(Flux.just("one", "two", "three"), String.class)
                    .retrieve()
                    .toEntity(String.class)),
        row(
            "POST of a resource",
            web -> post(web).bodyValue(new ByteArrayResource(large)).retrieve().toBodilessEntity()),
        row(
            "POST of a form",
            web ->
                web.post()
                    .uri("/form")
                    .body(
                        org.springframework.web.reactive.function.BodyInserters.fromFormData(
                                "a", "b c")
                            .with("d", "\u00e9"))
                    .retrieve()
                    .toEntity(String.class)),
        row("POST of parts", web -> post(web).bodyValue(parts(large)).retrieve().toBodilessEntity())
            .unordered(),
        row(
            "PUT and DELETE with a body",
            web ->
                web.put()
                    .uri("/a")
                    .bodyValue("x")
                    .retrieve()
                    .toBodilessEntity()
                    .then(
                        web.method(HttpMethod.DELETE)
                            .uri("/a")
                            .bodyValue("y")
                            .retrieve()
                            .toEntity(String.class))),
        row(
                "POST of a Flux that fails",
                web ->
                    post(web)
                        .body(Flux.error(new IllegalStateException("no ink")), String.class)
                        .retrieve()
                        .toEntity(String.class))
            .withoutServer());
  }

  private static Object parts(byte[] large) {
    MultipartBodyBuilder parts = new MultipartBodyBuilder();
    parts.part("order", "4711");
    parts.part("bill", new ByteArrayResource(large)).filename("bill.bin");
    return parts.build();
  }

  private static WebClient.RequestBodySpec post(WebClient web) {
    return web.post().uri("/post");
  }

  private static Stream<Row> streams() {
    return Stream.of(
        on(
            "server-sent events, as they come",
            client -> {
              Flux<String> events =
                  web(client)
                      .get()
                      .uri("/events")
                      .accept(MediaType.TEXT_EVENT_STREAM)
                      .retrieve()
                      .bodyToFlux(String.class)
                      .doOnNext(event -> client.run().wire().openGate());
              note(client, events.collectList());
            }),
        row(
            "a large answer as buffers",
            web ->
                web.get()
                    .uri("/large")
                    .retrieve()
                    .bodyToFlux(DataBuffer.class)
                    .map(WebClientRows::length)
                    .collect(Collectors.summingInt(each -> each))),
        row(
            "an answer that is larger than the memory for it",
            web -> web.get().uri("/large").retrieve().bodyToMono(String.class)),
        row(
            "the first line alone",
            web -> web.get().uri("/large").retrieve().bodyToFlux(String.class).next()),
        row(
            "a timeout of Reactor",
            web ->
                web.get()
                    .uri("/silent")
                    .retrieve()
                    .bodyToMono(String.class)
                    .timeout(Duration.ofMillis(300))
                    .onErrorResume(thrown -> Mono.just("failed: " + thrown.getClass()))),
        on(
            "a subscription that is cancelled",
            client -> {
              CountDownLatch cancelled = new CountDownLatch(1);
              var subscription =
                  web(client)
                      .get()
                      .uri("/silent")
                      .retrieve()
                      .bodyToMono(String.class)
                      .doOnCancel(cancelled::countDown)
                      .subscribe(
                          body -> client.run().note("result", body),
                          thrown -> client.run().note("result", Text.of(thrown)));
              client.run().wire().awaitRequests(1);
              subscription.dispose();
              dev.steadfast.retry.ordinary.Run.await(cancelled);
              client.run().note("result", "disposed " + subscription.isDisposed());
            }));
  }

  private static int length(DataBuffer buffer) {
    int length = buffer.readableByteCount();
    DataBufferUtils.release(buffer);
    return length;
  }
}
