package dev.steadfast.retry.ordinary.rows;

import dev.steadfast.retry.ordinary.Client;
import dev.steadfast.retry.ordinary.H2Server;
import dev.steadfast.retry.ordinary.Row;
import dev.steadfast.retry.ordinary.Run;
import dev.steadfast.retry.ordinary.Tls;
import dev.steadfast.retry.ordinary.WireServer;
import java.net.http.HttpClient;
import java.util.List;
import java.util.stream.Stream;
import okhttp3.Headers;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.mockwebserver.MockResponse;
import okhttp3.mockwebserver.RecordedRequest;

/** TLS, HTTP/2 and HTTP/2 without TLS. */
final class ProtocolRows {
  private ProtocolRows() {}

  static List<Row> rows() {
    return Stream.of(secure(), http2(), priorKnowledge()).flatMap(rows -> rows).toList();
  }

  private static Row trusting(String name) {
    return Row.named(name)
        .okHttpClient(ProtocolRows::trust)
        .jdkClient((builder, run) -> builder.sslContext(Tls.client()));
  }

  private static void trust(OkHttpClient.Builder builder, Run run) {
    Tls.trust(builder);
  }

  private static Stream<Row> secure() {
    return Stream.of(
        trusting("https: HTTP/1.1, three requests")
            .server(() -> WireServer.secure(exchange -> exchange.reply(200, "secret")))
            .program(ProtocolRows::three),
        Row.named("https: HTTP/1.1 asked for")
            .server(() -> WireServer.secure(exchange -> exchange.reply(200, "secret")))
            .okHttpClient((builder, run) -> {
              Tls.trust(builder);
              builder.protocols(List.of(Protocol.HTTP_1_1));
            })
            .jdkClient((builder, run) ->
                builder.sslContext(Tls.client()).version(HttpClient.Version.HTTP_1_1))
            .program(ProtocolRows::three));
  }

  private static Stream<Row> http2() {
    return Stream.of(
        h2("three requests", request -> H2Server.text(200, "two")).program(ProtocolRows::three),
        h2("a large answer", request -> H2Server.text(200, "line\n".repeat(300_000)))
            .program(client -> client.get("/")),
        h2("a large request", request -> H2Server.text(201, "made"))
            .program(client -> client.send("POST", "/", "x".repeat(1_000_000))),
        h2("an empty answer", request -> new MockResponse().setResponseCode(204))
            .program(client -> client.send("DELETE", "/", "")),
        h2("404", request -> H2Server.text(404, "no")).program(client -> client.get("/")),
        h2("trailers", ProtocolRows::trailers).program(client -> client.get("/")),
        h2(
                "redirect",
                request ->
                    "/".equals(request.getPath())
                        ? H2Server.text(307, "").setHeader("Location", "/new")
                        : H2Server.text(200, "here"))
            .program(client -> client.send("POST", "/", "text")),
        h2("an answer before the body is read", request -> H2Server.text(413, "too much"))
            .program(client -> client.send("POST", "/", "x".repeat(200_000))));
  }

  private static MockResponse trailers(RecordedRequest request) {
    return new MockResponse().setChunkedBody("body", 2).setTrailers(Headers.of("x-sum", "4"));
  }

  private static Row h2(
      String name, java.util.function.Function<RecordedRequest, MockResponse> answer) {
    return trusting("HTTP/2: " + name).server(() -> H2Server.overTls(answer));
  }

  private static Stream<Row> priorKnowledge() {
    return Stream.of(
        Row.named("HTTP/2 without TLS: three requests")
            .server(() -> H2Server.priorKnowledge(request -> H2Server.text(200, "two")))
            .okHttpClient((builder, run) -> builder.protocols(List.of(Protocol.H2_PRIOR_KNOWLEDGE)))
            .okHttp(ProtocolRows::three));
  }

  private static void three(Client client) throws Exception {
    client.get("/1", "X-A: 1");
    client.send("POST", "/2", "text");
    client.send("PUT", "/3", "text");
  }
}
