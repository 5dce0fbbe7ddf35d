package dev.steadfast.retry.micrometer;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.steadfast.retry.AttemptReport;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.Retrier;
import dev.steadfast.retry.RetryEnvironment;
import dev.steadfast.retry.RetryListener;
import dev.steadfast.retry.RetryReport;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;

/** Once the meters are registered, recording an operation allocates nothing. */
class AllocationTest {
  private static final int OPERATIONS = 20_000;

  /** Records the last two events of an operation, and plays them again. */
  private static final class Tape implements RetryListener {
    private final RetryMetrics metrics;
    private OperationInfo operation;
    private AttemptReport attempt;
    private RetryReport report;

    Tape(RetryMetrics metrics) {
      this.metrics = metrics;
    }

    @Override
    public void attemptEnded(OperationInfo operation, AttemptReport attempt) {
      this.attempt = attempt;
    }

    @Override
    public void ended(OperationInfo operation, RetryReport report) {
      this.operation = operation;
      this.report = report;
    }

    void play() {
      metrics.attemptEnded(operation, attempt);
      metrics.ended(operation, report);
    }
  }

  @Test
  void anOperation_allocatesNothing() throws Exception {
    RetryMetrics metrics =
        RetryMetrics.builder(new PrometheusMeterRegistry(PrometheusConfig.DEFAULT))
            .environment(AtOnce.of(RetryEnvironment.system()))
            .build();
    Tape tape = new Tape(metrics);
    Retrier.builder().listener(tape).build().call(() -> "done");
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long thread = Thread.currentThread().getId();
    for (int i = 0; i < OPERATIONS; i++) {
      tape.play(); // registers the meters
    }
    long before = threads.getThreadAllocatedBytes(thread);
    for (int i = 0; i < OPERATIONS; i++) {
      tape.play();
    }
    long each = (threads.getThreadAllocatedBytes(thread) - before) / OPERATIONS;
    assertTrue(each < 1, () -> each + " B");
  }
}
