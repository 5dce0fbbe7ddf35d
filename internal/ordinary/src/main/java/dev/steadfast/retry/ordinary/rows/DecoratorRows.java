package dev.steadfast.retry.ordinary.rows;

import dev.steadfast.retry.ordinary.Entry;
import dev.steadfast.retry.ordinary.Exchange;
import dev.steadfast.retry.ordinary.Row;
import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;
import okhttp3.Call;

/** Authentication by a decorator of the user's: outside of the wrapped client, and beneath it. */
final class DecoratorRows {
  private static final String OWN_REQUEST =
      "the request of a response is your own, without what a decorator beneath has added to it";

  private DecoratorRows() {}

  static List<Row> rows() {
    return Stream.of("GET", "POST")
        .flatMap(method -> Stream.of(header(method), refresh(method)))
        .flatMap(rows -> rows)
        .toList();
  }

  /** Each request gets the token. */
  private static Stream<Row> header(String method) {
    return Stream.of(
        row("adds a token, outside, " + method)
            .okHttp(client -> {
              var authorized = client.through(calls -> adding(calls, "new"));
              authorized.send(method, "/1", "text");
              authorized.send(method, "/2", "text");
            })
            .jdk(client -> {
              var authorized = client.through(http -> new TokenClient(http, "new"));
              authorized.send(method, "/1", "text");
              authorized.send(method, "/2", "text");
            }),
        row("adds a token, beneath, " + method)
            .differs(
                "request of the answer",
                OWN_REQUEST,
                Entry.FACTORY_EXECUTE,
                Entry.FACTORY_ENQUEUE,
                Entry.SEND,
                Entry.SEND_ASYNC)
            .okHttpCalls(client -> adding(client, "new"))
            .jdkDecorator(http -> new TokenClient(http, "new"))
            .program(client -> {
              client.send(method, "/1", "text");
              client.send(method, "/2", "text");
            }));
  }

  /** The first token has expired; after a 401 the request is sent again with a new one. */
  private static Stream<Row> refresh(String method) {
    return Stream.of(
        row("refreshes a token, outside, " + method)
            .okHttp(client -> {
              client.through(calls -> adding(calls, "old")).send(method, "/1", "text");
              client.through(calls -> adding(calls, "new")).send(method, "/1", "text");
            })
            .jdk(client -> {
              var authorized = client.through(http -> new TokenClient(http, "old"));
              authorized.send(method, "/1", "text");
              authorized.send(method, "/2", "text");
            }),
        row("refreshes a token, beneath, " + method)
            .differs("request of the answer", OWN_REQUEST, Entry.SEND, Entry.SEND_ASYNC)
            .jdkDecorator(http -> new TokenClient(http, "old"))
            .jdk(client -> {
              client.send(method, "/1", "text");
              client.send(method, "/2", "text");
            }));
  }

  private static Row row(String name) {
    return Row.named("auth: a decorator " + name).answers(DecoratorRows::answer);
  }

  private static void answer(Exchange exchange) throws IOException {
    if (exchange.target().equals("/token")) {
      exchange.reply(200, "new");
    } else if ("Bearer new".equals(exchange.header("Authorization"))) {
      exchange.reply(200, "welcome");
    } else {
      exchange.reply(401, "expired");
    }
  }

  private static Call.Factory adding(Call.Factory calls, String token) {
    return request ->
        calls.newCall(request.newBuilder().header("Authorization", "Bearer " + token).build());
  }
}
