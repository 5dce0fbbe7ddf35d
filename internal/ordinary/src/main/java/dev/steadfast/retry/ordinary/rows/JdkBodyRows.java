package dev.steadfast.retry.ordinary.rows;

import dev.steadfast.retry.ordinary.JdkClient;
import dev.steadfast.retry.ordinary.Policy;
import dev.steadfast.retry.ordinary.Program;
import dev.steadfast.retry.ordinary.Row;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpResponse.BodySubscribers;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Flow;
import java.util.concurrent.SubmissionPublisher;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/** Every kind of body publisher and body handler of {@code java.net.http}. */
final class JdkBodyRows {
  private static final int[] LENGTHS = {0, 1, 65_535, 65_536, 65_537, 10 << 20};

  private JdkBodyRows() {}

  static List<Row> rows() {
    return Stream.of(lengths(), publishers(), handlers()).flatMap(rows -> rows).toList();
  }

  private static Row publisher(String name, Callable<BodyPublisher> body) {
    return Row.named("publisher: " + name)
        .answers(exchange -> exchange.reply(201, "made"))
        .jdk(client ->
            client.send(client.request("/").POST(body.call()).build(), BodyHandlers.ofString()));
  }

  private static Stream<Row> lengths() {
    return Arrays.stream(LENGTHS)
        .boxed()
        .flatMap(length -> {
          byte[] bytes = Bodies.bytes(length);
          return Stream.of(
              publisher("ofByteArray, " + length, () -> BodyPublishers.ofByteArray(bytes)),
              publisher(
                  "ofInputStream, " + length,
                  () -> BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(bytes))));
        });
  }

  private static Stream<Row> publishers() {
    byte[] bytes = Bodies.bytes(100_000);
    return Stream.of(
        publisher("noBody", BodyPublishers::noBody),
        publisher("ofString", () -> BodyPublishers.ofString("h\u00e9llo")),
        publisher("ofByteArray, a part", () -> BodyPublishers.ofByteArray(bytes, 5, 77_777)),
        publisher("ofByteArrays", () -> BodyPublishers.ofByteArrays(List.of(bytes, bytes))),
        publisher("ofFile", () -> BodyPublishers.ofFile(file(bytes))),
        publisher(
            "concat",
            () ->
                BodyPublishers.concat(
                    BodyPublishers.ofString("a"), BodyPublishers.ofByteArray(bytes))),
        publisher(
            "concat with a part of unknown length",
            () ->
                BodyPublishers.concat(
                    BodyPublishers.ofString("a"),
                    BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(bytes)))),
        publisher(
            "ofInputStream, the same stream again",
            () -> {
              ByteArrayInputStream once = new ByteArrayInputStream(bytes);
              return BodyPublishers.ofInputStream(() -> once);
            }),
        publisher(
            "fromPublisher, unknown length",
            () -> BodyPublishers.fromPublisher(BodyPublishers.ofByteArray(bytes))),
        publisher(
            "fromPublisher, known length",
            () -> BodyPublishers.fromPublisher(BodyPublishers.ofByteArray(bytes), bytes.length)),
        publisher("SubmissionPublisher", JdkBodyRows::submitted),
        publisher(
            "1 MiB of zeros from a stream",
            () -> BodyPublishers.ofInputStream(() -> Bodies.zeros(1 << 20))),
        publisher(
                "200 MiB of zeros from a stream",
                () -> BodyPublishers.ofInputStream(() -> Bodies.zeros(200 << 20)))
            .policies(Policy.DEFAULTS)
            .slow());
  }

  private static BodyPublisher submitted() {
    return BodyPublishers.fromPublisher(subscriber -> {
      SubmissionPublisher<ByteBuffer> publisher = new SubmissionPublisher<>();
      publisher.subscribe(subscriber);
      for (int i = 0; i < 20; i++) {
        publisher.submit(ByteBuffer.wrap(("part " + i).getBytes(StandardCharsets.UTF_8)));
      }
      publisher.close();
    });
  }

  private static Path file(byte[] bytes) throws IOException {
    Path file = Files.createTempFile("ordinary", ".bin");
    file.toFile().deleteOnExit();
    return Files.write(file, bytes);
  }

  private static Row handler(String name, Callable<BodyHandler<?>> handler) {
    return handled(name, client -> client.send(client.request("/").GET().build(), handler.call()));
  }

  private static Row handled(String name, Program<JdkClient> program) {
    String lines = "first line\nsecond line\n".repeat(5_000);
    return Row.named("handler: " + name)
        .answers(exchange -> exchange.reply(200, lines, "Content-Type: text/plain; charset=utf-8"))
        .jdk(program);
  }

  private static Stream<Row> handlers() {
    return Stream.of(
        handler("ofString", BodyHandlers::ofString),
        handler("ofByteArray", BodyHandlers::ofByteArray),
        handler("ofInputStream", BodyHandlers::ofInputStream),
        handler("ofLines", BodyHandlers::ofLines),
        handler("ofPublisher", BodyHandlers::ofPublisher),
        handler("ofFile", () -> BodyHandlers.ofFile(Files.createTempFile("ordinary", ".txt"))),
        handler("discarding", BodyHandlers::discarding),
        handler("replacing", () -> BodyHandlers.replacing("instead")),
        handler("buffering", () -> BodyHandlers.buffering(BodyHandlers.ofByteArray(), 1_000)),
        handler(
            "mapping",
            () -> info -> BodySubscribers.mapping(BodySubscribers.ofByteArray(), b -> b.length)),
        handler(
            "by status",
            () ->
                info ->
                    info.statusCode() == 200
                        ? BodySubscribers.mapping(
                            BodySubscribers.ofString(StandardCharsets.UTF_8), String::length)
                        : BodySubscribers.replacing(-1)),
        handler("fromLineSubscriber", () -> BodyHandlers.fromLineSubscriber(new Counting<>(2))),
        handler(
            "fromSubscriber", () -> BodyHandlers.fromSubscriber(new Counting<>(Long.MAX_VALUE))),
        handler("null body handler result", () -> info -> BodySubscribers.replacing(null)),
        handled(
            "handler that throws",
            client ->
                client.send(
                    client.request("/").build(),
                    info -> {
                      throw new IllegalStateException("no handler");
                    })),
        handled(
            "mapping that throws",
            client ->
                client.send(
                    client.request("/").build(),
                    info ->
                        BodySubscribers.mapping(
                            BodySubscribers.ofByteArray(),
                            bytes -> {
                              throw new IllegalStateException("no mapping");
                            }))),
        handled(
            "stream that is closed early",
            client -> {
              HttpResponse<java.io.InputStream> response =
                  client.http().send(client.request("/").build(), BodyHandlers.ofInputStream());
              client.head(response);
              response.body().close();
              client.get("/after");
            }));
  }

  /** Counts what it gets. */
  private static final class Counting<T> implements Flow.Subscriber<T> {
    private final long demand;
    private final AtomicLong count = new AtomicLong();
    private Flow.@org.jspecify.annotations.Nullable Subscription subscription;

    Counting(long demand) {
      this.demand = demand;
    }

    @Override
    public void onSubscribe(Flow.Subscription to) {
      subscription = to;
      to.request(demand);
    }

    @Override
    public void onNext(T item) {
      if (count.incrementAndGet() % demand == 0) {
        java.util.Objects.requireNonNull(subscription).request(demand);
      }
    }

    @Override
    public void onError(Throwable thrown) {}

    @Override
    public void onComplete() {}
  }
}
