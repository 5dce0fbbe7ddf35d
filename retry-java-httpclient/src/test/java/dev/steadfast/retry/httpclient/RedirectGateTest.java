package dev.steadfast.retry.httpclient;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.steadfast.retry.AttemptRefusedException;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.StandardRules;
import dev.steadfast.retry.tck.Reply;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whose gate an answer shuts, where the client follows redirects. */
class RedirectGateTest {
  @RegisterExtension private final Bench here = new Bench();
  @RegisterExtension private final Bench there = new Bench();

  private RetryingHttpClient client(HttpClient.Redirect redirect) {
    HttpClient plain = Bench.plain().followRedirects(redirect).build();
    return RetryingHttpClient.wrap(
        plain, here.retry().serverDelayGate(true).policy(RetryPolicy.noRetry()).build());
  }

  private static int call(Entry entry, HttpClient client, HttpRequest request) throws Throwable {
    return entry.call(client, request, BodyHandlers.ofString()).statusCode();
  }

  @ParameterizedTest
  @EnumSource
  void theAnswerOfAnotherOriginShutsItsOwn(Entry entry) throws Throwable {
    RetryingHttpClient client = client(HttpClient.Redirect.ALWAYS);
    here.server.enqueue(
        Reply.status(302).header("Location", there.server.uri("/things").toString()));
    there.server.enqueue(Reply.status(429).header("Retry-After", "30"));
    assertEquals(429, call(entry, client, here.get()));

    assertEquals(200, call(entry, client, here.get()));
    assertThrows(AttemptRefusedException.class, () -> call(entry, client, there.get()));
  }

  /** The rules say what the answer means before the client says who sent it. */
  @ParameterizedTest
  @EnumSource
  void anOverloadOfAnotherOriginShutsItsOwn(Entry entry) throws Throwable {
    StandardRules rules =
        StandardRules.builder().refusedBy(503, "busy").refusedBy(200, "busy").build();
    RetryPolicy shorterThanTheGate =
        RetryPolicy.noRetry().toBuilder().totalTimeout(Duration.ofMillis(500)).build();
    String error = "{\"error\":{\"type\":\"busy\"}}";
    Reply stream =
        Reply.status(200)
            .header("Content-Type", "text/event-stream")
            .body("event: error\ndata: " + error + "\n\n");
    for (Reply overload : List.of(Reply.status(503).body(error), stream)) {
      for (boolean post : new boolean[] {false, true}) {
        HttpRetry retry =
            here.retry().serverDelayGate(true).classifier(rules).policy(shorterThanTheGate).build();
        HttpClient client =
            RetryingHttpClient.wrap(
                Bench.plain().followRedirects(HttpClient.Redirect.ALWAYS).build(), retry);
        here.server.enqueue(
            Reply.status(307).header("Location", there.server.uri("/things").toString()));
        there.server.enqueue(overload);
        HttpRequest asked =
            post
                ? HttpRequest.newBuilder(here.server.uri("/a"))
                    .POST(HttpRequest.BodyPublishers.ofString("text"))
                    .build()
                : here.get();
        call(entry, client, asked);
        assertEquals(200, call(entry, client, here.get()));
        assertThrows(AttemptRefusedException.class, () -> call(entry, client, there.get()));
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void withoutARedirectTheAnswerShutsTheOriginThatWasAsked(Entry entry) throws Throwable {
    for (HttpClient.Redirect redirect : HttpClient.Redirect.values()) {
      RetryingHttpClient client = client(redirect);
      here.server.enqueue(Reply.status(429).header("Retry-After", "30"));
      assertEquals(429, call(entry, client, here.get()));
      assertThrows(AttemptRefusedException.class, () -> call(entry, client, here.get()));
    }
  }
}
