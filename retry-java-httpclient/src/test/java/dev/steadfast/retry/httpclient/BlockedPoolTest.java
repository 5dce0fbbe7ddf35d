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
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * An application may block every thread of the common pool. Operations still end. They run in
 * separate JVMs, because the whole process shares the pool: one JVM has a pool of one thread, one a
 * pool of two.
 */
class BlockedPoolTest {
  private static final String TIMEOUT = "java.net.http.HttpTimeoutException";

  private final Queue<ScriptedServer> servers = new ConcurrentLinkedQueue<>();
  private final ExecutorService children = Executors.newFixedThreadPool(2);

  @AfterEach
  void close() {
    children.shutdownNow();
    servers.forEach(ScriptedServer::close);
  }

  private ScriptedServer server() {
    ScriptedServer server = ScriptedServer.start();
    servers.add(server);
    return server;
  }

  private ScriptedServer server(Reply always) {
    ScriptedServer server = server();
    server.defaultReply(always);
    return server;
  }

  @Test
  void operationsEnd_thoughTheCommonPoolIsBlocked() throws Exception {
    Future<List<String>> one = children.submit(() -> run(1));
    Future<List<String>> two = children.submit(() -> run(2));
    assertEnds(one.get());
    assertEnds(two.get());
  }

  private List<String> run(int parallelism) throws Exception {
    ScriptedServer failsTwice = server();
    failsTwice.enqueue(Reply.status(503), Reply.status(503).body("sorry"));
    String answers = server().uri("/").toString();
    String hangs = server(Reply.stallAfterRequest()).uri("/").toString();
    String stalls = server(Reply.stalledBody(200, 100, "abc")).uri("/").toString();
    String flag = "-Djava.util.concurrent.ForkJoinPool.common.parallelism=" + parallelism;
    return ChildJvm.run(
        List.of(flag),
        Program.class,
        call("answered", "send", answers),
        call("retried", "send", failsTwice.uri("/").toString()),
        call("on a worker", "forkJoin", answers),
        call("hanging on a worker", "forkJoin", hangs),
        call("hanging", "send", hangs),
        call("stalled body", "send", stalls),
        call("plain", "plain", answers),
        call("async", "sendAsync", answers),
        call("hanging async", "sendAsync", hangs),
        call("hanging callback", "callback", hangs));
  }

  private static String call(String name, String how, String uri) {
    return name + "=" + how + "=" + uri;
  }

  private static void assertEnds(List<String> printed) {
    // The plain client completes its futures on the common pool, or on threads of their own. We
    // answer where it does, and end by the total timeout elsewhere.
    boolean plainHangs = printed.contains("plain: hangs");
    assertEquals(
        List.of(
            "answered: 200",
            "retried: 200",
            "on a worker: 200",
            "hanging on a worker: " + TIMEOUT,
            "hanging: " + TIMEOUT,
            "stalled body: " + TIMEOUT,
            "plain: " + (plainHangs ? "hangs" : "200"),
            "async: " + (plainHangs ? TIMEOUT : "200"),
            "hanging async: " + TIMEOUT,
            "hanging callback: " + TIMEOUT),
        printed);
  }

  /**
   * Blocks the common pool for good, makes all calls at the same time and prints how each ended.
   */
  static final class Program {
    private static final Duration TOTAL = Duration.ofSeconds(5);
    private static final int MORE_THREADS_THAN_THE_POOL_HAS = 64;

    private Program() {}

    public static void main(String[] calls) throws Exception {
      String ignored = outcome("send", calls[0].split("=", 3)[2]); // loads the classes
      blockThePool();
      ExecutorService callers = Executors.newFixedThreadPool(calls.length);
      List<Callable<String>> all = new ArrayList<>();
      for (String call : calls) {
        String[] parts = call.split("=", 3);
        all.add(() -> parts[0] + ": " + outcome(parts[1], parts[2]));
      }
      for (Future<String> each : callers.invokeAll(all)) {
        System.out.println(each.get());
      }
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

    private static String outcome(String how, String uri) {
      HttpClient plain = Bench.plain().build();
      HttpRequest request = HttpRequest.newBuilder(URI.create(uri)).build();
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
              case "forkJoin" -> onWorker(() -> client.send(request, BodyHandlers.ofString()));
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
        Throwable cause = wrapped.getCause();
        while (cause instanceof RuntimeException && cause.getCause() != null) {
          cause = cause.getCause(); // of a fork-join task, which may wrap it more than once
        }
        return cause.getClass().getName();
      } catch (Exception thrown) {
        return thrown.getClass().getName();
      }
    }

    private static HttpResponse<String> onWorker(Callable<HttpResponse<String>> send)
        throws Exception {
      return new ForkJoinPool(1).submit(send).get();
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
