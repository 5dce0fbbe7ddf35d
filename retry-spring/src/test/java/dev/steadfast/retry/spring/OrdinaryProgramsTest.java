package dev.steadfast.retry.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.steadfast.retry.apache5.Apache5Retry;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.tck.Received;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import java.net.http.HttpClient;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeMap;
import okhttp3.OkHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.http.client.ClientHttpRequestFactory;
import org.springframework.http.client.JdkClientHttpRequestFactory;

/**
 * Without faults, programs run on the request factories of Steadfast as on Spring's own one for
 * {@code java.net.http}: the same requests, and the same result or exception. Two things differ on
 * purpose. A body is in memory before its request begins, so its length is known, and if its
 * writing fails there is no connection. And what a library says of itself and of its connection is
 * its own.
 */
final class OrdinaryProgramsTest {
  private static final Set<String> OF_THE_LIBRARY =
      Set.of(
          "host",
          "user-agent",
          "connection",
          "accept-encoding",
          "content-length",
          "transfer-encoding",
          "upgrade",
          "http2-settings");

  @ParameterizedTest
  @EnumSource
  void onTheJdksClient(OrdinaryProgram program) {
    HttpClient plain = jdk();
    assertEquals(
        seen(program, new JdkClientHttpRequestFactory(plain)),
        seen(program, RetryingJdkRequestFactory.wrap(jdk(), HttpRetry.defaults())));
  }

  @ParameterizedTest
  @EnumSource
  void onOkHttp(OrdinaryProgram program) {
    assertEquals(
        seen(program, new JdkClientHttpRequestFactory(jdk())),
        seen(program, RetryingOkHttpRequestFactory.wrap(new OkHttpClient(), HttpRetry.defaults())));
  }

  @ParameterizedTest
  @EnumSource
  void onApacheHttpClient(OrdinaryProgram program) {
    assertEquals(
        seen(program, new JdkClientHttpRequestFactory(jdk())),
        seen(
            program,
            RetryingApacheRequestFactory.wrap(
                Apache5Retry.addTo(HttpClients.custom(), HttpRetry.defaults()).build())));
  }

  private static HttpClient jdk() {
    return HttpClient.newBuilder()
        .version(HttpClient.Version.HTTP_1_1)
        .followRedirects(HttpClient.Redirect.NORMAL)
        .build();
  }

  /** What the server received, and then what the caller got. */
  private static String seen(OrdinaryProgram program, ClientHttpRequestFactory requests) {
    try (ScriptedServer server = ScriptedServer.start()) {
      server.route(OrdinaryProgramsTest::answer);
      String url = server.uri("").toString();
      String result = program.run(new OrdinaryProgram.Client(requests, url));
      List<String> lines = new ArrayList<>();
      server.requests().forEach(each -> lines.add(text(each)));
      if (!lines.isEmpty()) {
        lines.add("connections: " + server.connectionsAccepted());
      }
      lines.add(result);
      return String.join("\n", lines)
          .replace(":" + server.port(), ":PORT")
          .replaceAll("boundary=[^;\\s]+", "boundary=B")
          .replaceAll("--[-_A-Za-z0-9]{8,}", "--B");
    }
  }

  private static String text(Received request) {
    TreeMap<String, List<String>> headers = new TreeMap<>();
    request
        .headerMap()
        .keySet()
        .forEach(name -> headers.put(name.toLowerCase(Locale.ROOT), request.headerValues(name)));
    headers.keySet().removeAll(OF_THE_LIBRARY);
    String body = request.bodyText();
    if (body.isEmpty()) {
      headers.remove("content-type"); // after a redirect to a GET, only OkHttp leaves it out
    }
    return request.method()
        + " "
        + request.target()
        + " "
        + headers
        + " "
        + (body.length() > 500 ? body.length() + " bytes, " + body.hashCode() : body);
  }

  private static Reply answer(Received request) {
    String path = request.target().split("[/?]", -1)[1];
    Reply text = Reply.status(200).header("Content-Type", "text/plain").header("X-Answer", "yes");
    return switch (path) {
      case "text", "parts" -> text.header("Allow", "GET, HEAD").body("tea");
      case "json" -> Reply.status(200).header("Content-Type", "application/json").body("{\"a\":1}");
      case "broken" -> Reply.status(200).header("Content-Type", "application/json").body("{");
      case "204" -> Reply.status(204);
      case "404" ->
          Reply.status(404).reason("Not Found").header("Content-Type", "text/plain").body("gone");
      case "500" ->
          Reply.status(500)
              .reason("Internal Server Error")
              .header("Content-Type", "text/plain")
              .body("broken");
      case "302", "303" -> Reply.status(Integer.parseInt(path)).header("Location", "/text");
      case "created" -> Reply.status(201).header("Location", "/text/1");
      default -> Reply.status(200);
    };
  }
}
