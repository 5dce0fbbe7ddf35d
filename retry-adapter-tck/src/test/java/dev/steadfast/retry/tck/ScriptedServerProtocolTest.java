package dev.steadfast.retry.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** HTTP/1.1 as the server reads and writes it when nothing is wrong. */
@Timeout(30)
class ScriptedServerProtocolTest {
  private static final Duration SOON = Duration.ofSeconds(20);

  @AutoClose private final ScriptedServer server = ScriptedServer.start();

  @Test
  void received_isWhatWasSent() throws Exception {
    try (RawClient client = RawClient.connect(server)) {
      client.send(
          "PUT /x?y=%20 HTTP/1.1\r\nHost: test\r\nA: 1\r\na:2 \r\nContent-Length: 4\r\n\r\nbody");
      client.readHead();
    }
    Received request = server.takeRequest(SOON);
    assertEquals("PUT", request.method());
    assertEquals("/x?y=%20", request.target());
    assertEquals("1", request.header("a").orElseThrow());
    assertEquals(List.of("1", "2"), request.headerValues("A"));
    assertEquals(Map.entry("a", "2"), request.headers().get(2));
    assertTrue(request.header("B").isEmpty());
    assertEquals("body", request.bodyText());
    request.body()[0] = 'X';
    assertEquals("body", request.bodyText());
    assertEquals("PUT /x?y=%20 (connection 0, request 0, 4 bytes)", request.toString());
  }

  @Test
  void chunkedRequests_areRead() throws Exception {
    String head = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
    try (RawClient client = RawClient.connect(server)) {
      client.send(head + "3\r\nabc\r\nA;x=y\r\n0123456789\r\n0\r\nTrailer: t\r\n\r\n").readHead();
      assertEquals("ok", client.read(2));
      client.send(head + "0\r\n\r\n").readHead();
    }
    assertEquals("abc0123456789", server.takeRequest(SOON).bodyText());
    assertEquals("", server.takeRequest(SOON).bodyText());
  }

  @Test
  void chunkedReplies_areReadByJdkClient() throws Exception {
    String body = "0123456789".repeat(1_000);
    server.enqueue(Reply.status(200).body(body).chunked());
    assertEquals(body, JdkClient.send(JdkClient.get(server.uri("/"))).body());
  }

  @Test
  void upgradeToHttp2_isIgnored() throws Exception {
    HttpResponse<String> response =
        HttpClient.newHttpClient()
            .send(JdkClient.get(server.uri("/")), HttpResponse.BodyHandlers.ofString());
    assertEquals(HttpClient.Version.HTTP_1_1, response.version());
    assertEquals("h2c", server.takeRequest(SOON).header("Upgrade").orElseThrow());
  }

  @Test
  void expectContinue_isAnsweredBeforeTheBody() throws Exception {
    try (RawClient client = RawClient.connect(server)) {
      client.postHead(4, "Expect: 100-Continue\r\n");
      assertEquals("HTTP/1.1 100 Continue\r\n\r\n", client.readHead());
      assertTrue(client.send("body").readHead().startsWith("HTTP/1.1 200"));
    }
    HttpRequest.BodyPublisher body = HttpRequest.BodyPublishers.ofString("body");
    var request = HttpRequest.newBuilder(server.uri("/")).expectContinue(true).POST(body).build();
    assertEquals(200, JdkClient.send(request).statusCode());
    assertEquals("body", server.awaitRequests(2, SOON).get(1).bodyText());
  }

  @Test
  void expectContinue_canBeRefusedOrLeftWaiting() throws Exception {
    server.enqueue(Reply.status(417).onHead(), Reply.status(200).withoutContinue());
    try (RawClient client = RawClient.connect(server)) {
      client.postHead(4, "Expect: 100-continue\r\n");
      assertEquals(
          "HTTP/1.1 417 \r\nConnection: close\r\nContent-Length: 0\r\n\r\n", client.readToEnd());
    }
    try (RawClient client = RawClient.connect(server)) {
      client.postHead(4, "Expect: 100-continue\r\n").assertSilence();
      assertTrue(client.send("body").readHead().startsWith("HTTP/1.1 200"));
    }
  }

  @Test
  void answersWithoutContent_haveNoBody() throws Exception {
    server.enqueue(Reply.status(200).body("12345"), Reply.status(204), Reply.status(304));
    try (RawClient client = RawClient.connect(server)) {
      client.send("HEAD / HTTP/1.1\r\nHost: test\r\n\r\n");
      assertEquals("HTTP/1.1 200 \r\nContent-Length: 5\r\n\r\n", client.readHead());
      assertEquals("HTTP/1.1 204 \r\n\r\n", client.get("/").readHead());
      assertEquals("HTTP/1.1 304 \r\n\r\n", client.get("/").readHead());
    }
  }

  @Test
  void connectionClose_isHonouredFromEitherSide() throws Exception {
    server.defaultReply(Reply.status(204));
    try (RawClient client = RawClient.connect(server)) {
      client.send("GET / HTTP/1.1\r\nConnection: x, close\r\n\r\n");
      assertEquals("HTTP/1.1 204 \r\nConnection: close\r\n\r\n", client.readToEnd());
    }
    try (RawClient client = RawClient.connect(server)) {
      client.send("GET / HTTP/1.0\r\n\r\n");
      assertEquals("HTTP/1.1 204 \r\nConnection: close\r\n\r\n", client.readToEnd());
    }
    server.defaultReply(Reply.status(204).header("connection", "close"));
    try (RawClient client = RawClient.connect(server)) {
      assertEquals("HTTP/1.1 204 \r\nconnection: close\r\n\r\n", client.get("/").readToEnd());
    }
  }

  @Test
  void malformedRequests_areAnswered400AndReported() throws Exception {
    List<String> malformed =
        List.of(
            "GET  / HTTP/1.1\r\n\r\n",
            "GET / HTTP/2.0\r\n\r\n",
            "GET / HTTP/1.1\n\n",
            "GET / HTTP/1.1\r\nA : b\r\n\r\n",
            "GET / HTTP/1.1\r\nA: b\r\n folded\r\n\r\n",
            "POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n",
            "POST / HTTP/1.1\r\nContent-Length: +1\r\n\r\n",
            "POST / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
            "POST / HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
            "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcd\r\n",
            "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n");
    for (String request : malformed) {
      try (RawClient client = RawClient.connect(server)) {
        assertTrue(client.send(request).readToEnd().startsWith("HTTP/1.1 400"), request);
      }
    }
    AssertionError e = assertThrows(AssertionError.class, server::close);
    assertEquals(malformed.size(), e.getSuppressed().length);
    assertEquals(List.of(), server.requests());
  }
}
