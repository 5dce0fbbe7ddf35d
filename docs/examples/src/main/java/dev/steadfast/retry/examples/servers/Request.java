package dev.steadfast.retry.examples.servers;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import dev.steadfast.retry.examples.payments.Answer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** A request whose body is a form, of characters that need no encoding. */
record Request(String method, String path, Headers headers, String body) {
  private static final int MAX_BODY = 16 * 1024;

  static Request read(HttpExchange exchange) throws IOException {
    byte[] body = exchange.getRequestBody().readNBytes(MAX_BODY + 1);
    if (body.length > MAX_BODY) {
      throw Answer.refusal(413, "at most " + MAX_BODY + " bytes expected");
    }
    return new Request(
        exchange.getRequestMethod(),
        exchange.getRequestURI().getPath(),
        exchange.getRequestHeaders(),
        new String(body, StandardCharsets.UTF_8));
  }

  /** The method and the path, with {@code *} for the name of a resource. */
  String route() {
    return method + " " + path.replaceFirst("^(/[^/]+)/[^/]+$", "$1/*");
  }

  /** The name of the resource: the last part of the path. */
  String name() {
    return path.substring(path.lastIndexOf('/') + 1);
  }

  /** Tells this request from another one that comes with the same key. */
  String content() {
    return method + " " + path + "\n" + body;
  }

  String header(String name) {
    List<String> values = headers.getOrDefault(name, List.of());
    if (values.size() != 1 || !values.get(0).matches("[\\x21-\\x7e]{1,255}")) {
      throw Answer.refusal(400, name + ": one of 1 to 255 printable ASCII characters expected");
    }
    return values.get(0);
  }

  Payment payment() {
    return new Payment(field("intent", "[\\w.-]{1,100}"), amount());
  }

  long amount() {
    return Long.parseLong(field("amount", "[1-9][0-9]{0,17}"));
  }

  private String field(String name, String shape) {
    for (String field : body.split("&", -1)) {
      if (field.startsWith(name + "=") && field.substring(name.length() + 1).matches(shape)) {
        return field.substring(name.length() + 1);
      }
    }
    throw Answer.refusal(400, name + " is missing or has another form");
  }
}
