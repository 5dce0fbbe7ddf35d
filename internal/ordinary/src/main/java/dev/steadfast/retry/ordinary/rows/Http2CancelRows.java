package dev.steadfast.retry.ordinary.rows;

import dev.steadfast.retry.ordinary.Client;
import dev.steadfast.retry.ordinary.Entry.Way;
import dev.steadfast.retry.ordinary.H2Server;
import dev.steadfast.retry.ordinary.Row;
import dev.steadfast.retry.ordinary.Text;
import dev.steadfast.retry.ordinary.Tls;
import java.io.InputStream;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;
import okhttp3.Call;
import okhttp3.Response;
import okhttp3.mockwebserver.MockResponse;
import okhttp3.mockwebserver.RecordedRequest;
import okio.Buffer;

/** Calls that are cancelled on HTTP/2: the stream ends, and the connection carries the next one. */
final class Http2CancelRows {
  /** More than the window of either client, so that the server is still writing. */
  private static final int LARGE = 40 << 20;

  private Http2CancelRows() {}

  static List<Row> rows() {
    return Stream.of(heads(), bodies()).flatMap(rows -> rows).toList();
  }

  private static Row row(String name) {
    return Row.named("cancel on HTTP/2: " + name)
        .withoutEvents()
        .server(() -> H2Server.overTls(Http2CancelRows::answer))
        .okHttpClient((builder, run) -> Tls.trust(builder))
        .jdkClient((builder, run) -> builder.sslContext(Tls.client()));
  }

  private static MockResponse answer(RecordedRequest request) {
    return switch (String.valueOf(request.getPath())) {
      case "/large" -> new MockResponse().setBody(new Buffer().write(new byte[LARGE]));
      default -> H2Server.text(200, "next");
    };
  }

  private static Stream<Row> heads() {
    return Stream.of(
        row("while the head is awaited")
            .okHttp(client -> {
              Call call = client.calls().newCall(client.request(H2Server.SILENT).build());
              Thread other =
                  new Thread(() -> {
                    arrived(client, 2);
                    call.cancel();
                  });
              client.get("/before");
              other.start();
              client.call(call);
              other.join();
              client.run().note("call", "cancelled " + call.isCanceled());
              client.get("/after");
            }),
        row("a future while the head is awaited")
            .ways(Way.SEND_ASYNC)
            .jdk(client -> {
              client.get("/before");
              CompletableFuture<HttpResponse<String>> future =
                  client
                      .http()
                      .sendAsync(client.request(H2Server.SILENT).build(), BodyHandlers.ofString());
              arrived(client, 2);
              client.run().note("result", "cancel " + future.cancel(true));
              try {
                future.join();
              } catch (CancellationException e) {
                client.run().note("result", "cancelled");
              } catch (CompletionException e) {
                boolean cancelled = e.getCause() instanceof CancellationException;
                client.run().note("result", cancelled ? "cancelled" : e);
              }
              client.get("/after");
            }));
  }

  private static Stream<Row> bodies() {
    return Stream.of(
        row("while the body is read")
            .ways(Way.EXECUTE)
            .okHttp(client -> {
              Call call = client.calls().newCall(client.request("/large").build());
              try (Response response = call.execute()) {
                client.head(response);
                response.body().source().readByte();
                call.cancel();
                response.body().source().skip(LARGE - 1);
              } catch (java.io.IOException e) {
                client.run().note("result", Text.of(e));
              }
              client.get("/after");
            }),
        row("a body that is closed early")
            .okHttp(client -> {
              Call call = client.calls().newCall(client.request("/large").build());
              try (Response response = call.execute()) {
                response.body().source().readByte();
              }
              client.get("/after");
            })
            .ways(Way.EXECUTE, Way.SEND)
            .jdk(client -> {
              HttpResponse<InputStream> response =
                  client
                      .http()
                      .send(client.request("/large").build(), BodyHandlers.ofInputStream());
              try (InputStream body = response.body()) {
                client.run().note("result", body.read());
              }
              client.get("/after");
            }));
  }

  private static void arrived(Client client, int count) {
    ((H2Server) client.run().server()).awaitRequests(count);
  }
}
