package dev.steadfast.retry.ai;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.ai.AiServer.Fate;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The answers of the server of the job to a client that sends each request once. */
class AiServerTest {
  private final HttpClient client = HttpClient.newHttpClient();
  private AiServer server;

  private HttpResponse<String> send(Dialects dialect, boolean stream, Fate fate) throws Exception {
    close();
    server = new AiServer(dialect, 1);
    return send(stream, fate);
  }

  private HttpResponse<String> send(boolean stream, Fate fate) throws Exception {
    server.next(fate);
    String body = "{\"stream\":" + stream + ",\"prompt\":\"cost=100;\"}";
    HttpRequest post =
        HttpRequest.newBuilder(URI.create(server.url()))
            .POST(BodyPublishers.ofString(body))
            .build();
    return client.send(post, BodyHandlers.ofString());
  }

  @AfterEach
  void close() {
    if (server != null) {
      server.close();
    }
  }

  private static List<String> remaining(Dialects dialect, HttpHeaders headers) {
    String prefix =
        dialect == Dialects.ANTHROPIC ? "anthropic-ratelimit-" : "x-ratelimit-remaining-";
    String suffix = dialect == Dialects.ANTHROPIC ? "-remaining" : "";
    return List.of(
        headers.firstValue(prefix + "requests" + suffix).orElseThrow(),
        headers.firstValue(prefix + "tokens" + suffix).orElseThrow());
  }

  @ParameterizedTest
  @EnumSource
  void anAnswerTellsWhatIsLeft(Dialects dialect) throws Exception {
    HttpResponse<String> answer = send(dialect, false, Fate.ANSWERED);
    assertEquals(200, answer.statusCode());
    assertTrue(answer.body().contains("hi"), answer::body);
    assertEquals(List.of("59", "39900"), remaining(dialect, answer.headers()));
    assertEquals(List.of("58", "39800"), remaining(dialect, send(false, Fate.ANSWERED).headers()));
  }

  @ParameterizedTest
  @EnumSource
  void a429TakesNothing_andTellsWhatIsLeft(Dialects dialect) throws Exception {
    HttpResponse<String> rejected = send(dialect, false, Fate.REJECTED);
    assertEquals(429, rejected.statusCode());
    assertEquals(List.of("60", "40000"), remaining(dialect, rejected.headers()));
    assertEquals(new AiServer.Seen(1, 0, 0, 0, 0, 0), without(server.seen()));
  }

  @ParameterizedTest
  @EnumSource
  void anOverloadIsA529_orTheFirstEventOfAStream(Dialects dialect) throws Exception {
    HttpResponse<String> answer = send(dialect, false, Fate.OVERLOADED);
    assertEquals(529, answer.statusCode());
    assertTrue(answer.body().contains("overloaded_error"), answer::body);
    HttpResponse<String> stream = send(true, Fate.OVERLOADED);
    assertEquals(200, stream.statusCode());
    assertEquals("text/event-stream", stream.headers().firstValue("Content-Type").orElseThrow());
    assertEquals(1, stream.body().split("\n\n").length, stream::body);
    assertTrue(stream.body().contains("overloaded_error"), stream::body);
    assertEquals(new AiServer.Seen(0, 0, 0, 2, 0, 0), without(server.seen()));
  }

  @ParameterizedTest
  @EnumSource
  void aStreamHasSeveralEvents(Dialects dialect) throws Exception {
    HttpResponse<String> stream = send(dialect, true, Fate.ANSWERED);
    assertEquals("text/event-stream", stream.headers().firstValue("Content-Type").orElseThrow());
    assertEquals(dialect.events(), List.of(stream.body().split("\n\n")));
  }

  @ParameterizedTest
  @EnumSource
  void whatIsCutWasProcessed(Dialects dialect) throws Exception {
    assertThrows(IOException.class, () -> send(dialect, false, Fate.CUT));
    assertThrows(IOException.class, () -> send(true, Fate.CUT));
    assertEquals(new AiServer.Seen(0, 2, 2, 0, 0, 0), without(server.seen()));
  }

  /** Without times. */
  private static AiServer.Seen without(AiServer.Seen seen) {
    return new AiServer.Seen(
        seen.rejected(), seen.billed(), seen.cut(), seen.sentInOverload(), 0, 0);
  }
}
