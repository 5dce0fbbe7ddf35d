package dev.steadfast.retry.examples.servers;

import dev.steadfast.retry.http.RetryOptions;
import java.net.URI;
import java.util.HashMap;
import java.util.Map;

/** A request, whichever client sends it. An empty form is no body. */
record Call(
    String method, URI uri, Map<String, String> headers, String form, RetryOptions options) {

  static Call get(URI uri) {
    return new Call("GET", uri, Map.of(), "", RetryOptions.none());
  }

  static Call post(URI uri, String form) {
    return new Call("POST", uri, Map.of(), form, RetryOptions.none());
  }

  static Call put(URI uri, String form) {
    return new Call("PUT", uri, Map.of(), form, RetryOptions.none());
  }

  Call header(String name, String value) {
    Map<String, String> more = new HashMap<>(headers);
    more.put(name, value);
    return new Call(method, uri, more, form, options);
  }

  Call options(RetryOptions other) {
    return new Call(method, uri, headers, form, other);
  }

  Call key(String key) {
    return options(RetryOptions.builder().idempotencyKey(key).build());
  }
}
