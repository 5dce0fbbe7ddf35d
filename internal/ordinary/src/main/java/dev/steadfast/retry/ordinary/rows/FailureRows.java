package dev.steadfast.retry.ordinary.rows;

import dev.steadfast.retry.ordinary.Policy;
import dev.steadfast.retry.ordinary.Row;
import dev.steadfast.retry.ordinary.WireServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.UnknownHostException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import okhttp3.Request;

/** Failures: with one attempt, and with the defaults where the plain client fails at once too. */
final class FailureRows {
  /** Bound, not listening, and never closed: nobody else can get the port meanwhile. */
  private static final Socket BOUND = new Socket();

  private FailureRows() {}

  static List<Row> rows() {
    return Stream.of(connecting(), answers(), timeouts(), bodies()).flatMap(rows -> rows).toList();
  }

  private static Row once(String name) {
    return Row.named("failure: " + name).policies(Policy.ONCE);
  }

  private static Row to(Row row, String url) {
    return row.okHttp(client -> client.call(new Request.Builder().url(url).build()))
        .jdk(client ->
            client.send(HttpRequest.newBuilder(URI.create(url)).build(), BodyHandlers.ofString()));
  }

  private static Stream<Row> connecting() {
    return Stream.of(
        to(once("refused port"), "http://127.0.0.1:" + refusedPort() + "/"),
        to(
            Row.named("failure: refused port, with the defaults")
                .policies(Policy.DEFAULTS)
                .withoutEvents(),
            "http://127.0.0.1:" + refusedPort() + "/"),
        to(
            once("unknown host")
                .okHttpClient((builder, run) ->
                    builder.dns(host -> {
                      throw new UnknownHostException("no " + host);
                    })),
            "http://unknown.invalid/"),
        once("certificate that is not trusted")
            .server(() -> WireServer.secure(exchange -> exchange.reply(200, "secret")))
            .program(client -> client.get("/")),
        Row.named("failure: certificate that is not trusted, with the defaults")
            .policies(Policy.DEFAULTS)
            .server(() -> WireServer.secure(exchange -> exchange.reply(200, "secret")))
            .program(client -> client.get("/")),
        Row.named("failure: https to a port for http")
            .policies(Policy.ONCE)
            .withoutEvents()
            .okHttp(client ->
                client.call(
                    new Request.Builder()
                        .url(client.run().uri("/").toString().replace("http:", "https:"))
                        .build())));
  }

  private static synchronized int refusedPort() {
    try {
      if (!BOUND.isBound()) {
        BOUND.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      }
      return BOUND.getLocalPort();
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private static Stream<Row> answers() {
    return Stream.of("GET", "POST")
        .flatMap(method ->
            Stream.of(
                answer("malformed status line", "HUH\r\n\r\n", method),
                answer("end within the head", "HTTP/1.1 200 OK\r\nA: b\r\n", method),
                answer(
                    "end within the body",
                    "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nab",
                    method),
                answer(
                    "end within a chunk",
                    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nab",
                    method),
                answer(
                    "malformed chunk",
                    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nab",
                    method),
                answer("204 with a length", "HTTP/1.1 204 No\r\nContent-Length: 3\r\n\r\n", method),
                answer(
                    "two lengths",
                    "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
                    method),
                answer("HTTP/3.0", "HTTP/3.0 200 OK\r\nContent-Length: 0\r\n\r\n", method)));
  }

  private static Row answer(String name, String bytes, String method) {
    return once(name + ", " + method)
        .answers(exchange -> {
          exchange.raw(bytes);
          exchange.thenClose();
        })
        .program(client -> client.send(method, "/", "text"));
  }

  private static Stream<Row> timeouts() {
    return Stream.of(
        once("read timeout")
            .withoutEvents()
            .answers(dev.steadfast.retry.ordinary.Exchange::awaitGate)
            .okHttpClient((builder, run) -> builder.readTimeout(300, TimeUnit.MILLISECONDS))
            .okHttp(client -> client.get("/")),
        once("call timeout")
            .withoutEvents()
            .answers(dev.steadfast.retry.ordinary.Exchange::awaitGate)
            .okHttpClient((builder, run) -> builder.callTimeout(300, TimeUnit.MILLISECONDS))
            .okHttp(client -> client.get("/")),
        once("timeout of the request")
            .answers(dev.steadfast.retry.ordinary.Exchange::awaitGate)
            .jdk(client ->
                client.send(
                    client.request("/").timeout(Duration.ofMillis(300)).build(),
                    BodyHandlers.ofString())));
  }

  private static Stream<Row> bodies() {
    return Stream.of(
        once("body that throws an IOException")
            .unordered()
            .okHttp(client ->
                client.call(
                    client
                        .request("/")
                        .post(
                            Bodies.writing(sink -> {
                              throw new IOException("no body");
                            }))
                        .build())),
        once("body that throws a RuntimeException")
            .unordered()
            .okHttp(client ->
                client.call(
                    client
                        .request("/")
                        .post(
                            Bodies.writing(sink -> {
                              throw new IllegalStateException("no body");
                            }))
                        .build())),
        once("body that is shorter than it says")
            .unordered()
            .okHttp(client ->
                client.call(
                    client.request("/").post(Bodies.writing(9, s -> s.writeUtf8("ab"))).build())),
        once("body that is longer than it says")
            .unordered()
            .okHttp(client ->
                client.call(
                    client.request("/").post(Bodies.writing(1, s -> s.writeUtf8("abc"))).build())),
        publisher("publisher whose supplier throws")
            .jdk(client ->
                client.send(
                    client
                        .request("/")
                        .POST(
                            BodyPublishers.ofInputStream(() -> {
                              throw new IllegalStateException("no stream");
                            }))
                        .build(),
                    BodyHandlers.ofString())),
        publisher("publisher that throws")
            .jdk(client ->
                client.send(
                    client
                        .request("/")
                        .POST(
                            BodyPublishers.fromPublisher(subscriber -> {
                              throw new IllegalStateException("no publisher");
                            }))
                        .build(),
                    BodyHandlers.ofString())),
        publisher("publisher that is longer than it says")
            .jdk(client ->
                client.send(
                    client
                        .request("/")
                        .POST(BodyPublishers.fromPublisher(BodyPublishers.ofString("abc"), 1))
                        .build(),
                    BodyHandlers.ofString())));
  }

  private static Row publisher(String name) {
    return once(name).unordered().withoutServer();
  }
}
