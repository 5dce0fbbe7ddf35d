package dev.steadfast.retry.micrometer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.Retrier;
import dev.steadfast.retry.RetryEnvironment;
import dev.steadfast.retry.RetryListener;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.RetryReport;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.config.MeterFilterReply;
import io.micrometer.core.instrument.distribution.DistributionStatisticConfig;
import io.micrometer.core.instrument.distribution.pause.PauseDetector;
import io.micrometer.core.instrument.noop.NoopTimer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A registry that throws or blocks does not change how operations end. */
class BrokenRegistryTest {
  private final CountDownLatch release = new CountDownLatch(1);
  private final ExecutorService thread = Executors.newSingleThreadExecutor();

  @AfterEach
  void close() {
    release.countDown();
    thread.shutdownNow();
  }

  /** The ends of operations, in the order in which they came. */
  private static final class Ends implements RetryListener {
    private final List<String> ends = new ArrayList<>();

    @Override
    public void ended(OperationInfo operation, RetryReport report) {
      ends.add(report.attempts() + " " + report.reason());
    }
  }

  /** One operation that is accepted at its third attempt, and one that never is. */
  private static List<String> outcomes(RetryMetrics metrics) throws Exception {
    Ends ends = new Ends();
    Retrier retrier =
        Retrier.builder()
            .policy(RetryPolicy.builder().backoff(Backoff.none()).build())
            .listener(metrics)
            .listener(ends)
            .build();
    AtomicInteger attempts = new AtomicInteger();
    ends.ends.add(retrier.call(() -> failsTwice(attempts)));
    try {
      retrier.call(() -> {
        throw new IOException("always");
      });
    } catch (IOException expected) {
      ends.ends.add(expected.getMessage());
    }
    return ends.ends;
  }

  private static String failsTwice(AtomicInteger attempts) throws IOException {
    if (attempts.incrementAndGet() < 3) {
      throw new IOException("not yet");
    }
    return "done";
  }

  private static final List<String> EXPECTED =
      List.of("3 accepted", "done", "3 attempts exhausted", "always");

  /** A registry that runs something before it registers a meter. */
  private static MeterRegistry registering(Runnable first) {
    MeterRegistry registry = new SimpleMeterRegistry();
    registry
        .config()
        .meterFilter(
            new MeterFilter() {
              @Override
              public MeterFilterReply accept(Meter.Id id) {
                first.run();
                return MeterFilterReply.NEUTRAL;
              }
            });
    return registry;
  }

  /** A registry whose timers run something for each value. */
  private static MeterRegistry recording(Runnable each) {
    return new SimpleMeterRegistry() {
      @Override
      protected Timer newTimer(
          Meter.Id id, DistributionStatisticConfig config, PauseDetector pauseDetector) {
        return new NoopTimer(id) {
          @Override
          public void record(long amount, TimeUnit unit) {
            each.run();
          }
        };
      }
    };
  }

  /** Registers meters on the thread of this test. */
  private RetryEnvironment environment() {
    return AtOnce.on(thread, RetryEnvironment.system());
  }

  /** Waits until the thread has done what it was given. */
  private void settle() throws Exception {
    thread.submit(() -> {}).get();
  }

  private void block() {
    try {
      release.await();
    } catch (InterruptedException over) {
      Thread.currentThread().interrupt();
    }
  }

  private static void refuse() {
    throw new IllegalStateException("a registry that throws");
  }

  @Test
  void aRegistryThatThrowsWhenItRegisters() throws Exception {
    AtomicInteger asked = new AtomicInteger();
    MeterRegistry registry =
        registering(() -> {
          asked.incrementAndGet();
          refuse();
        });
    RetryMetrics metrics = RetryMetrics.builder(registry).environment(environment()).build();
    assertEquals(EXPECTED, outcomes(metrics));
    settle();
    int once = asked.get();
    assertTrue(once > 0);
    assertEquals(EXPECTED, outcomes(metrics));
    settle();
    assertEquals(once, asked.get()); // it is asked for each meter once
    assertEquals(List.of(), registry.getMeters());
  }

  @Test
  void aRegistryThatThrowsWhenItRecords() throws Exception {
    AtomicInteger asked = new AtomicInteger();
    MeterRegistry registry =
        recording(() -> {
          asked.incrementAndGet();
          refuse();
        });
    RetryMetrics metrics = RetryMetrics.builder(registry).environment(environment()).build();
    assertEquals(EXPECTED, outcomes(metrics));
    settle();
    assertEquals(
        EXPECTED, outcomes(metrics)); // on the operation's thread: the meters are registered
    assertTrue(asked.get() > 12, asked::toString);
  }

  @Test
  void aRegistryThatBlocksWhenItRegisters_getsTheValuesLater() throws Exception {
    MeterRegistry registry = registering(this::block);
    RetryMetrics metrics = RetryMetrics.builder(registry).environment(environment()).build();
    assertEquals(EXPECTED, outcomes(metrics));
    assertEquals(List.of(), registry.getMeters());

    release.countDown();
    settle();
    assertEquals(6, count(registry, "steadfast.attempts"));
    assertEquals(2, count(registry, "steadfast.operations"));
    assertEquals(4, registry.get("steadfast.operation.retries").summary().totalAmount());
    assertEquals(EXPECTED, outcomes(metrics));
    assertEquals(4, count(registry, "steadfast.operations"));
  }

  private static long count(MeterRegistry registry, String timers) {
    return registry.get(timers).timers().stream().mapToLong(Timer::count).sum();
  }

  @Test
  void aRegistryThatBlocks_delaysABoundedNumberOfValues() throws Exception {
    MeterRegistry registry = registering(this::block);
    RetryMetrics metrics =
        RetryMetrics.builder(registry).environment(environment()).maxOrigins(10_000).build();
    for (int i = 0; i < Registrar.MOST_TASKS; i++) {
      Retrier retrier = Retrier.builder().name("origin-" + i).listener(metrics).build();
      assertEquals("done", retrier.call(() -> "done"));
    }
    release.countDown();
    settle();
    long operations = count(registry, "steadfast.operations");
    // Three tasks for each operation: one for each timer, and one for the counters of its origin.
    assertTrue(
        operations >= Registrar.MOST_TASKS / 4 && operations <= Registrar.MOST_TASKS / 2,
        () -> operations + " operations");
  }

  /** However many origins there are, and however long the registry takes. */
  @Test
  void closeRemovesAllMeters() throws Exception {
    int origins = Registrar.MOST_TASKS + 1;
    MeterRegistry registry = new SimpleMeterRegistry();
    RetryMetrics metrics =
        RetryMetrics.builder(registry).environment(environment()).maxOrigins(origins).build();
    for (int i = 0; i < origins; i++) {
      Retrier.builder().name("origin-" + i).listener(metrics).build().call(() -> "done");
    }
    settle();
    assertTrue(registry.getMeters().size() > origins);

    thread.submit(this::block);
    metrics.close();
    release.countDown();
    settle();
    assertEquals(List.of(), registry.getMeters());
  }

  @Test
  void aRegistryThatThrowsWhenItRemoves() throws Exception {
    MeterRegistry registry = new SimpleMeterRegistry();
    registry.config().onMeterRemoved(meter -> refuse());
    RetryMetrics metrics = RetryMetrics.builder(registry).environment(environment()).build();
    assertEquals(EXPECTED, outcomes(metrics));
    metrics.close();
    settle();
    List<String> left = registry.getMeters().stream().map(each -> each.getId().getName()).toList();
    // Micrometer itself stops at the first bucket of a histogram.
    assertEquals(List.of(), left.stream().filter(name -> !name.endsWith(".histogram")).toList());
  }

  @Test
  void aRegistryThatBlocksWhenItRecords_doesNotBlockOperations_withAnExecutor() throws Exception {
    AtomicLong recorded = new AtomicLong();
    MeterRegistry registry =
        recording(() -> {
          block();
          recorded.incrementAndGet();
        });
    RetryMetrics metrics = RetryMetrics.builder(registry).executor(thread).build();
    assertEquals(EXPECTED, outcomes(metrics));
    assertEquals(0, recorded.get());

    release.countDown();
    settle();
    assertEquals(6 + 4 + 2, recorded.get()); // attempts, waits, operations
  }

  @Test
  void anExecutorThatRejectsEverything() throws Exception {
    RetryMetrics metrics =
        RetryMetrics.builder(new SimpleMeterRegistry())
            .executor(task -> {
              throw new RejectedExecutionException("full");
            })
            .build();
    assertEquals(EXPECTED, outcomes(metrics));
  }

  @Test
  void anInterruptDuringTheWait_isKeptForTheOperation() throws Exception {
    RetryMetrics metrics = RetryMetrics.of(registering(this::block));
    Retrier retrier = Retrier.builder().listener(metrics).build();
    String result =
        retrier.call(() -> {
          Thread.currentThread().interrupt(); // before the first meter is asked for
          return "done";
        });
    assertEquals("done", result);
    assertTrue(Thread.interrupted());
  }
}
