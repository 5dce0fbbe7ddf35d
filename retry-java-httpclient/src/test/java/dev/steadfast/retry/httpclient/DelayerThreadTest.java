package dev.steadfast.retry.httpclient;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/**
 * A callback of {@code orTimeout} runs on the one thread that keeps time for every {@code
 * CompletableFuture} of the process. A {@code send} made there needs nothing of that thread. Each
 * test runs in a JVM of its own.
 */
class DelayerThreadTest {
  @AutoClose private final ScriptedServer server = ScriptedServer.start();

  /** A JVM that has just begun may take seconds for its first request. */
  private List<String> run(int attemptSeconds, int totalSeconds) throws Exception {
    return ChildJvm.run(
        List.of(),
        Program.class,
        server.uri("/").toString(),
        Integer.toString(attemptSeconds),
        Integer.toString(totalSeconds));
  }

  @Test
  void sendReturnsAnAnswer() throws Exception {
    assertEquals(List.of("200", "timers work"), run(20, 25));
  }

  @Test
  void sendRetries() throws Exception {
    server.enqueue(Reply.status(503));
    assertEquals(List.of("200", "timers work"), run(20, 25));
  }

  @Test
  void sendRetriesAfterAnAttemptThatHung() throws Exception {
    server.enqueue(Reply.stallAfterRequest());
    assertEquals(List.of("200", "timers work"), run(3, 25));
  }

  @Test
  void sendToAServerThatHangsEndsByItsTotalTimeout() throws Exception {
    server.defaultReply(Reply.stallAfterRequest());
    assertEquals(List.of("java.net.http.HttpTimeoutException", "timers work"), run(2, 3));
  }

  /** Sends from the thread of the timers and prints how that ended, then tries a timer. */
  static final class Program {
    private Program() {}

    public static void main(String[] arguments) throws Exception {
      RetryPolicy policy =
          RetryPolicy.builder()
              .attemptTimeout(Duration.ofSeconds(Integer.parseInt(arguments[1])))
              .totalTimeout(Duration.ofSeconds(Integer.parseInt(arguments[2])))
              .backoff(Backoff.fixed(Duration.ofMillis(20)))
              .build();
      HttpClient client =
          RetryingHttpClient.wrap(
              Bench.plain().build(), HttpRetry.builder().policy(policy).build());
      HttpRequest request = HttpRequest.newBuilder(URI.create(arguments[0])).build();

      CompletableFuture<String> sent =
          new CompletableFuture<String>()
              .orTimeout(10, TimeUnit.MILLISECONDS)
              .exceptionally(timeout -> outcome(client, request));
      System.out.println(soon(sent, "send hangs"));
      CompletableFuture<String> timer =
          new CompletableFuture<String>()
              .completeOnTimeout("timers work", 10, TimeUnit.MILLISECONDS);
      System.out.println(soon(timer, "timers hang"));
      System.exit(0);
    }

    private static String soon(CompletableFuture<String> future, String otherwise)
        throws Exception {
      try {
        return future.get(30, TimeUnit.SECONDS);
      } catch (TimeoutException hangs) {
        return otherwise;
      }
    }

    private static String outcome(HttpClient client, HttpRequest request) {
      try {
        return "" + client.send(request, BodyHandlers.ofString()).statusCode();
      } catch (Exception thrown) {
        return thrown.getClass().getName();
      }
    }
  }
}
