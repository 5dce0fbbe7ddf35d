package dev.steadfast.retry.httpclient;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.scenarios.Reply;
import dev.steadfast.retry.scenarios.ScriptedServer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * An application may block every thread of the common pool. Operations end all the same. Each test
 * runs in a JVM of its own, as the pool is shared by the whole process.
 */
class BlockedPoolTest {
  private final ScriptedServer server = ScriptedServer.start();

  @AfterEach
  void close() {
    server.close();
  }

  private List<String> run(String how, int parallelism) throws Exception {
    String flag = "-Djava.util.concurrent.ForkJoinPool.common.parallelism=" + parallelism;
    return ChildJvm.run(List.of(flag), Program.class, how, server.uri("/").toString());
  }

  @ParameterizedTest
  @CsvSource({"1", "2"})
  void sendReturnsAnAnswer(int parallelism) throws Exception {
    assertEquals(List.of("200"), run("send", parallelism));
  }

  @ParameterizedTest
  @CsvSource({"1", "2"})
  void sendRetries(int parallelism) throws Exception {
    server.enqueue(Reply.status(503), Reply.status(503).body("sorry"));
    assertEquals(List.of("200"), run("send", parallelism));
  }

  @ParameterizedTest
  @CsvSource({"1", "2"})
  void sendToAServerThatHangsEndsByItsTotalTimeout(int parallelism) throws Exception {
    server.defaultReply(Reply.stallAfterRequest());
    assertEquals(List.of("java.net.http.HttpTimeoutException"), run("send", parallelism));
  }

  @ParameterizedTest
  @CsvSource({"1", "2"})
  void sendEndsABodyThatStallsByItsTotalTimeout(int parallelism) throws Exception {
    server.defaultReply(Reply.stalledBody(200, 100, "abc"));
    assertEquals(List.of("java.net.http.HttpTimeoutException"), run("send", parallelism));
  }

  /** The plain client completes its futures on the common pool, or on threads of their own. */
  @ParameterizedTest
  @CsvSource({"1", "2"})
  void sendAsyncAnswersWherePlainDoesAndEndsByItsTotalTimeoutElsewhere(int parallelism)
      throws Exception {
    String plain = run("plain", parallelism).get(0);
    String expected = plain.equals("hangs") ? "java.net.http.HttpTimeoutException" : plain;
    assertEquals(List.of(expected), run("sendAsync", parallelism));
  }

  @ParameterizedTest
  @CsvSource({"1", "2"})
  void sendAsyncToAServerThatHangsEndsByItsTotalTimeout(int parallelism) throws Exception {
    server.defaultReply(Reply.stallAfterRequest());
    assertEquals(List.of("java.net.http.HttpTimeoutException"), run("sendAsync", parallelism));
  }

  @ParameterizedTest
  @CsvSource({"1", "2"})
  void callbacksOfSendAsyncComeWhenItEndsByItsTotalTimeout(int parallelism) throws Exception {
    server.defaultReply(Reply.stallAfterRequest());
    assertEquals(List.of("java.net.http.HttpTimeoutException"), run("callback", parallelism));
  }

  /** Blocks the common pool for good, then makes one call and prints how it ended. */
  static final class Program {
    private static final Duration TOTAL = Duration.ofSeconds(2);
    private static final int MORE_THREADS_THAN_THE_POOL_HAS = 64;

    private Program() {}

    public static void main(String[] arguments) throws Exception {
      HttpClient plain = Bench.plain().build();
      HttpRequest request = HttpRequest.newBuilder(URI.create(arguments[1])).build();
      blockThePool();
      System.out.println(outcome(arguments[0], plain, request));
      System.exit(0);
    }

    private static void blockThePool() {
      CountDownLatch never = new CountDownLatch(1);
      for (int i = 0; i < MORE_THREADS_THAN_THE_POOL_HAS; i++) {
        ForkJoinPool.commonPool()
            .execute(() -> {
              try {
                never.await();
              } catch (InterruptedException ended) {
                Thread.currentThread().interrupt();
              }
            });
      }
    }

    private static String outcome(String how, HttpClient plain, HttpRequest request) {
      RetryPolicy policy =
          RetryPolicy.builder()
              .totalTimeout(TOTAL)
              .backoff(Backoff.fixed(Duration.ofMillis(1)))
              .build();
      HttpClient client =
          RetryingHttpClient.wrap(plain, HttpRetry.builder().policy(policy).build());
      try {
        HttpResponse<String> response =
            switch (how) {
              case "send" -> client.send(request, BodyHandlers.ofString());
              case "sendAsync" -> client.sendAsync(request, BodyHandlers.ofString()).get();
              case "callback" -> fromCallback(client.sendAsync(request, BodyHandlers.ofString()));
              default ->
                  plain
                      .sendAsync(request, BodyHandlers.ofString())
                      .get(TOTAL.toSeconds(), TimeUnit.SECONDS);
            };
        return "" + response.statusCode();
      } catch (TimeoutException hangs) {
        return "hangs";
      } catch (ExecutionException wrapped) {
        return wrapped.getCause().getClass().getName();
      } catch (Exception thrown) {
        return thrown.getClass().getName();
      }
    }

    private static HttpResponse<String> fromCallback(CompletableFuture<HttpResponse<String>> sent)
        throws Exception {
      CountDownLatch called = new CountDownLatch(1);
      CompletableFuture<HttpResponse<String>> seen = new CompletableFuture<>();
      sent.whenComplete((response, thrown) -> {
        if (thrown == null) {
          seen.complete(response);
        } else {
          Throwable cause = thrown.getCause();
          seen.completeExceptionally(cause == null ? thrown : cause);
        }
        called.countDown();
      });
      called.await();
      return seen.get();
    }
  }
}
