package dev.steadfast.retry.scope;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.engine.CallContext;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** A scope goes where it is carried, and stays nowhere. */
class RetryScopeThreadsTest {
  private final ExecutorService pool = Executors.newSingleThreadExecutor();

  @AfterEach
  void nothingIsLeft() throws Exception {
    assertNull(CallContext.current());
    assertEquals("none", pool.submit(RetryScopeThreadsTest::here).get());
    pool.shutdown();
    assertTrue(pool.awaitTermination(20, TimeUnit.SECONDS));
  }

  /** A request by the number of its attempt. */
  private static RetryScope request(int number) {
    ScopeOptions options = ScopeOptions.builder().trustInbound(true).build();
    return RetryScope.enter(Map.of("X-Attempt", Integer.toString(number))::get, null, options);
  }

  /** The number of the request that the thread serves. */
  private static String here() {
    return RetryScope.current()
        .map(scope -> Integer.toString(scope.attempt().orElseThrow()))
        .orElse("none");
  }

  // Not by itself.

  @Test
  void aPooledThreadServesOneRequestAfterTheOther() throws Exception {
    List<String> seen = new ArrayList<>();
    for (int i = 1; i <= 3; i++) {
      int number = i;
      pool.submit(() -> {
        seen.add(here());
        try (RetryScope scope = request(number)) {
          seen.add(here() + scope.attempt().orElseThrow());
          if (number == 2) {
            throw new IOException("a request that fails");
          }
        }
        return null;
      });
    }
    assertEquals("none", pool.submit(RetryScopeThreadsTest::here).get());
    assertEquals(List.of("none", "11", "none", "22", "none", "33"), seen);
  }

  @Test
  void aThreadThatIsStartedWithinKnowsNothing() throws Exception {
    String[] seen = {""};
    try (RetryScope scope = request(1)) {
      Thread thread = new Thread(() -> seen[0] = here());
      thread.start();
      thread.join();
      assertEquals("none", pool.submit(RetryScopeThreadsTest::here).get());
      assertEquals("1", here());
      assertEquals(1, scope.attempt().orElseThrow());
    }
    assertEquals("none", seen[0]);
  }

  // Carried.

  @Test
  void aRunnable() throws Exception {
    List<String> seen = new ArrayList<>();
    Runnable task;
    try (RetryScope scope = request(1)) {
      task = RetryScope.wrap((Runnable) () -> seen.add(here()));
      assertEquals(1, scope.attempt().orElseThrow());
    }
    pool.submit(task).get(); // after the scope was left
    pool.submit(task).get();
    task.run();
    assertEquals(List.of("1", "1", "1"), seen);
  }

  @Test
  void aCallable() throws Exception {
    Callable<String> task;
    try (RetryScope scope = request(1)) {
      task = RetryScope.wrap(RetryScopeThreadsTest::hereCalled);
      assertEquals(1, scope.attempt().orElseThrow());
    }
    assertEquals("1", pool.submit(task).get());
    assertEquals("none", pool.submit(RetryScopeThreadsTest::here).get());
  }

  private static String hereCalled() throws IOException {
    if (Thread.currentThread().isInterrupted()) {
      throw new IOException("interrupted");
    }
    return here();
  }

  @Test
  void aSupplier_andTheStagesThatFollowOnAnExecutor() throws Exception {
    CompletableFuture<String> gate = new CompletableFuture<>();
    CompletableFuture<String> all;
    try (RetryScope scope = request(1)) {
      Executor carrying = RetryScope.wrap((Executor) pool);
      all =
          CompletableFuture.supplyAsync(RetryScope.wrapSupplier(RetryScopeThreadsTest::here), pool)
              .thenCombine(gate, (seen, open) -> seen)
              .thenApplyAsync(seen -> seen + here(), carrying)
              .thenApplyAsync(seen -> seen + here(), carrying)
              .thenApplyAsync(seen -> seen + here(), pool);
      assertEquals(1, scope.attempt().orElseThrow());
    }
    try (RetryScope other = request(2)) {
      gate.complete(""); // it does not matter which thread completes a stage
      assertEquals("111none", all.get(20, TimeUnit.SECONDS));
      assertEquals(2, other.attempt().orElseThrow());
    }
  }

  @Test
  void aVirtualThread() throws Exception {
    String[] seen = {"", ""};
    Thread carried;
    Thread bare;
    try (RetryScope scope = request(1)) {
      carried = virtual(RetryScope.wrap((Runnable) () -> seen[0] = here()));
      bare = virtual(() -> seen[1] = here());
      assertEquals(1, scope.attempt().orElseThrow());
    }
    carried.join();
    bare.join();
    assertEquals(List.of("1", "none"), List.of(seen));
  }

  @Test
  void aVirtualThreadHasScopesOfItsOwn() throws Exception {
    List<Thread> threads = new ArrayList<>();
    AtomicInteger right = new AtomicInteger();
    CountDownLatch all = new CountDownLatch(200);
    for (int i = 0; i < 200; i++) {
      int number = i;
      threads.add(
          virtual(() -> {
            try (RetryScope scope = request(number)) {
              all.countDown();
              all.await(); // goes on on another carrier, perhaps
              boolean mine = scope.attempt().orElseThrow() == number;
              right.addAndGet(mine && here().equals(Integer.toString(number)) ? 1 : 0);
            } catch (InterruptedException unwanted) {
              throw new AssertionError(unwanted);
            }
            right.addAndGet(here().equals("none") ? 1 : 0);
          }));
    }
    for (Thread each : threads) {
      each.join();
    }
    assertEquals(400, right.get());
  }

  private static Thread virtual(Runnable task) throws Exception {
    Assumptions.assumeTrue(Runtime.version().feature() >= 21, "virtual threads");
    return (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, task);
  }

  // And back.

  @Test
  void aTaskGivesTheThreadBackWhatItHad() throws Exception {
    Runnable task;
    try (RetryScope scope = request(1)) {
      task = RetryScope.wrap((Runnable) () -> assertEquals("1", here()));
      assertEquals(1, scope.attempt().orElseThrow());
    }
    Runnable ofNothing = RetryScope.wrap((Runnable) () -> assertEquals("none", here()));
    try (RetryScope other = request(2)) {
      task.run();
      assertEquals("2", here());
      ofNothing.run();
      assertEquals("2", here());
      RetryScope.wrap((Executor) Runnable::run).execute(task);
      assertEquals("2", here());
      assertEquals(2, other.attempt().orElseThrow());
    }
  }

  @Test
  void alsoWhenItThrows() {
    Runnable runnable;
    Callable<String> callable;
    Supplier<String> supplier;
    Executor executor;
    try (RetryScope scope = request(1)) {
      runnable = RetryScope.wrap((Runnable) RetryScopeThreadsTest::fail);
      callable = RetryScope.wrap((Callable<String>) RetryScopeThreadsTest::fail);
      supplier = RetryScope.wrapSupplier(RetryScopeThreadsTest::fail);
      executor = RetryScope.wrap((Executor) Runnable::run);
      assertEquals(1, scope.attempt().orElseThrow());
    }
    try (RetryScope other = request(2)) {
      assertThrows(Failure.class, runnable::run);
      assertEquals("2", here());
      assertThrows(Failure.class, callable::call);
      assertEquals("2", here());
      assertThrows(Failure.class, supplier::get);
      assertEquals("2", here());
      assertThrows(Failure.class, () -> executor.execute(RetryScopeThreadsTest::fail));
      assertEquals("2", here());
      assertEquals(2, other.attempt().orElseThrow());
    }
    assertThrows(Failure.class, runnable::run);
    assertEquals("none", here());
  }

  @Test
  void aTaskOfThePoolLeavesNothingWhenItThrows() {
    Callable<String> callable;
    try (RetryScope scope = request(1)) {
      callable = RetryScope.wrap((Callable<String>) RetryScopeThreadsTest::fail);
      assertEquals(1, scope.attempt().orElseThrow());
    }
    Future<String> failed = pool.submit(callable);
    Throwable thrown = assertThrows(ExecutionException.class, failed::get).getCause();
    assertEquals(Failure.class, thrown.getClass());
  }

  private static String fail() {
    throw new Failure(here());
  }

  private static final class Failure extends RuntimeException {
    private static final long serialVersionUID = 1;

    Failure(String where) {
      super(where);
      assertEquals("1", where);
    }
  }

  /** What a task enters and closes is its own; what the task is within goes on. */
  @Test
  void scopesWithinATask() throws Exception {
    List<String> seen = new ArrayList<>();
    Runnable task;
    RetryScope[] outer = {null};
    try (RetryScope scope = request(1)) {
      outer[0] = scope;
      task =
          RetryScope.wrap(
              (Runnable)
                  () -> {
                    try (RetryScope inner = request(2)) {
                      seen.add(here() + inner.attempt().orElseThrow());
                      assertThrows(IllegalStateException.class, outer[0]::close);
                    }
                    seen.add(here());
                  });
      pool.submit(task).get();
      assertEquals("1", here());
      assertEquals(1, scope.attempt().orElseThrow());
    }
    assertEquals(List.of("22", "1"), seen);
  }

  /** A scope that was left can still be carried, and leaving it again changes nothing there. */
  @Test
  void closingAScopeAgainWithinATaskThatCarriesIt() {
    List<String> seen = new ArrayList<>();
    RetryScope[] left = {null};
    Runnable task;
    try (RetryScope scope = request(1)) {
      left[0] = scope;
      task =
          RetryScope.wrap(
              (Runnable)
                  () -> {
                    left[0].close();
                    seen.add(here());
                  });
      assertEquals(1, scope.attempt().orElseThrow());
    }
    task.run();
    assertEquals(List.of("1"), seen);
  }

  @Test
  void aTaskThatForgetsToCloseLeavesNothingEither() throws Exception {
    Runnable task =
        RetryScope.wrap((Runnable) () -> assertEquals(7, request(7).attempt().orElseThrow()));
    pool.submit(task).get();
    assertEquals("none", pool.submit(RetryScopeThreadsTest::here).get());
  }
}
