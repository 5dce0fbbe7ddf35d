package dev.steadfast.retry.httpclient;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.steadfast.retry.AttemptRefusedException;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.tck.Reply;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whose gate an answer shuts, where the client follows redirects. */
class RedirectGateTest {
  private final Bench here = new Bench();
  private final Bench there = new Bench();

  @AfterEach
  void close() {
    here.close();
    there.close();
  }

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
