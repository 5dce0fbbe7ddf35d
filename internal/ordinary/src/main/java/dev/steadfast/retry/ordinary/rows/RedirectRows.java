package dev.steadfast.retry.ordinary.rows;

import dev.steadfast.retry.ordinary.Entry;
import dev.steadfast.retry.ordinary.Exchange;
import dev.steadfast.retry.ordinary.Policy;
import dev.steadfast.retry.ordinary.Row;
import dev.steadfast.retry.ordinary.Scope;
import java.io.IOException;
import java.net.http.HttpClient.Redirect;
import java.util.List;
import java.util.stream.Stream;

/** Redirects of all kinds. */
final class RedirectRows {
  private RedirectRows() {}

  static List<Row> rows() {
    return Stream.of(statuses(), others()).flatMap(rows -> rows).toList();
  }

  private static Row following(String name) {
    return Row.named("redirect: " + name)
        .jdkClient((builder, run) -> builder.followRedirects(Redirect.ALWAYS));
  }

  /** A row whose first request is a POST that may carry a key. */
  private static Row keyed(Row row, int status, boolean sameOrigin) {
    if (status < 307) {
      Scope[] jdk = {Policy.KEYS, Entry.SEND, Entry.SEND_ASYNC};
      Scope[] both = { // Apache's leaves out all headers of the POST
        Policy.KEYS,
        Entry.FACTORY_EXECUTE,
        Entry.FACTORY_ENQUEUE,
        Entry.INTERCEPTOR_EXECUTE,
        Entry.INTERCEPTOR_ENQUEUE,
        Entry.SEND,
        Entry.SEND_ASYNC
      };
      return row.differs(
          "headers",
          "if a POST becomes a GET on 301 to 303, the GET carries the key, too",
          sameOrigin ? both : jdk);
    }
    return sameOrigin
        ? row
        : row.differs(
            "headers",
            "a key that was added does not follow a redirect to another server",
            Policy.KEYS,
            Entry.FACTORY_EXECUTE,
            Entry.FACTORY_ENQUEUE,
            Entry.INTERCEPTOR_EXECUTE,
            Entry.INTERCEPTOR_ENQUEUE,
            Entry.CLASSIC,
            Entry.ASYNC);
  }

  private static Stream<Row> statuses() {
    return Stream.of(301, 302, 303, 307, 308)
        .flatMap(status ->
            Stream.of("GET", "HEAD", "POST", "PUT", "DELETE")
                .flatMap(method ->
                    Stream.of(
                        sameOrigin(status, method),
                        otherOrigin(status, method),
                        Row.named("redirect: " + status + " to " + method + ", unfollowed")
                            .answers(exchange -> to(exchange, status, "/new"))
                            .okHttpClient((builder, run) -> builder.followRedirects(false))
                            .program(client -> client.send(method, "/", "text")))));
  }

  private static Row sameOrigin(int status, String method) {
    Row row =
        following(status + " to " + method)
            .answers(exchange -> to(exchange, status, "/new?a=b"))
            .program(client -> client.send(method, "/", "text"));
    return method.equals("POST") ? keyed(row, status, true) : row;
  }

  private static Row otherOrigin(int status, String method) {
    Row row =
        following(status + " to " + method + ", another origin")
            .answers(
                exchange -> to(exchange, status, exchange.server().otherUri("/new").toString()))
            .program(client ->
                client.send(method, "/", "text", "Authorization: Bearer secret", "X-Own: 1"));
    return method.equals("POST") ? keyed(row, status, false) : row;
  }

  private static void to(Exchange exchange, int status, String location) throws IOException {
    if (exchange.number() == 1) {
      exchange.reply(status, "moved", "Location: " + location);
    } else {
      exchange.reply(200, "here");
    }
  }

  private static Stream<Row> others() {
    return Stream.of(
        following("too many")
            .answers(exchange -> exchange.reply(302, "", "Location: /" + exchange.number()))
            .program(client -> client.get("/")),
        following("without a location")
            .policies(Policy.ONCE)
            .answers(exchange -> exchange.reply(302, "nowhere"))
            .program(client -> client.get("/")),
        following("to a scheme that is unknown")
            .policies(Policy.ONCE)
            .answers(exchange -> exchange.reply(302, "", "Location: ftp://127.0.0.1/"))
            .program(client -> client.get("/")),
        following("three in a row, each on a connection of its own")
            .answers(exchange -> {
              if (exchange.number() < 4) {
                exchange.reply(307, "", "Location: /" + exchange.number(), "Connection: close");
                exchange.thenClose();
              } else {
                exchange.reply(200, "here");
              }
            })
            .program(client -> client.send("POST", "/", "text")),
        following("to a page that is not found")
            .answers(exchange -> {
              if (exchange.number() == 1) {
                exchange.reply(301, "", "Location: /gone");
              } else {
                exchange.reply(404, "gone");
              }
            })
            .program(client -> client.get("/")),
        closing(302),
        closing(303),
        following("the caller's key")
            .answers(exchange -> to(exchange, 307, "/new"))
            .program(client -> client.send("POST", "/", "text", "Idempotency-Key: mine")),
        following("the caller's key, another origin")
            .answers(exchange -> to(exchange, 307, exchange.server().otherUri("/new").toString()))
            .program(client -> client.send("POST", "/", "text", "Idempotency-Key: mine")),
        following("a key on a GET that follows a POST")
            .answers(exchange -> to(exchange, 303, "/new"))
            .program(client -> client.send("POST", "/", "text", "Idempotency-Key: mine")));
  }

  /**
   * The server ends the connection after the redirect, without saying so. Of Apache HttpClient only
   * its own retries would send the GET again, and they are off.
   */
  private static Row closing(int status) {
    Row row =
        following(status + " to POST, then the connection ends without a word")
            .answers(exchange -> {
              to(exchange, status, "/new");
              exchange.thenClose();
            })
            .okHttp(client -> client.send("POST", "/", "text"))
            .jdk(client -> client.send("POST", "/", "text"));
    return keyed(row, status, true);
  }
}
