package dev.steadfast.retry.httpclient;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.RequestView;
import dev.steadfast.retry.limit.QuotaPacing;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import dev.steadfast.retry.testkit.FakeTime;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpResponse.BodySubscribers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Quota headers of real answers hold back the next call. */
class QuotaPacingTest {
  @AutoClose private final ScriptedServer server = ScriptedServer.start();

  @ParameterizedTest
  @CsvSource({"NEVER, false", "NEVER, true", "NORMAL, false", "NORMAL, true"})
  void theNextCallWaitsForTheReset(HttpClient.Redirect redirects, boolean async) throws Exception {
    server.route(request -> Reply.status(200).header("RateLimit", "\"d\";r=0;t=5").body("ok"));
    FakeTime time = new FakeTime();
    QuotaPacing pacing = QuotaPacing.perOrigin();
    HttpRetry retry =
        HttpRetry.builder()
            .environment(time.environment())
            .listener(time.skipWaits())
            .guard(pacing)
            .build();
    HttpClient client =
        RetryingHttpClient.wrap(HttpClient.newBuilder().followRedirects(redirects).build(), retry);
    HttpRequest request = HttpRequest.newBuilder(server.uri("/")).build();
    for (int call = 0; call < 2; call++) {
      int status =
          async
              ? client
                  .sendAsync(request, BodyHandlers.ofString())
                  .get(20, TimeUnit.SECONDS)
                  .statusCode()
              : client.send(request, BodyHandlers.ofString()).statusCode();
      assertEquals(200, status);
    }
    // t=5 may have been rounded down from almost 6 s.
    assertEquals(Duration.ofSeconds(6), Duration.ofNanos(time.nanos()));
    String origin = RequestView.origin(server.uri("/"));
    assertEquals(new QuotaPacing.State(0, 0, 0), pacing.state(origin));
  }

  /** What an answer tells was true when its head came, however long its body took. */
  @ParameterizedTest
  @CsvSource({"NEVER, SEND", "NEVER, SEND_ASYNC", "NORMAL, SEND", "NORMAL, SEND_ASYNC"})
  void theTimeOfTheHeadCounts(HttpClient.Redirect redirects, Entry entry) throws Throwable {
    server.route(request -> Reply.status(200).header("RateLimit", "\"d\";r=0;t=5").body("ok"));
    FakeTime time = new FakeTime();
    HttpRetry retry =
        HttpRetry.builder()
            .environment(time.environment())
            .listener(time.skipWaits())
            .guard(QuotaPacing.perOrigin())
            .build();
    HttpClient client =
        RetryingHttpClient.wrap(HttpClient.newBuilder().followRedirects(redirects).build(), retry);
    HttpRequest request = HttpRequest.newBuilder(server.uri("/")).build();
    for (int call = 0; call < 2; call++) {
      entry.call(
          client,
          request,
          head -> {
            time.advance(Duration.ofSeconds(8)); // while the body is on its way
            return BodySubscribers.ofString(StandardCharsets.UTF_8);
          });
    }
    assertEquals(Duration.ofSeconds(16), Duration.ofNanos(time.nanos()), "the second did not wait");
  }

  @ParameterizedTest
  @CsvSource({"NEVER, SEND", "NEVER, SEND_ASYNC", "NORMAL, SEND", "NORMAL, SEND_ASYNC"})
  void aKeyThatCannotBeHadForAnAnswerEndsTheCall_andFreesTheAnswer(
      HttpClient.Redirect redirects, Entry entry) throws Exception {
    server.defaultReply(
        Reply.status(200).header("RateLimit", "\"d\";r=9;t=5").body("x".repeat(1 << 20)));
    AtomicInteger asked = new AtomicInteger();
    QuotaPacing pacing =
        QuotaPacing.builder()
            .keyedBy(info -> {
              if (asked.incrementAndGet() > 1) {
                throw new IllegalStateException("no key");
              }
              return "key";
            })
            .build();
    HttpClient client =
        RetryingHttpClient.wrap(
            HttpClient.newBuilder().followRedirects(redirects).build(),
            HttpRetry.builder().guard(pacing).build());
    HttpRequest request = HttpRequest.newBuilder(server.uri("/")).build();
    IllegalStateException thrown =
        assertThrows(
            IllegalStateException.class,
            () -> entry.call(client, request, BodyHandlers.ofInputStream()));
    assertEquals("no key", thrown.getMessage());
    server.awaitNoBusyConnections(Duration.ofSeconds(20));
  }
}
