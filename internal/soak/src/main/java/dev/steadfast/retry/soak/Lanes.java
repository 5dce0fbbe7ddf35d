package dev.steadfast.retry.soak;

import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.Retrier;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryPolicy;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RejectedExecutionHandler;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor.CallerRunsPolicy;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import okhttp3.Call;
import okhttp3.EventListener;

/**
 * What deadlines do while code of the user's blocks: one line per case, with the plain client
 * beside it. The deadline of the other client is 500 ms where nothing else is said.
 */
final class Lanes {
  private static final long OTHER_MILLIS = 500;

  private final SecondJvm server;
  private CountDownLatch release = new CountDownLatch(1); // of the case that runs

  private Lanes(SecondJvm server) {
    this.server = server;
  }

  static boolean run() throws Exception {
    try (SecondJvm server = SecondJvm.start()) {
      new Lanes(server).all();
    }
    return true;
  }

  private void all() throws Exception {
    System.out.println("case | wrapped | plain");
    otherHttp(new Deadlines(server, true), 100); // loads classes
    otherOkHttp(new Deadlines(server, true), 100);
    both("nothing else", each -> otherHttp(each, OTHER_MILLIS));
    both(
        "100 timeouts whose callbacks block; other deadline 1 s",
        each -> {
          callbacks(each, 100, this::block, null);
          return otherHttp(each, 1_000);
        });
    both(
        "300 timeouts whose callbacks take 5 s",
        each -> {
          callbacks(each, 300, () -> pause(5_000), null);
          return otherHttp(each, OTHER_MILLIS);
        });
    both(
        "5,000 timeouts whose callbacks block",
        each -> {
          callbacks(each, 5_000, this::block, null);
          return otherHttp(each, OTHER_MILLIS);
        });
    both("100 cancels blocked in EventListener.canceled, executed", this::blockedExecuted);
    both("100 cancels blocked in EventListener.canceled, enqueued", this::blockedEnqueued);
    both(
        "client executor that blocks when full",
        each -> {
          callbacks(each, 100, this::block, executor((task, pool) -> block()));
          return otherHttp(each, OTHER_MILLIS);
        });
    both(
        "client executor with CallerRunsPolicy",
        each -> {
          callbacks(each, 100, this::block, executor(new CallerRunsPolicy()));
          return otherHttp(each, OTHER_MILLIS);
        });
    both(
        "30,000 retries due at once; other deadline 3.5 s",
        each -> {
          retriesDueAtOnce(30_000);
          return otherOkHttp(each, 3_500);
        });
    both("20 sends on fork-join workers, common pool blocked", this::forkJoin);
    both("30,000 calls, 1,000 per second by the server's headers", each -> quota(each, false));
    both("30,000 calls, 1,000 per second by configuration", each -> quota(each, true));
  }

  /** One case, with wrapped or with plain clients. */
  private interface Case {
    String run(Deadlines clients) throws Exception;
  }

  private void both(String name, Case each) throws Exception {
    String wrapped = released(each, new Deadlines(server, true));
    String plain = released(each, new Deadlines(server, false));
    System.out.println(name + " | " + wrapped + " | " + plain);
  }

  private String released(Case each, Deadlines clients) throws Exception {
    release = new CountDownLatch(1);
    try {
      return each.run(clients);
    } finally {
      release.countDown();
      pause(1_000); // what was held goes on
    }
  }

  private void block() {
    CountDownLatch until = release;
    try {
      until.await();
    } catch (InterruptedException over) {
      Thread.currentThread().interrupt();
    }
  }

  private static void pause(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException over) {
      Thread.currentThread().interrupt();
    }
  }

  private static String otherHttp(Deadlines clients, long millis) throws InterruptedException {
    Deadlines.Http other = clients.http(millis, null);
    return Deadlines.millis(other::sendAsync);
  }

  private static String otherOkHttp(Deadlines clients, long millis) throws InterruptedException {
    Call.Factory other = clients.okHttp(millis, EventListener.NONE);
    return Deadlines.millis(() -> clients.enqueue(other));
  }

  /** Requests that time out, and whose callbacks do something; returns while they do. */
  private static void callbacks(
      Deadlines clients, int count, Runnable callback, Executor executor) {
    Deadlines.Http http = clients.http(200, executor);
    Runnable sends =
        () -> {
          for (int i = 0; i < count; i++) {
            http.sendAsync()
                .exceptionally(thrown -> {
                  callback.run();
                  return null;
                });
          }
        };
    Pools.daemons("sends").newThread(sends).start(); // which such an executor may hold
    pause(400 + count / 5);
  }

  private static Executor executor(RejectedExecutionHandler full) {
    return new ThreadPoolExecutor(
        2, 2, 1, TimeUnit.SECONDS, new ArrayBlockingQueue<>(2), Pools.daemons("few"), full);
  }

  private EventListener blockingListener() {
    return new EventListener() {
      @Override
      public void canceled(Call call) {
        block();
      }
    };
  }

  private String blockedExecuted(Deadlines clients) throws Exception {
    Call.Factory calls = clients.okHttp(200, blockingListener());
    Executor callers = Pools.fixed("caller", 100);
    return blocked(
        clients, () -> CompletableFuture.runAsync(() -> clients.execute(calls), callers));
  }

  private String blockedEnqueued(Deadlines clients) throws Exception {
    Call.Factory calls = clients.okHttp(200, blockingListener());
    return blocked(clients, () -> clients.enqueue(calls));
  }

  private static String blocked(Deadlines clients, Deadlines.Ending ending) throws Exception {
    long start = System.nanoTime();
    List<CompletableFuture<?>> all = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      all.add(ending.begin());
    }
    pause(220);
    String other = otherOkHttp(clients, OTHER_MILLIS);
    CompletableFuture<Void> last =
        CompletableFuture.allOf(all.toArray(new CompletableFuture<?>[0]));
    return other
        + ", the last of the 100 with a deadline of 200 ms: "
        + (last.isDone() ? "before that" : Deadlines.millisSince(start, last));
  }

  private static void retriesDueAtOnce(int count) {
    Retrier retrier =
        Retrier.builder()
            .policy(
                RetryPolicy.builder()
                    .maxAttempts(2)
                    .backoff(Backoff.fixed(Duration.ofSeconds(3)))
                    .build())
            .budget(RetryBudget.unlimited())
            .build();
    for (int i = 0; i < count; i++) {
      retrier.callAsync(() -> CompletableFuture.failedFuture(new IOException("down")));
    }
  }

  private String quota(Deadlines clients, boolean named) throws InterruptedException {
    return new QuotaUse(server, clients.wrapped(), named).measure();
  }

  private String forkJoin(Deadlines clients) throws Exception {
    for (int i = 0; i < ForkJoinPool.getCommonPoolParallelism(); i++) {
      ForkJoinPool.commonPool().execute(this::block);
    }
    ForkJoinPool pool = new ForkJoinPool(20);
    AtomicInteger ended = new AtomicInteger();
    Deadlines.Http http = clients.http(OTHER_MILLIS, null);
    for (int i = 0; i < 20; i++) {
      pool.execute(() -> {
        http.send();
        ended.incrementAndGet();
      });
    }
    pause(2_000);
    pool.shutdownNow();
    return ended + " of 20";
  }
}
