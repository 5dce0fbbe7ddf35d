package dev.steadfast.retry.jmh;

import dev.steadfast.retry.RetryPolicy;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Operations that wait for a retry, all at once. A shot starts them with a long wait, weighs the
 * heap, cancels them and weighs again; then it starts them with a wait of a second and sees how
 * late they wake. The time of the whole shot says nothing; the counters do.
 *
 * <p>The serial collector, because it knows to the byte what is in use.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Fork(
    value = 1,
    jvmArgsAppend = {"-XX:+UseSerialGC", "-Xmx2g"})
@Warmup(iterations = 1)
@Measurement(iterations = 3)
public class WaitingBenchmark {
  private static final Duration LONG = Duration.ofMinutes(5);

  /** How many wait at once. */
  @Param({"10000", "100000"})
  public int waiting;

  /** The wait before the wake-ups that are timed. */
  @Param("1000")
  public int wakeMillis;

  /** What a shot shows. */
  @State(Scope.Thread)
  @AuxCounters(AuxCounters.Type.EVENTS)
  public static class Seen {
    /** Heap per waiting operation. */
    public double heapBytes;

    /** Heap per operation that is left once all are cancelled. */
    public double heapBytesCancelled;

    /** From start to wait, the failing first attempt included, per operation. */
    public double scheduleNanos;

    /** Per operation. */
    public double cancelNanos;

    /** How long after its time the median operation wakes. */
    public double lateMicrosMedian;

    /** How long after its time one in a hundred wakes, or later. */
    public double lateMicros99;

    /** Platform threads beyond those before, while all wait. */
    public double threads;

    /** Starts anew. */
    @Setup(Level.Iteration)
    public void reset() {
      heapBytes = 0;
      heapBytesCancelled = 0;
      scheduleNanos = 0;
      cancelNanos = 0;
      lateMicrosMedian = 0;
      lateMicros99 = 0;
      threads = 0;
    }
  }

  @Benchmark
  public int steadfast(Seen seen) throws InterruptedException {
    return shot(seen, delay -> Waiters.steadfast(limited(), delay));
  }

  private static RetryPolicy.Builder limited() {
    return RetryPolicy.builder().totalTimeout(LONG.multipliedBy(2));
  }

  @Benchmark
  public int steadfastUnlimited(Seen seen) throws InterruptedException {
    return shot(seen, delay -> Waiters.steadfast(RetryPolicy.builder().noTotalTimeout(), delay));
  }

  @Benchmark
  public int steadfastOkHttp(Seen seen) throws InterruptedException {
    return shot(seen, OkHttpWaiters::new);
  }

  @Benchmark
  public int bareScheduler(Seen seen) throws InterruptedException {
    return shot(seen, Waiters::bareScheduler);
  }

  @Benchmark
  public int failsafe(Seen seen) throws InterruptedException {
    return shot(seen, Waiters::failsafe);
  }

  @Benchmark
  public int resilience4j(Seen seen) throws InterruptedException {
    return shot(seen, Waiters::resilience4j);
  }

  @Benchmark
  public int virtualThreads(Seen seen) throws InterruptedException {
    return shot(seen, Waiters::virtualThreads);
  }

  private int shot(Seen seen, Function<Duration, Waiters> ways) throws InterruptedException {
    try (Waiters waiters = ways.apply(LONG)) {
      weigh(seen, waiters);
    }
    Duration wake = Duration.ofMillis(wakeMillis);
    try (Waiters waiters = ways.apply(wake)) {
      wake(seen, waiters, wake);
    }
    return waiting;
  }

  private void weigh(Seen seen, Waiters waiters) throws InterruptedException {
    waiters.cancel(start(waiters, () -> false, 1)[0]); // what is made once is not weighed
    int threads = threads();
    long before = heap();
    long startNanos = System.nanoTime();
    CountDownLatch failed = new CountDownLatch(waiting);
    Object[] operations = start(waiters, () -> fail(failed), waiting);
    await(failed);
    seen.scheduleNanos = perOperation(System.nanoTime() - startNanos);
    seen.heapBytes = perOperation(heap() - before);
    seen.threads = Math.max(0, threads() - threads);
    startNanos = System.nanoTime();
    for (Object operation : operations) {
      waiters.cancel(operation);
    }
    seen.cancelNanos = perOperation(System.nanoTime() - startNanos);
    Arrays.fill(operations, null);
    seen.heapBytesCancelled = Math.max(0, perOperation(heap() - before));
  }

  private static boolean fail(CountDownLatch failed) {
    failed.countDown();
    return false;
  }

  private static Object[] start(Waiters waiters, Waiters.Attempt attempt, int count) {
    Object[] operations = new Object[count];
    for (int i = 0; i < count; i++) {
      operations[i] = waiters.start(attempt);
    }
    return operations;
  }

  private void wake(Seen seen, Waiters waiters, Duration delay) throws InterruptedException {
    CountDownLatch woken = new CountDownLatch(waiting);
    AtomicInteger next = new AtomicInteger();
    long[] late = new long[waiting];
    for (int i = 0; i < waiting; i++) {
      waiters.start(
          new Sleeper(
              delay.toNanos(),
              nanos -> {
                late[next.getAndIncrement()] = nanos;
                woken.countDown();
              }));
    }
    await(woken);
    Arrays.sort(late);
    seen.lateMicrosMedian = late[waiting / 2] / 1e3;
    seen.lateMicros99 = late[(int) (waiting * 0.99)] / 1e3;
  }

  private static void await(CountDownLatch all) throws InterruptedException {
    if (!all.await(1, TimeUnit.MINUTES)) {
      throw new IllegalStateException(all.getCount() + " operations made no attempt");
    }
  }

  private double perOperation(long total) {
    return (double) total / waiting;
  }

  private static int threads() {
    return ManagementFactory.getThreadMXBean().getThreadCount();
  }

  private static long heap() throws InterruptedException {
    MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
    TimeUnit.MILLISECONDS.sleep(100); // lets what is still on its way come to rest
    System.gc();
    System.gc();
    return memory.getHeapMemoryUsage().getUsed();
  }
}
