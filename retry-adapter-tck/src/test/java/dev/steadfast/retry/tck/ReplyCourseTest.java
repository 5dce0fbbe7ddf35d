package dev.steadfast.retry.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What may come before and after the bytes of a reply: heads, waits and endings. */
@Timeout(30)
class ReplyCourseTest {
  private static final Duration SOON = Duration.ofSeconds(20);

  @AutoClose private final ScriptedServer server = ScriptedServer.start();

  @Test
  void thenClose_answersWithoutAnnouncingTheFin() throws Exception {
    server.enqueue(Reply.status(200).body("bye").thenClose());
    try (RawClient client = RawClient.connect(server)) {
      String all = client.get("/").readToEnd();
      assertEquals("HTTP/1.1 200 \r\nContent-Length: 3\r\n\r\nbye", all);
      server.awaitNoOpenConnections(SOON);
    }
  }

  @Test
  void thenReset_answersAndResets() throws Exception {
    server.enqueue(Reply.status(200).body("bye").thenReset());
    try (RawClient client = RawClient.connect(server)) {
      client.get("/").assertReset();
    }
  }

  @Test
  void thenCloseWhen_leavesTheNextRequestUnanswered() throws Exception {
    CountDownLatch close = new CountDownLatch(1);
    server.enqueue(Reply.status(200).body("bye").thenCloseWhen(close));
    try (RawClient client = RawClient.connect(server)) {
      client.get("/").readHead();
      assertEquals("bye", client.read(3));
      client.get("/crosses-the-fin").assertSilence();
      close.countDown();
      client.assertClosedWithoutByte();
    }
    assertEquals(1, server.requests().size());
  }

  @Test
  void thenCloseWhen_makesThePooledConnectionOfJdkClientStale() throws Exception {
    CountDownLatch close = new CountDownLatch(1);
    server.enqueue(Reply.status(200).body("bye").thenCloseWhen(close));
    HttpClient client = JdkClient.create();
    assertEquals(
        "bye",
        client.send(JdkClient.get(server.uri("/")), HttpResponse.BodyHandlers.ofString()).body());
    assertEquals(1, server.openConnections());
    close.countDown();
    server.awaitNoOpenConnections(SOON);
    assertEquals(
        "ok",
        client.send(JdkClient.get(server.uri("/")), HttpResponse.BodyHandlers.ofString()).body());
    assertEquals(2, server.connectionsAccepted());
  }

  @Test
  void delayUntil_holdsTheReplyUntilTheLatchOpens() throws Exception {
    CountDownLatch latch = new CountDownLatch(1);
    server.enqueue(Reply.status(201).delayUntil(latch));
    CompletableFuture<HttpResponse<String>> response =
        JdkClient.create()
            .sendAsync(JdkClient.get(server.uri("/")), HttpResponse.BodyHandlers.ofString());
    server.takeRequest(SOON);
    assertFalse(response.isDone());
    latch.countDown();
    assertEquals(201, response.get(20, TimeUnit.SECONDS).statusCode());
  }

  @Test
  void delayUntil_leavesTheConnectionUsable() throws Exception {
    CountDownLatch latch = new CountDownLatch(1);
    server.enqueue(Reply.status(201).delayUntil(latch), Reply.status(202).delayUntil(latch));
    try (RawClient client = RawClient.connect(server)) {
      client.get("/").assertSilence();
      latch.countDown();
      assertTrue(client.readHead().startsWith("HTTP/1.1 201"));
      assertTrue(client.get("/").readHead().startsWith("HTTP/1.1 202"));
    }
  }

  @Test
  void delayUntil_endsWithTheClientOrTheServer() throws Exception {
    server.defaultReply(Reply.status(200).delayUntil(new CountDownLatch(1)));
    try (RawClient client = RawClient.connect(server)) {
      client.get("/");
      server.takeRequest(SOON);
    }
    server.assertNoLeaks();
    try (RawClient client = RawClient.connect(server)) {
      client.get("/");
      server.takeRequest(SOON);
      server.close();
      client.assertClosedWithoutByte();
    }
  }

  @Test
  void informational_precedesTheHeldAnswer() throws Exception {
    CountDownLatch latch = new CountDownLatch(1);
    server.enqueue(Reply.status(204).informational(102).earlyHints().delayUntil(latch));
    try (RawClient client = RawClient.connect(server)) {
      assertEquals("HTTP/1.1 102 \r\n\r\n", client.get("/").readHead());
      assertTrue(client.readHead().startsWith("HTTP/1.1 103 Early Hints\r\nLink: "));
      client.assertSilence();
      latch.countDown();
      assertEquals("HTTP/1.1 204 \r\n\r\n", client.readHead());
    }
  }
}
