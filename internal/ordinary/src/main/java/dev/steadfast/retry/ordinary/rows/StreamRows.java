package dev.steadfast.retry.ordinary.rows;

import dev.steadfast.retry.ordinary.Entry.Way;
import dev.steadfast.retry.ordinary.Exchange;
import dev.steadfast.retry.ordinary.H2Server;
import dev.steadfast.retry.ordinary.JdkClient;
import dev.steadfast.retry.ordinary.OkClient;
import dev.steadfast.retry.ordinary.Policy;
import dev.steadfast.retry.ordinary.Row;
import dev.steadfast.retry.ordinary.Run;
import dev.steadfast.retry.ordinary.WireServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okhttp3.WebSocketListener;
import okhttp3.mockwebserver.MockResponse;

/** Answers that take their time, events, web sockets, and answers that come early. */
final class StreamRows {
  private StreamRows() {}

  static List<Row> rows() {
    return Stream.of(events(), sockets(), early()).flatMap(rows -> rows).toList();
  }

  private static Stream<Row> events() {
    return Stream.of(
        Row.named("server-sent events, read as they come")
            .answers(StreamRows::stream)
            .okHttp(StreamRows::readEvents)
            .jdk(StreamRows::readEvents),
        Row.named("server-sent events, as lines")
            .answers(exchange -> {
              exchange.server().openGate();
              stream(exchange);
            })
            .jdk(client ->
                client.send(
                    client.request("/").header("Accept", "text/event-stream").build(),
                    BodyHandlers.ofLines())),
        Row.named("long poll: the head comes when something happens")
            .answers(exchange -> {
              if (exchange.target().equals("/poll")) {
                exchange.awaitGate();
              } else {
                exchange.server().openGate();
              }
              exchange.reply(200, exchange.target());
            })
            .ways(Way.ENQUEUE, Way.SEND_ASYNC)
            .unordered()
            .okHttp(client -> {
              CountDownLatch done =
                  client.enqueue(client.calls().newCall(client.request("/poll").build()));
              client.run().wire().awaitRequests(1);
              client.get("/event");
              OkClient.await(done);
            })
            .jdk(client -> {
              var poll =
                  client.http().sendAsync(client.request("/poll").build(), BodyHandlers.ofString());
              client.run().wire().awaitRequests(1);
              client.get("/event");
              client.answered(poll.get());
            }));
  }

  /** The second event is sent when the caller has the first. */
  private static void stream(Exchange exchange) throws IOException, InterruptedException {
    exchange.raw(
        Exchange.head(200, "Content-Type: text/event-stream", "Transfer-Encoding: chunked"));
    exchange.chunk("data: one\n\n");
    exchange.awaitGate();
    exchange.chunk("data: two\n\n");
    exchange.chunk("");
  }

  private static void readEvents(OkClient client) throws IOException {
    Request request = client.request("/").header("Accept", "text/event-stream").build();
    try (Response response = client.calls().newCall(request).execute()) {
      client.head(response);
      var source = response.body().source();
      client.run().note("events read", source.readUtf8LineStrict());
      client.run().wire().openGate();
      client.run().note("events read", source.readUtf8());
    }
  }

  private static void readEvents(JdkClient client) throws Exception {
    HttpResponse<InputStream> response =
        client.http().send(client.request("/").build(), BodyHandlers.ofInputStream());
    client.head(response);
    try (InputStream in = response.body()) {
      client.run().note("events read", new String(in.readNBytes(9), StandardCharsets.UTF_8));
      client.run().wire().openGate();
      client.run().note("events read", new String(in.readAllBytes(), StandardCharsets.UTF_8));
    }
  }

  private static Stream<Row> sockets() {
    return Stream.of(
        Row.named("web socket of OkHttp")
            .server(StreamRows::socketServer)
            .ways(Way.EXECUTE)
            .unordered()
            .okHttp(StreamRows::socket),
        Row.named("web socket of the JDK")
            .server(StreamRows::socketServer)
            .ways(Way.SEND)
            .unordered()
            .jdk(StreamRows::socket),
        Row.named("upgrade by a call")
            .answers(exchange ->
                exchange.raw(Exchange.head(101, "Connection: Upgrade", "Upgrade: other")))
            .okHttp(client ->
                client
                    .calls()
                    .newCall(
                        client
                            .request("/")
                            .header("Connection", "Upgrade")
                            .header("Upgrade", "other")
                            .build())
                    .execute()
                    .close())
            .ways(Way.EXECUTE));
  }

  private static H2Server socketServer() {
    return H2Server.http1(request ->
        new MockResponse()
            .withWebSocketUpgrade(
                new WebSocketListener() {
                  @Override
                  public void onMessage(okhttp3.WebSocket socket, String text) {
                    socket.send("echo " + text);
                  }

                  @Override
                  public void onClosing(okhttp3.WebSocket socket, int code, String reason) {
                    socket.close(code, reason);
                  }
                }));
  }

  private static void socket(OkClient client) throws Exception {
    CountDownLatch done = new CountDownLatch(1);
    Run run = client.run();
    client
        .client()
        .newWebSocket(
            client.request("/").build(),
            new WebSocketListener() {
              @Override
              public void onOpen(okhttp3.WebSocket socket, Response response) {
                run.note("socket", "open " + response.code());
                socket.send("hello");
              }

              @Override
              public void onMessage(okhttp3.WebSocket socket, String text) {
                run.note("socket", text);
                socket.close(1000, "bye");
              }

              @Override
              public void onClosed(okhttp3.WebSocket socket, int code, String reason) {
                run.note("socket", code + " " + reason);
                done.countDown();
              }

              @Override
              public void onFailure(
                  okhttp3.WebSocket socket,
                  Throwable thrown,
                  @org.jspecify.annotations.Nullable Response response) {
                run.note("socket", thrown);
                done.countDown();
              }
            });
    Run.await(done);
  }

  private static void socket(JdkClient client) throws Exception {
    CountDownLatch done = new CountDownLatch(1);
    Run run = client.run();
    URI http = run.uri("/");
    client
        .http()
        .newWebSocketBuilder()
        .buildAsync(
            URI.create("ws" + http.toString().substring(4)),
            new java.net.http.WebSocket.Listener() {
              @Override
              public void onOpen(java.net.http.WebSocket socket) {
                run.note("socket", "open");
                socket.request(3);
                socket.sendText("hello", true);
              }

              @Override
              public CompletionStage<?> onText(
                  java.net.http.WebSocket socket, CharSequence text, boolean last) {
                run.note("socket", text);
                return socket.sendClose(1000, "bye");
              }

              @Override
              public CompletionStage<?> onClose(
                  java.net.http.WebSocket socket, int code, String reason) {
                run.note("socket", code + " " + reason);
                done.countDown();
                return java.util.concurrent.CompletableFuture.completedFuture(null);
              }

              @Override
              public void onError(java.net.http.WebSocket socket, Throwable thrown) {
                run.note("socket", thrown);
                done.countDown();
              }
            })
        .get();
    Run.await(done);
  }

  private static Stream<Row> early() {
    return Stream.of(
        earlyRow("413 for a small body, then the end", 413, 100, true),
        earlyRow("200 for a small body, connection kept", 200, 100, false),
        earlyRow("401 for a small body, connection kept", 401, 100, false),
        earlyRow("413 for a large body, which is read afterwards", 413, 300_000, false),
        earlyRow("413 for 4 MiB, which are read afterwards", 413, 4 << 20, false),
        earlyRow("413 for 4 MiB, which are read afterwards, then the end", 413, 4 << 20, true),
        unread("413 for 4 MiB that are never read, then the end", 4 << 20));
  }

  /** Chance decides whether the client still reads the answer, or finds the connection reset. */
  private static Row unread(String name, int length) {
    return Row.named("early answer: " + name)
        .policies(Policy.ONCE)
        .withoutEvents()
        .server(() ->
            WireServer.lazy(exchange -> {
              exchange.reply(413, "too much", "Connection: close");
              exchange.thenClose();
            }))
        .ways(Way.EXECUTE, Way.SEND)
        .okHttp(client -> {
          RequestBody body = Bodies.once(sink -> sink.write(Bodies.bytes(length)));
          Request request = client.request("/").post(body).build();
          try (Response response = client.calls().newCall(request).execute()) {
            client.run().note("result", response.code() == 413 ? "refused" : response);
          } catch (IOException e) {
            client.run().note("result", "refused");
          }
        })
        .jdk(client -> {
          BodyPublisher body =
              BodyPublishers.ofInputStream(
                  () -> new java.io.ByteArrayInputStream(Bodies.bytes(length)));
          try {
            HttpResponse<String> response =
                client.http().send(client.request("/").POST(body).build(), BodyHandlers.ofString());
            client.run().note("result", response.statusCode() == 413 ? "refused" : response);
          } catch (IOException e) {
            client.run().note("result", "refused");
          }
        });
  }

  private static Row earlyRow(String name, int status, int length, boolean end) {
    return Row.named("early answer: " + name)
        .server(() ->
            WireServer.lazy(exchange -> {
              exchange.reply(status, "early");
              exchange.readBody();
              if (end) {
                exchange.thenClose();
              }
            }))
        .okHttp(client ->
            client.call(
                client
                    .request("/")
                    .post(RequestBody.create(Bodies.bytes(length), Bodies.BINARY))
                    .build()))
        .jdk(client ->
            client.send(
                client.request("/").POST(BodyPublishers.ofByteArray(Bodies.bytes(length))).build(),
                BodyHandlers.ofString()));
  }
}
