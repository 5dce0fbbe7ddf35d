package dev.steadfast.retry.examples.guide;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import org.junit.jupiter.api.Test;

/** The snippet on the asynchronous clients of Apache HttpClient 5. */
final class Apache5AsyncGuideTest {
  @Test
  void theSnippetWorks() throws Exception {
    try (ScriptedServer server = ScriptedServer.start()) {
      server.enqueue(Reply.status(503), Reply.status(200));
      String said = Apache5AsyncGuide.send(server.uri("/a"), HttpRetry.defaults());
      assertTrue(said.startsWith("200, 2 attempts"), said);
      assertEquals(2, server.requests().size());
    }
  }
}
