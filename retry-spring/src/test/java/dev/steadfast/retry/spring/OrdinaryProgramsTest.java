package dev.steadfast.retry.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.steadfast.retry.apache5.Apache5Retry;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.tck.Received;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import java.net.http.HttpClient;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import okhttp3.OkHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.core.SpringVersion;
import org.springframework.http.client.ClientHttpRequestFactory;
import org.springframework.http.client.HttpComponentsClientHttpRequestFactory;
import org.springframework.http.client.JdkClientHttpRequestFactory;

/**
 * Without faults, programs run on the request factories of Steadfast as on Spring's own ones, that
 * for OkHttp as on the one for {@code java.net.http}: the same requests, and the same result or
 * exception. A body differs on purpose: it is in memory before its request begins, so its length is
 * known, and if its writing fails there is no connection. What OkHttp says of itself and of its
 * connection is its own.
 */
final class OrdinaryProgramsTest {
  private static final boolean SPRING_6 =
      Objects.requireNonNull(SpringVersion.getVersion()).startsWith("6.");
  private static final Set<String> OF_A_BODY = Set.of("content-length", "transfer-encoding");
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
    assertEquals(
        seen(program, new JdkClientHttpRequestFactory(jdk()), OF_A_BODY),
        seen(program, RetryingJdkRequestFactory.wrap(jdk(), HttpRetry.defaults()), OF_A_BODY));
  }

  @ParameterizedTest
  @EnumSource
  void onOkHttp(OrdinaryProgram program) {
    assertEquals(
        seen(program, new JdkClientHttpRequestFactory(jdk()), OF_THE_LIBRARY),
        seen(
            program,
            RetryingOkHttpRequestFactory.wrap(new OkHttpClient(), HttpRetry.defaults()),
            OF_THE_LIBRARY));
  }

  @ParameterizedTest
  @EnumSource
  void onApacheHttpClient(OrdinaryProgram program) {
    // Spring 6.2's own factory cuts off answers that HttpClient 5.6 has unpacked.
    assumeFalse(program.readsPacked() && SPRING_6, "Spring's own factory has a fault");
    assertEquals(
        seen(
            program,
            new HttpComponentsClientHttpRequestFactory(
                HttpClients.custom().disableAutomaticRetries().build()),
            OF_A_BODY),
        seen(
            program,
            RetryingApacheRequestFactory.wrap(
                Apache5Retry.addTo(HttpClients.custom(), HttpRetry.defaults()).build()),
            OF_A_BODY));
  }

  private static HttpClient jdk() {
    return HttpClient.newBuilder()
        .version(HttpClient.Version.HTTP_1_1)
        .followRedirects(HttpClient.Redirect.NORMAL)
        .build();
  }

  /** What the server received, and then what the caller got. */
  private static String seen(
      OrdinaryProgram program, ClientHttpRequestFactory requests, Set<String> leftOut) {
    try (ScriptedServer server = ScriptedServer.start()) {
      server.route(OrdinaryProgramsTest::answer);
      String url = server.uri("").toString();
      String result = program.run(new OrdinaryProgram.Client(requests, url));
      List<String> lines = new ArrayList<>();
      if (program != OrdinaryProgram.POST_BODY_THAT_FAILS) {
        server.requests().forEach(each -> lines.add(text(each, leftOut)));
        lines.add("connections: " + server.connectionsAccepted());
      }
      lines.add(result);
      return String.join("\n", lines)
          .replace(":" + server.port(), ":PORT")
          .replaceAll("boundary=[^;\\s]+", "boundary=B")
          .replaceAll("--[-_A-Za-z0-9]{8,}", "--B");
    }
  }

  private static String text(Received request, Set<String> leftOut) {
    TreeMap<String, List<String>> headers = new TreeMap<>();
    request
        .headerMap()
        .keySet()
        .forEach(name -> headers.put(name.toLowerCase(Locale.ROOT), request.headerValues(name)));
    headers.keySet().removeAll(leftOut);
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
      case "packed" -> packed(request);
      case "long" -> text.body("tea ".repeat(50_000));
      case "chunks" ->
          Reply.status(request.target().endsWith("404") ? 404 : 200).body("x").chunked();
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

  /** Most servers pack what is long, if the client understands it. */
  private static Reply packed(Received request) {
    boolean found = !request.target().endsWith("404");
    Reply reply =
        Reply.status(found ? 200 : 404)
            .reason(found ? "OK" : "Not Found")
            .header("Content-Type", "text/plain")
            .header("X-Answer", "yes");
    String text = "tea, please. ".repeat(300);
    return request.header("Accept-Encoding").orElse("").contains("gzip")
        ? reply.header("Content-Encoding", "gzip").body(Packed.gzip(text))
        : reply.body(text);
  }
}
