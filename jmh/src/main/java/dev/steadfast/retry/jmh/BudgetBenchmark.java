package dev.steadfast.retry.jmh;

import com.twitter.finagle.service.RetryBudgets;
import com.twitter.util.Duration$;
import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryBudget.Outcome;
import dev.steadfast.retry.RetryBudget.Withdrawal;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import software.amazon.awssdk.retries.internal.circuitbreaker.TokenBucket;
import software.amazon.awssdk.retries.internal.circuitbreaker.TokenBucketStore;

/**
 * One account that all threads share: a deposit into a full one, a withdrawal with a deposit, and a
 * withdrawal that is refused. The accounts of this library are told the time, so theirs is fixed
 * here; the caller's look at the clock belongs to the engine.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(2)
@Warmup(iterations = 3, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 5, time = 500, timeUnit = TimeUnit.MILLISECONDS)
public class BudgetBenchmark {
  private static final long NOW = 1_000_000_000L;
  private static final String ORIGIN = "https://api.example.com:443";

  private final AtomicLong raw = new AtomicLong(1_000);
  private final LongAdder adder = new LongAdder();
  private final RetryBudget.Account full = RetryBudget.successFunded(0.1, 10, 1).account(ORIGIN);
  // One for one, so that it neither fills nor empties.
  private final RetryBudget.Account half = drained(RetryBudget.successFunded(1, 1_000, 1), 500);
  private final RetryBudget.Account empty = drained(RetryBudget.successFunded(0.1, 10, 1), 10);
  private final TokenBucket awsFull = bucket();
  private final TokenBucket awsEmpty = bucket();
  private final com.twitter.finagle.service.RetryBudget finagle = finagle(100);
  private final com.twitter.finagle.service.RetryBudget finagleEmpty = finagle(0);

  /** Empties the bucket of AWS. */
  public BudgetBenchmark() {
    awsEmpty.tryAcquire(500);
  }

  private static RetryBudget.Account drained(RetryBudget budget, int tokens) {
    RetryBudget.Account account = budget.account(ORIGIN);
    for (int i = 0; i < tokens; i++) {
      account.tryWithdraw(FailureKind.OTHER, NOW);
    }
    return account;
  }

  private static TokenBucket bucket() {
    return TokenBucketStore.builder()
        .tokenBucketMaxCapacity(500)
        .build()
        .tokenBucketForScope("benchmark");
  }

  private static com.twitter.finagle.service.RetryBudget finagle(int minPerSecond) {
    return RetryBudgets.newRetryBudget(Duration$.MODULE$.fromSeconds(10), minPerSecond, 1.0);
  }

  // ---- deposit when full

  @Benchmark
  public void depositSteadfast() {
    full.operationEnded(Outcome.SUCCEEDED, null, NOW);
  }

  @Benchmark
  public long depositRawRead() {
    return raw.get();
  }

  @Benchmark
  public void depositLongAdder() {
    adder.increment();
  }

  @Benchmark
  public Object depositAws() {
    return awsFull.release(1);
  }

  @Benchmark
  public void depositFinagle() {
    finagle.deposit();
  }

  // ---- withdraw and deposit

  @Benchmark
  public Withdrawal pairSteadfast() {
    Withdrawal withdrawal = half.tryWithdraw(FailureKind.OTHER, NOW);
    half.operationEnded(Outcome.SUCCEEDED, null, NOW);
    return withdrawal;
  }

  @Benchmark
  public long pairRawCas() {
    add(-1);
    return add(1);
  }

  private long add(long amount) {
    long before;
    do {
      before = raw.get();
    } while (!raw.compareAndSet(before, before + amount));
    return before;
  }

  @Benchmark
  public void pairLongAdder() {
    adder.decrement();
    adder.increment();
  }

  @Benchmark
  public Object pairAws() {
    awsFull.tryAcquire(1);
    return awsFull.release(1);
  }

  @Benchmark
  public boolean pairFinagle() {
    boolean granted = finagle.tryWithdraw();
    finagle.deposit();
    return granted;
  }

  // ---- refused withdrawal

  @Benchmark
  public Withdrawal refusalSteadfast() {
    return empty.tryWithdraw(FailureKind.OTHER, NOW);
  }

  @Benchmark
  public Object refusalAws() {
    return awsEmpty.tryAcquire(5);
  }

  @Benchmark
  public boolean refusalFinagle() {
    return finagleEmpty.tryWithdraw();
  }
}
