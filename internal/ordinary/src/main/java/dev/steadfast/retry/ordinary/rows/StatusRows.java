package dev.steadfast.retry.ordinary.rows;

import dev.steadfast.retry.ordinary.Exchange;
import dev.steadfast.retry.ordinary.Row;
import dev.steadfast.retry.ordinary.Setting;
import dev.steadfast.retry.ordinary.WireServer;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.stream.Stream;

/** Methods, statuses and the forms of a head. */
final class StatusRows {
  private StatusRows() {}

  static List<Row> rows() {
    return Stream.of(methods(), statuses(), heads()).flatMap(rows -> rows).toList();
  }

  private static Stream<Row> methods() {
    return Stream.of("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "REPORT")
        .map(method ->
            Row.named("method " + method)
                .program(client ->
                    client.send(
                        method,
                        "/a?b=c%20d&e=%7C",
                        "{\"amount\":1}",
                        "Content-Type: application/json",
                        "X-Twice: 1",
                        "x-twice: 2",
                        "Accept: text/plain;q=0.5, */*")));
  }

  private static Stream<Row> statuses() {
    return Stream.of(200, 201, 202, 203, 204, 205, 206, 304, 400, 401, 403, 404, 405, 409, 410, 412)
        .flatMap(status -> Stream.of(status(status, "GET"), status(status, "POST")));
  }

  private static Row status(int status, String method) {
    return Row.named(status + " to " + method)
        .answers(
            exchange -> exchange.reply(status, status == 205 ? "" : "body", "X-A: b", "X-A: c"))
        .program(client -> client.send(method, "/", "text"));
  }

  private static Stream<Row> heads() {
    return Stream.of(
        Row.named("head without reason phrase")
            .answers(exchange -> exchange.raw("HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nok"))
            .program(client -> client.get("/")),
        Row.named("HTTP/1.0, body until the end of the connection")
            .answers(exchange -> {
              exchange.raw("HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\nold");
              exchange.thenClose();
            })
            .program(client -> {
              client.get("/1");
              client.send("POST", "/2", "text");
            }),
        Row.named("HTTP/1.0 with keep-alive")
            .answers(exchange ->
                exchange.raw(
                    "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 3\r\n\r\nold"))
            .program(client -> {
              client.get("/1");
              client.get("/2");
            }),
        Row.named("chunked body with trailers")
            .answers(exchange -> {
              exchange.raw(Exchange.head(200, "Transfer-Encoding: chunked", "Trailer: X-Sum"));
              exchange.chunk("one");
              exchange.chunk("two");
              exchange.raw("0\r\nX-Sum: 6\r\n\r\n");
            })
            .program(client -> client.get("/")),
        Row.named("100 Continue that nobody asked for")
            .answers(exchange -> {
              exchange.raw("HTTP/1.1 100 Continue\r\n\r\n");
              exchange.reply(200, "ok");
            })
            .program(client -> client.send("POST", "/", "text")),
        Row.named("103 Early Hints")
            .answers(exchange -> {
              exchange.raw("HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n");
              exchange.reply(200, "ok");
            })
            .program(client -> client.get("/")),
        Row.named("Connection: close after each answer")
            .answers(exchange -> {
              exchange.reply(200, "ok", "Connection: close");
              exchange.thenClose();
            })
            .program(client -> {
              client.get("/1");
              client.send("POST", "/2", "text");
              client.get("/3");
            }),
        Row.named("ten requests on one connection")
            .program(client -> {
              for (int i = 0; i < 10; i++) {
                client.send(i % 2 == 0 ? "GET" : "POST", "/" + i, "text");
              }
            }),
        Row.named("Expect: 100-continue")
            .okHttp(client -> client.send("POST", "/", "text", "Expect: 100-continue"))
            .jdk(client ->
                client.send(
                    client
                        .request("/")
                        .expectContinue(true)
                        .POST(BodyPublishers.ofString("text"))
                        .build(),
                    BodyHandlers.ofString())),
        unexpected("answered 417, OkHttp")
            .okHttp(client -> client.send("POST", "/", "text", "Expect: 100-continue")),
        // On JDK 17 the plain client waits for ever.
        unexpected("answered 417")
            .only(Setting.JDK_25)
            .jdk(client ->
                client.send(
                    client
                        .request("/")
                        .expectContinue(true)
                        .POST(BodyPublishers.ofString("text"))
                        .build(),
                    BodyHandlers.ofString())));
  }

  private static Row unexpected(String name) {
    return Row.named("Expect: 100-continue, " + name)
        .server(() ->
            WireServer.lazy(exchange -> {
              exchange.reply(417, "no", "Connection: close");
              exchange.thenClose();
            }));
  }
}
