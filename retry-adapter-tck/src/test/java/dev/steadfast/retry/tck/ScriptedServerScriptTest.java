package dev.steadfast.retry.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.ConnectException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Who gets which reply, what the test learns, and how the server ends. */
@Timeout(30)
class ScriptedServerScriptTest {
  private static final Duration SOON = Duration.ofSeconds(20);

  @AutoClose private final ScriptedServer server = ScriptedServer.start();

  @Test
  void script_isUsedInOrderOverConnectionsAndThenTheDefault() throws Exception {
    server.enqueue(Reply.status(500), Reply.status(503).reason("Busy").header("Retry-After", "1"));
    try (RawClient first = RawClient.connect(server);
        RawClient second = RawClient.connect(server)) {
      assertEquals("HTTP/1.1 500 \r\nContent-Length: 0\r\n\r\n", first.get("/a").readHead());
      assertEquals(
          "HTTP/1.1 503 Busy\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n",
          second.get("/b").readHead());
      assertEquals("HTTP/1.1 200 \r\nContent-Length: 2\r\n\r\n", first.get("/c").readHead());
      assertEquals("ok", first.read(2));
    }
    List<Received> requests = server.requests();
    assertEquals("/a", requests.get(0).target());
    assertEquals(1, requests.get(2).indexOnConnection());
    assertEquals(requests.get(0).connection(), requests.get(2).connection());
    assertFalse(requests.get(0).connection() == requests.get(1).connection());
    assertEquals(2, server.connectionsAccepted());
    server.assertNoLeaks();
  }

  @Test
  void routes_winOverTheScript() throws Exception {
    server.enqueue(Reply.status(500), Reply.status(501));
    server.route(request -> request.bodyText().equals("b") ? Reply.status(201) : null);
    server.routeByHead(head -> head.method().equals("GET") ? Reply.closeOnHead() : null);
    try (RawClient client = RawClient.connect(server)) {
      assertTrue(client.post("a").readHead().startsWith("HTTP/1.1 500"));
      assertTrue(client.post("b").readHead().startsWith("HTTP/1.1 201"));
      assertTrue(client.post("c").readHead().startsWith("HTTP/1.1 501"));
      client.get("/").assertClosedWithoutByte();
    }
  }

  @Test
  void route_thatDecidesTooLateIsReported() throws Exception {
    server.route(request -> Reply.closeOnHead());
    try (RawClient client = RawClient.connect(server)) {
      client.get("/").assertClosedWithoutByte();
    }
    AssertionError e = assertThrows(AssertionError.class, server::close);
    assertTrue(e.getMessage().contains("use routeByHead"), e::toString);
  }

  @Test
  void hook_runsBetweenRequestAndReply() throws Exception {
    try (RawClient client = RawClient.connect(server)) {
      server.whenRequest(request -> {
        assertEquals(1, server.requests().size());
        assertEquals("body", request.bodyText());
        server.close(); // a hook may even do this
      });
      client.post("body").assertClosedWithoutByte();
    }
  }

  @Test
  void hook_thatThrowsIsReportedAndOneThatWaitsIsInterrupted() throws Exception {
    server.whenRequest(request -> {
      throw new IllegalStateException("from the hook");
    });
    try (RawClient client = RawClient.connect(server)) {
      client.get("/").assertClosedWithoutByte();
    }
    server.whenRequest(request -> {
      try {
        new CountDownLatch(1).await();
      } catch (InterruptedException e) {
        throw new IllegalStateException("not reported: the server interrupted it", e);
      }
    });
    try (RawClient client = RawClient.connect(server)) {
      client.get("/");
      server.awaitRequests(2, SOON);
      AssertionError e = assertThrows(AssertionError.class, server::close);
      assertEquals("from the hook", e.getSuppressed()[0].getMessage());
      assertEquals(1, e.getSuppressed().length);
    }
  }

  @Test
  void clientThatLeavesWithinARequest_isNoProblem() throws Exception {
    try (RawClient client = RawClient.connect(server)) {
      client.postHead(4, "").send("bo");
    }
    try (RawClient client = RawClient.connect(server)) {
      client.send("GET / HT");
    }
    try (RawClient client = RawClient.connect(server)) {
      client.get("/").readHead();
    }
    server.assertNoLeaks();
    assertEquals(1, server.requests().size());
    assertEquals(3, server.connectionsAccepted());
  }

  @Test
  void waiting_failsWithWhatThereIs() throws Exception {
    Duration moment = Duration.ofMillis(20);
    try (RawClient client = RawClient.connect(server)) {
      client.get("/seen").readHead();
      assertEquals("/seen", server.takeRequest(SOON).target());
      AssertionError e = assertThrows(AssertionError.class, () -> server.takeRequest(moment));
      assertTrue(e.getMessage().contains("GET /seen (connection 0"), e::toString);
      assertThrows(AssertionError.class, () -> server.awaitRequests(2, moment));
      e = assertThrows(AssertionError.class, () -> server.awaitNoOpenConnections(moment));
      assertTrue(e.getMessage().contains("-connection-0"), e::toString);
    }
  }

  @Test
  void busyConnections_areThoseWithARequestUnderWay() throws Exception {
    server.enqueue(Reply.status(200), Reply.stalledBody(200, 10, "half"));
    try (RawClient idle = RawClient.connect(server)) {
      idle.get("/").readHead();
      server.awaitNoBusyConnections(SOON);
      assertEquals(1, server.openConnections());
      try (RawClient stalled = RawClient.connect(server)) {
        stalled.get("/").readHead();
        AssertionError e =
            assertThrows(
                AssertionError.class, () -> server.awaitNoBusyConnections(Duration.ofMillis(20)));
        assertTrue(e.getMessage().contains("[1]"), e::toString);
      }
      server.awaitNoBusyConnections(SOON);
    }
  }

  @Test
  void close_endsThreadsAndListening() throws Exception {
    server.enqueue(Reply.stallAfterRequest());
    try (RawClient stalled = RawClient.connect(server);
        RawClient idle = RawClient.connect(server)) {
      stalled.get("/");
      server.awaitRequests(1, SOON);
      idle.get("/").readHead();
      server.close();
      server.close();
      assertEquals(0, server.openConnections());
    }
    String name = "scripted-server-" + server.port();
    assertEquals(
        List.of(),
        Thread.getAllStackTraces().keySet().stream()
            .filter(thread -> thread.getName().startsWith(name))
            .toList());
    assertThrows(ConnectException.class, () -> RawClient.connect(server).close());
  }
}
