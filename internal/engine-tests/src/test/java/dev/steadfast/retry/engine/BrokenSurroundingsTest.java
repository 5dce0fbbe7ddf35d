package dev.steadfast.retry.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryEnvironment;
import dev.steadfast.retry.RetryListener;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.RetryScheduler;
import dev.steadfast.retry.Verdict;
import dev.steadfast.retry.threads.WorkerThread;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Clocks, threads, executors and schedulers that throw: an operation ends all the same, and once.
 */
@Timeout(60)
class BrokenSurroundingsTest {
  private static final RetryPolicy POLICY =
      RetryPolicy.builder()
          .maxAttempts(2)
          .backoff(Backoff.fixed(Duration.ofSeconds(1)))
          .totalTimeout(Duration.ofSeconds(30))
          .attemptTimeout(Duration.ofSeconds(5))
          .build();

  private final Surroundings around = new Surroundings();
  private final Client client = new Client();

  private RetryPlan plan() {
    RetryEnvironment environment = new RetryEnvironment(around::now, Instant::now, () -> 0, around);
    return RetryPlan.of(POLICY, RetryBudget.unlimited(), environment);
  }

  private RetryLoop<String> loop(RetryPlan plan) {
    return RetryLoop.of(plan, OperationInfo.of("test", "test"), client);
  }

  private CompletableFuture<String> start() {
    return loop(plan()).start(Long.MAX_VALUE, Function.identity(), UnaryOperator.identity());
  }

  private static String failureOf(CompletableFuture<String> future) {
    assertTrue(future.isDone(), "the operation is over");
    return assertThrows(CompletionException.class, future::join).getCause().getMessage();
  }

  // Clocks.

  @Test
  void aClockThatThrowsAtTheHead_endsTheOperation() {
    CompletableFuture<String> future = start();
    client.attempt().bodyStarted();
    around.clock = () -> around.clock = null;
    around.thrown = new IllegalStateException("no time");

    assertFalse(headOf(client.attempt()));
    client.attempt().complete(null, new IOException("broken"));

    assertEquals("no time", failureOf(future));
  }

  /** Takes what it throws for the end of the client's call, as adapters do. */
  private static boolean headOf(Attempt<String> attempt) {
    try {
      return attempt.head("200");
    } catch (IllegalStateException broken) {
      return false;
    }
  }

  @Test
  void aClockThatThrowsFromNowOn_endsTheOperation() {
    CompletableFuture<String> future = start();
    around.clock = () -> {};
    around.thrown = new IllegalStateException("no time");

    completeQuietly(client.attempt());

    assertEquals("no time", failureOf(future));
  }

  /** A response that holds a connection must not be forgotten. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5})
  void aResponseThatTheCallerDoesNotGet_isFreed_wheneverTheClockThrows(int goodReadings) {
    RetryPlan heard = plan().withListeners(List.of(new RetryListener() {}));
    CompletableFuture<String> future =
        loop(heard).start(Long.MAX_VALUE, Function.identity(), UnaryOperator.identity());
    client.attempt().bodyStarted();
    around.thrown = new IllegalStateException("no time");
    around.goodReadings = goodReadings;
    around.clock = () -> {};

    client.attempt().complete("200", null);

    assertTrue(future.isDone(), "the operation is over");
    boolean delivered = !future.isCompletedExceptionally();
    assertEquals(delivered ? List.of() : List.of("200"), client.discarded);
  }

  /** The thread that waits for the future helps when the timer does not come. */
  @Test
  void aClockThatThrowsWhileAThreadHelpsWithAWait_endsTheOperation() {
    RetryLoop<String> loop = loop(plan());
    CompletableFuture<String> future =
        loop.start(Long.MAX_VALUE, Function.identity(), UnaryOperator.identity());
    client.verdict = Verdict.retryable(FailureKind.CONNECTION_LOST);
    client.attempt().complete(null, new IOException("broken"));
    assertFalse(future.isDone(), "it waits");
    around.clock = () -> around.clock = null;
    around.thrown = new IllegalStateException("no time");

    loop.help();

    assertEquals("no time", failureOf(future));
  }

  private static void completeQuietly(Attempt<String> attempt) {
    try {
      attempt.complete(null, new IOException("broken"));
    } catch (RuntimeException thrown) {
      // The client would log it.
    }
  }

  // Threads.

  /** A thread that lets nobody set its class loader. */
  private static final class Innocuous extends Thread {
    Innocuous(Runnable task) {
      super(task, "innocuous");
    }

    @Override
    public void setContextClassLoader(ClassLoader loader) {
      throw new SecurityException("not here");
    }
  }

  private static void onInnocuousThread(Runnable task) throws InterruptedException {
    Thread thread = new Innocuous(task);
    thread.setUncaughtExceptionHandler((broken, thrown) -> {}); // what the test sees is the future
    thread.start();
    thread.join();
  }

  private void withOtherLoader(Runnable task) throws IOException {
    Thread here = Thread.currentThread();
    ClassLoader before = here.getContextClassLoader();
    try (URLClassLoader other = new URLClassLoader(new URL[0], before)) {
      here.setContextClassLoader(other);
      task.run();
    } finally {
      here.setContextClassLoader(before);
    }
  }

  @Test
  void aThreadThatTakesNoClassLoader_canShowAHead() throws Exception {
    List<CompletableFuture<String>> futures = new ArrayList<>();
    withOtherLoader(() -> futures.add(start()));

    onInnocuousThread(() -> client.attempt().head("200"));
    client.attempt().complete("200", null);

    assertTrue(futures.get(0).isDone(), "the operation is over");
    assertEquals("200", futures.get(0).join());
  }

  @Test
  void aThreadThatTakesNoClassLoader_canEndAnAttempt() throws Exception {
    List<CompletableFuture<String>> futures = new ArrayList<>();
    withOtherLoader(() -> futures.add(start()));

    onInnocuousThread(() -> client.attempt().complete("200", null));

    assertTrue(futures.get(0).isDone(), "the operation is over");
    assertEquals("200", futures.get(0).join());
  }

  // Schedulers.

  @Test
  void aSchedulerThatTakesNoTimerBack_changesNothing() {
    CompletableFuture<String> future = start();
    around.cancelThrows = true;

    completeQuietly(client.attempt());

    assertEquals("broken", failureOf(future));
  }

  @Test
  void aSchedulerThatTakesNoWaitBack_doesNotStopACancellation() {
    client.verdict = Verdict.retryable(FailureKind.OTHER);
    List<Throwable> ends = new ArrayList<>();
    RetryLoop<String> loop = loop(plan());
    loop.start(Long.MAX_VALUE, (response, failure) -> ends.add(failure));
    client.attempt().complete(null, new IOException("broken"));
    around.cancelThrows = true;

    try {
      loop.cancel();
    } catch (IllegalStateException thrown) {
      // It would reach the canceller.
    }

    assertEquals(1, ends.size());
    assertEquals("CANCELLED", ends.get(0).getMessage());
  }

  // Executors.

  @Test
  void aCallbackThatThrows_comesOnce() throws Exception {
    Operation<String> operation = new Operation<>(plan(), OperationInfo.of("test", "test"), client);
    List<String> calls = new ArrayList<>();
    List<Throwable> thrown = new ArrayList<>();
    Runnable callback =
        () -> {
          calls.add("called");
          throw new IllegalStateException("in the callback");
        };
    Thread worker =
        WorkerThread.make(() -> {
          try {
            Callbacks.run(operation, null, callback);
          } catch (Throwable broken) {
            thrown.add(broken);
          }
        });
    worker.start();
    worker.join();
    assertEquals(List.of("called"), calls);
    assertEquals("in the callback", thrown.get(0).getMessage());
  }

  @Test
  void aCallbackThatAnExecutorRefuses_runsElsewhere() throws Exception {
    client.executor =
        task -> {
          throw new RejectedExecutionException("closed");
        };
    Operation<String> operation = new Operation<>(plan(), OperationInfo.of("test", "test"), client);
    List<String> calls = new ArrayList<>();
    Thread worker =
        WorkerThread.make(() -> Callbacks.run(operation, null, () -> calls.add("called")));
    worker.start();
    worker.join();
    assertEquals(List.of("called"), calls);
  }

  // What the caller's thread had.

  @Test
  void anOperationThatIsCancelledBeforeItBegins_endsInTheContextOfItsCaller() throws Exception {
    List<ClassLoader> seen = new ArrayList<>();
    List<ClassLoader> callers = new ArrayList<>();
    RetryListener listener =
        new RetryListener() {
          @Override
          public void ended(OperationInfo operation, RetryReport report) {
            seen.add(Thread.currentThread().getContextClassLoader());
          }
        };
    around.executesLater = true;
    withOtherLoader(() -> {
      callers.add(Thread.currentThread().getContextClassLoader());
      RetryLoop<String> loop = loop(plan().withListeners(List.of(listener)));
      loop.cancel();
      loop.start(Long.MAX_VALUE, (response, failure) -> {});
    });

    around.executed.forEach(Runnable::run);

    assertEquals(1, seen.size());
    assertSame(callers.get(0), seen.get(0));
  }

  /** Time, timers and an executor that break when they are told to. */
  private static final class Surroundings implements RetryScheduler {
    private final List<Runnable> executed = new ArrayList<>();
    private @Nullable Runnable clock; // not null: the clock throws
    private RuntimeException thrown = new IllegalStateException();
    private int goodReadings; // of the clock, before it throws
    private boolean cancelThrows;
    private boolean executesLater;

    long now() {
      Runnable broken = clock;
      if (broken != null && --goodReadings < 0) {
        broken.run();
        throw thrown;
      }
      return 0;
    }

    @Override
    public boolean isVirtual() {
      return true;
    }

    @Override
    public Task schedule(long delayNanos, Runnable task) {
      return () -> {
        if (cancelThrows) {
          throw new IllegalStateException("cannot be taken back");
        }
      };
    }

    @Override
    public void execute(Runnable task) {
      if (executesLater) {
        executed.add(task);
      } else {
        task.run();
      }
    }

    @Override
    public boolean await(CountDownLatch wake, long nanos) {
      throw new UnsupportedOperationException();
    }
  }

  /** A client whose attempts the test completes. */
  private static final class Client implements RetryTransport<String> {
    private @Nullable Attempt<String> attempt;
    private final List<String> discarded = new ArrayList<>();
    private Verdict verdict = Verdict.permanent();
    private Consumer<Runnable> executor = Runnable::run;

    Attempt<String> attempt() {
      return attempt;
    }

    @Override
    public void start(Attempt<String> attempt) {
      this.attempt = attempt;
      assertTrue(attempt.begin("request"));
    }

    @Override
    public Outcome outcome(String response) {
      return Outcomes.of(Verdict.accepted());
    }

    @Override
    public Outcome outcome(Throwable failure) {
      return Outcomes.of(verdict);
    }

    @Override
    public Evidence evidence() {
      return Outcomes.of(Verdict.permanent()).evidence();
    }

    @Override
    public void discard(String response) {
      discarded.add(response);
    }

    @Override
    public Throwable failure(End end, @Nullable Throwable cause) {
      return new IOException(end.toString(), cause);
    }

    @Override
    public void callBack(Runnable callback) {
      executor.accept(callback);
    }
  }
}
