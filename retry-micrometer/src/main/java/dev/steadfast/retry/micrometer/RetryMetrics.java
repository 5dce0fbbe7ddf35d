package dev.steadfast.retry.micrometer;

import dev.steadfast.retry.AttemptReport;
import dev.steadfast.retry.DelayReason;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.PathEvent;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryEnvironment;
import dev.steadfast.retry.RetryListener;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.internal.AttemptFigures;
import dev.steadfast.retry.internal.Checks;
import dev.steadfast.retry.internal.Durations;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records meters of operations, attempts, waits, refused retries and unknown outcomes, by client
 * and origin. The page {@code docs/telemetry.md} lists them.
 *
 * <pre>{@code
 * RetryBudget budget = RetryBudget.perOrigin(0.10);
 * RetryMetrics metrics =
 *     RetryMetrics.builder(registry).client("payments").budget(budget).build();
 * HttpRetry retry = HttpRetry.builder().budget(budget).listener(metrics).build();
 * }</pre>
 *
 * <p>Safe for use by many threads. Configurations that share one object are counted together. Two
 * objects with the same client name in one registry are counted together too, but a meter that one
 * removes, by {@link #close} or because an origin makes room, is lost to the other.
 *
 * <p>A value is recorded on the operation's thread, and nothing is allocated for it. A meter is
 * registered on another thread when its first value comes. The operation waits for that up to 50
 * ms; if it takes longer, the operation goes on and the value is recorded later. An exception of
 * the registry is logged as a warning, once, and changes nothing.
 */
public final class RetryMetrics implements RetryListener, AutoCloseable {
  // Why it is like this: docs/decisions/meters-and-threads.md
  private static final Logger LOG = LoggerFactory.getLogger("dev.steadfast.retry");

  private final KnownOrigins origins;
  private final @Nullable Executor executor;
  private final AtomicBoolean warned = new AtomicBoolean();

  private RetryMetrics(Builder builder) {
    RetryEnvironment environment = builder.environment;
    this.executor = builder.executor;
    // An executor of the user's has every event on one of its threads already.
    Executor registering = executor == null ? environment.scheduler()::execute : Runnable::run;
    Registrar registrar = new Registrar(registering, this::failed);
    UsedMeters used = new UsedMeters(builder.registry);
    Tags client = Tags.of("client", builder.client);
    RetryBudget budget = builder.budget;
    LongSupplier ticker = environment.ticker();
    this.origins =
        new KnownOrigins(
            builder.maxOrigins,
            origin ->
                new OriginMeters(
                    used,
                    client.and("origin", origin),
                    registrar,
                    available(budget, origin, ticker)),
            registrar,
            ticker);
  }

  // The origins that share meters have no common account in the budget.
  private static @Nullable Supplier<Number> available(
      @Nullable RetryBudget budget, String origin, LongSupplier ticker) {
    return budget == null || origin.equals(KnownOrigins.OTHER)
        ? null
        : () -> budget.available(origin, ticker.getAsLong()).orElse(Double.NaN);
  }

  /**
   * Metrics with every default.
   *
   * @param registry where the meters go
   * @return a listener for the configuration of a client
   */
  public static RetryMetrics of(MeterRegistry registry) {
    return builder(registry).build();
  }

  /**
   * Starts with the defaults.
   *
   * @param registry where the meters go
   * @return a new builder
   */
  public static Builder builder(MeterRegistry registry) {
    return new Builder(Checks.notNull("registry", registry));
  }

  @Override
  public void attemptEnded(OperationInfo operation, AttemptReport attempt) {
    Executor elsewhere = executor;
    if (elsewhere == null) {
      record(operation, attempt);
    } else {
      later(elsewhere, () -> record(operation, attempt));
    }
  }

  @Override
  public void waiting(OperationInfo operation, Duration delay, DelayReason why) {
    Executor elsewhere = executor;
    if (elsewhere == null) {
      record(operation, delay, why);
    } else {
      later(elsewhere, () -> record(operation, delay, why));
    }
  }

  @Override
  public void pathChanged(OperationInfo operation, PathEvent event) {
    Executor elsewhere = executor;
    if (elsewhere == null) {
      record(operation, event);
    } else {
      later(elsewhere, () -> record(operation, event));
    }
  }

  @Override
  public void ended(OperationInfo operation, RetryReport report) {
    Executor elsewhere = executor;
    if (elsewhere == null) {
      record(operation, report);
    } else {
      later(elsewhere, () -> record(operation, report));
    }
  }

  /**
   * Removes all meters from the registry. Events that come later are not recorded. Close the
   * metrics of a client that is no longer used; otherwise the registry keeps its meters and its
   * budget.
   */
  @Override
  public void close() {
    origins.close();
  }

  private void later(Executor elsewhere, Runnable event) {
    try {
      elsewhere.execute(event);
    } catch (Throwable rejected) {
      failed(rejected);
    }
  }

  private void record(OperationInfo operation, AttemptReport attempt) {
    try {
      origins.of(operation.origin()).attempt(AttemptFigures.of(attempt));
    } catch (Throwable thrown) {
      failed(thrown);
    }
  }

  private void record(OperationInfo operation, Duration delay, DelayReason why) {
    try {
      origins.of(operation.origin()).delay(why, Durations.nanos(delay));
    } catch (Throwable thrown) {
      failed(thrown);
    }
  }

  private void record(OperationInfo operation, PathEvent event) {
    try {
      origins.of(operation.origin()).path(event);
    } catch (Throwable thrown) {
      failed(thrown);
    }
  }

  private void record(OperationInfo operation, RetryReport report) {
    try {
      origins.of(operation.origin()).operation(report);
    } catch (Throwable thrown) {
      failed(thrown);
    }
  }

  private void failed(Throwable thrown) {
    if (warned.compareAndSet(false, true)) {
      LOG.warn("metrics could not be recorded; further failures are logged at level DEBUG", thrown);
    } else {
      LOG.debug("metrics could not be recorded", thrown);
    }
  }

  /** Collects settings; not safe for use by several threads. */
  public static final class Builder {
    private final MeterRegistry registry;
    private String client = "default";
    private @Nullable RetryBudget budget;
    private RetryEnvironment environment = RetryEnvironment.system();
    private int maxOrigins = 100;
    private @Nullable Executor executor;

    private Builder(MeterRegistry registry) {
      this.registry = registry;
    }

    /**
     * The value of the tag {@code client} on every meter. Default: {@code default}. Give each
     * configuration with a budget of its own another name; otherwise their gauges overwrite each
     * other.
     *
     * @param client a name, not empty
     * @return this
     * @throws IllegalArgumentException if the name is empty
     */
    public Builder client(String client) {
      this.client = Checks.notBlank("client", client);
      return this;
    }

    /**
     * The budget of the configuration: a gauge per origin shows how many retries it would pay for.
     * Default: none, and no gauge.
     *
     * @param budget the same object that the configuration gets
     * @return this
     */
    public Builder budget(RetryBudget budget) {
      this.budget = Checks.notNull("budget", budget);
      return this;
    }

    /**
     * How many origins have meters of their own. All further origins share the meters of the origin
     * {@code other}. An origin without an operation for an hour makes room for another one, and its
     * meters are removed. Default: 100.
     *
     * @param maxOrigins 1 to 10,000
     * @return this
     * @throws IllegalArgumentException if the number is out of its range
     */
    public Builder maxOrigins(int maxOrigins) {
      this.maxOrigins = Checks.within("maxOrigins", maxOrigins, 1, 10_000);
      return this;
    }

    /**
     * The executor that records values and registers meters. It is for registries whose meters may
     * block; those of Micrometer do not. A value that the executor rejects is not recorded. {@code
     * Runnable::run} has every value recorded when the call of a test returns. Default: values are
     * recorded on the operation's thread, and meters registered on a thread of the library.
     *
     * @param executor bounded, and safe for use by many threads
     * @return this
     */
    public Builder executor(Executor executor) {
      this.executor = Checks.notNull("executor", executor);
      return this;
    }

    /**
     * The time of the budget and of idle origins, and the scheduler that registers meters. Default:
     * the system's.
     *
     * @param environment that of the configuration
     * @return this
     */
    public Builder environment(RetryEnvironment environment) {
      this.environment = Checks.notNull("environment", environment);
      return this;
    }

    /**
     * The metrics.
     *
     * @return a listener for the configuration of a client
     */
    public RetryMetrics build() {
      return new RetryMetrics(this);
    }
  }
}
