package dev.steadfast.retry.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Each fault, as a raw socket sees it and, where it differs, as java.net.http does. */
@Timeout(30)
class ScriptedServerTest {
  private static final Duration SOON = Duration.ofSeconds(20);

  @AutoClose private final ScriptedServer server = ScriptedServer.start();

  @Test
  void closeAfterRequest_readsAllThenSendsFin() throws Exception {
    server.enqueue(Reply.closeAfterRequest());
    try (RawClient client = RawClient.connect(server)) {
      client.post("whole").assertClosedWithoutByte();
      server.awaitNoOpenConnections(SOON);
    }
    assertEquals("whole", server.takeRequest(SOON).bodyText());
  }

  @Test
  void closeAfterRequest_isAnIoExceptionForJdkClient() {
    server.defaultReply(Reply.closeAfterRequest());
    assertThrows(IOException.class, () -> JdkClient.send(JdkClient.post(server.uri("/"))));
    assertEquals(1, server.requests().size());
  }

  @Test
  void resetAfterRequest_readsAllThenSendsRst() throws Exception {
    server.enqueue(Reply.resetAfterRequest());
    try (RawClient client = RawClient.connect(server)) {
      client.post("whole").assertReset();
    }
    assertEquals("whole", server.takeRequest(SOON).bodyText());
    server.defaultReply(Reply.resetAfterRequest());
    assertThrows(IOException.class, () -> JdkClient.send(JdkClient.post(server.uri("/"))));
  }

  @Test
  void closeOnHead_sendsFinThoughTheBodyIsOnItsWay() throws Exception {
    server.enqueue(Reply.closeOnHead(), Reply.closeOnHead(), Reply.closeOnHead());
    try (RawClient client = RawClient.connect(server)) {
      client.postHead(10, "").assertClosedWithoutByte(); // none of the body sent
    }
    try (RawClient client = RawClient.connect(server)) {
      client.post("x".repeat(5_000_000)).assertClosedWithoutByte(); // all of it sent: no RST
    }
    try (RawClient client = RawClient.connect(server)) {
      client.postHead(10, "Expect: 100-continue\r\n").assertClosedWithoutByte();
    }
    server.assertNoLeaks();
    server.requests().forEach(request -> assertEquals(0, request.body().length));
  }

  @Test
  void stallAfterRequest_endsWhenTheClientLeaves() throws Exception {
    server.enqueue(Reply.stallAfterRequest());
    try (RawClient client = RawClient.connect(server)) {
      client.post("whole");
      server.takeRequest(SOON);
      client.assertSilence();
      assertEquals(1, server.openConnections());
    }
    server.assertNoLeaks();
  }

  @Test
  void stallAfterRequest_endsWhenTheServerCloses() throws Exception {
    server.enqueue(Reply.stallAfterRequest());
    try (RawClient client = RawClient.connect(server)) {
      client.get("/");
      server.takeRequest(SOON);
      server.close();
      client.assertClosedWithoutByte();
    }
  }

  @Test
  void stallAfterRequest_timesOutJdkClientWhichLeaves() throws Exception {
    server.defaultReply(Reply.stallAfterRequest());
    HttpRequest request =
        HttpRequest.newBuilder(server.uri("/")).timeout(Duration.ofMillis(200)).build();
    assertThrows(HttpTimeoutException.class, () -> JdkClient.send(request));
    server.assertNoLeaks();
  }

  @Test
  void truncatedBody_declaresMoreThanItSends() throws Exception {
    server.enqueue(Reply.truncatedBody(200, 100, "part"));
    try (RawClient client = RawClient.connect(server)) {
      assertEquals("HTTP/1.1 200 \r\nContent-Length: 100\r\n\r\npart", client.get("/").readToEnd());
    }
    server.defaultReply(Reply.truncatedBody(200, 100, "part"));
    assertThrows(IOException.class, () -> JdkClient.send(JdkClient.post(server.uri("/"))));
  }

  @Test
  void truncatedBody_chunkedLacksItsLastChunk() throws Exception {
    server.enqueue(Reply.truncatedBody(200, 100, "part").chunked());
    try (RawClient client = RawClient.connect(server)) {
      String all = client.get("/").readToEnd();
      assertEquals("HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\n\r\n4\r\npart\r\n", all);
    }
  }

  @Test
  void stalledBody_sendsAPartAndNothingMore() throws Exception {
    server.enqueue(Reply.stalledBody(503, 100, "part"));
    try (RawClient client = RawClient.connect(server)) {
      assertTrue(client.get("/").readHead().contains("Content-Length: 100\r\n"));
      assertEquals("part", client.read(4));
      client.assertSilence();
    }
    server.assertNoLeaks();
  }

  @Test
  void endlessBody_streamsUntilTheClientLeaves() throws Exception {
    server.enqueue(Reply.endlessBody(503), Reply.endlessBody(503));
    try (RawClient client = RawClient.connect(server)) {
      assertTrue(client.get("/").readHead().contains("Transfer-Encoding: chunked\r\n"));
      assertEquals(3_000_000, client.read(3_000_000).length());
    }
    server.assertNoLeaks();
    try (var body =
        JdkClient.create()
            .send(JdkClient.get(server.uri("/")), HttpResponse.BodyHandlers.ofInputStream())
            .body()) {
      assertEquals(100_000, body.readNBytes(100_000).length);
    }
    server.assertNoLeaks();
  }

  @Test
  void endlessBody_endsWhenTheServerClosesAndNobodyReads() throws Exception {
    server.enqueue(Reply.endlessBody(200));
    try (RawClient client = RawClient.connect(server)) {
      client.get("/").read(1_000_000); // and then nothing, so that the server gets stuck in a write
      server.close();
      assertEquals(0, server.openConnections());
    }
  }

  @Test
  void garbage_isNotHttp() throws Exception {
    server.enqueue(Reply.garbage());
    try (RawClient client = RawClient.connect(server)) {
      assertFalse(client.get("/").readToEnd().startsWith("HTTP/"));
    }
    server.defaultReply(Reply.garbage());
    assertThrows(IOException.class, () -> JdkClient.send(JdkClient.post(server.uri("/"))));
  }

  @Test
  void partialHead_endsWithinTheHead() throws Exception {
    server.enqueue(Reply.partialHead("HTTP/1.1 200 OK\r\nConte"));
    try (RawClient client = RawClient.connect(server)) {
      assertEquals("HTTP/1.1 200 OK\r\nConte", client.get("/").readToEnd());
    }
    server.defaultReply(Reply.partialHead("HTTP/1.1 20"));
    assertThrows(IOException.class, () -> JdkClient.send(JdkClient.post(server.uri("/"))));
  }

  @Test
  void refusedPort_refusesEveryConnect() {
    try (RefusedPort refused = RefusedPort.open()) {
      for (int i = 0; i < 3; i++) {
        var e =
            assertThrows(
                ConnectException.class,
                () -> new Socket(refused.uri("/").getHost(), refused.port()).close());
        assertTrue(e.getMessage().contains("refused"), e::toString);
      }
      assertThrows(BindException.class, () -> new ServerSocket(refused.port()));
      HttpRequest get = JdkClient.get(refused.uri("/"));
      assertThrows(ConnectException.class, () -> JdkClient.send(get));
    }
  }
}
