package dev.steadfast.retry.httpclient;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.steadfast.retry.RetryReport.Effect;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.IdempotencyKeys;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.operations.OperationJournal.State;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.internal.JournalUnderTest;
import java.net.http.HttpClient.Redirect;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** An answer after a redirect is the answer to another request than the first. */
class JournaledRedirectTest {
  @RegisterExtension private final Bench bench = new Bench();
  private final JournalUnderTest journal = new JournalUnderTest(null);

  private RetryingHttpClient client(Redirect redirect, boolean keyed) {
    HttpRetry.Builder retry = bench.retry().journal(journal);
    if (keyed) {
      retry.idempotencyKeys(IdempotencyKeys.randomUuid());
    }
    return RetryingHttpClient.wrap(Bench.plain().followRedirects(redirect).build(), retry.build())
        .with(RetryOptions.builder().journaled("charge", "order-1").noRetry().build());
  }

  private HttpResponse<String> charge(Entry entry, RetryingHttpClient client) throws Throwable {
    return entry.call(client, bench.post("5"), BodyHandlers.ofString());
  }

  private void assertEnded(HttpResponse<?> response, Effect effect, State state) {
    assertEquals(effect, JdkReports.of(response).saved().orElseThrow().effect());
    assertEquals(state, journal.endings().get(0).state());
  }

  @ParameterizedTest
  @EnumSource
  void aFailureAfterARedirectSaysNothingOfTheFirstRequest(Entry entry) throws Throwable {
    bench.server.enqueue(Reply.status(303).header("Location", "/receipt"), Reply.status(404));
    HttpResponse<String> response = charge(entry, client(Redirect.NORMAL, false));
    assertEquals(404, response.statusCode());
    assertEquals("GET", bench.server.requests().get(1).method());
    assertEnded(response, Effect.UNKNOWN, State.UNKNOWN);
  }

  /** Not even where each request alone was refused. */
  @ParameterizedTest
  @EnumSource
  void norDoesARefusal(Entry entry) throws Throwable {
    bench.server.enqueue(Reply.status(303).header("Location", "/receipt"), Reply.status(429));
    assertEnded(charge(entry, client(Redirect.NORMAL, false)), Effect.UNKNOWN, State.UNKNOWN);
  }

  /** The same request can be sent again, because its key is known to the first server. */
  @ParameterizedTest
  @EnumSource
  void withAKeyItCanBeSettled(Entry entry) throws Throwable {
    bench.server.enqueue(Reply.status(303).header("Location", "/elsewhere"), Reply.status(404));
    RetryingHttpClient client = client(Redirect.NORMAL, true);
    assertEnded(charge(entry, client), Effect.UNKNOWN, State.READY);
    bench.server.enqueue(Reply.status(303).header("Location", "/elsewhere"), Reply.status(200));
    charge(entry, client);
    assertEquals(State.SUCCEEDED, journal.endings().get(1).state());
    assertEquals(
        1,
        bench.server.requests().stream()
            .map(each -> each.header("Idempotency-Key").orElse("none"))
            .distinct()
            .count());
  }

  @ParameterizedTest
  @EnumSource
  void aSuccessAfterARedirectIsKeptAndHandedBack(Entry entry) throws Throwable {
    bench.server.enqueue(
        Reply.status(303).header("Location", "/receipt"), Reply.status(200).body("receipt"));
    RetryingHttpClient client = client(Redirect.NORMAL, false);
    assertEnded(charge(entry, client), Effect.SUCCEEDED, State.SUCCEEDED);
    HttpResponse<String> again = charge(entry, client);
    assertEquals("receipt", again.body());
    assertEquals(bench.server.uri("/things"), again.uri());
    assertEquals(2, bench.server.requests().size());
  }

  /** The GET may be that of a page for signing in. */
  @ParameterizedTest
  @CsvSource({"301, POST", "302, POST", "302, PUT"})
  void aSuccessOfAnotherRequestSaysNothingOfTheFirst(int status, String method) throws Throwable {
    bench.server.enqueue(
        Reply.status(status).header("Location", "/login"), Reply.status(200).body("login"));
    HttpRequest request =
        HttpRequest.newBuilder(bench.server.uri("/things"))
            .method(method, BodyPublishers.ofString("5"))
            .build();
    HttpResponse<String> response =
        client(Redirect.NORMAL, false).send(request, BodyHandlers.ofString());
    boolean kept = bench.server.requests().get(1).method().equals(method);
    assertEquals(method.equals("PUT"), kept, "the client keeps the method of a PUT");
    assertEnded(
        response, kept ? Effect.SUCCEEDED : Effect.UNKNOWN, kept ? State.SUCCEEDED : State.UNKNOWN);
    assertEquals("login", response.body());
  }
}
