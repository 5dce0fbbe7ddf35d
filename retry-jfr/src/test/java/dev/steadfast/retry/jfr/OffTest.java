package dev.steadfast.retry.jfr;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.steadfast.retry.AttemptReport;
import dev.steadfast.retry.DelayReason;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.Retrier;
import dev.steadfast.retry.RetryListener;
import dev.steadfast.retry.RetryReport;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Events that are off allocate nothing, with and without a recording. */
class OffTest {
  private static final int OPERATIONS = 20_000;
  private static final Duration DELAY = Duration.ofMillis(200);

  /** Records the events of an operation, and plays them again. */
  private static final class Tape implements RetryListener {
    private final RetryEvents events;
    private OperationInfo operation;
    private AttemptReport attempt;
    private RetryReport report;

    Tape(RetryEvents events) {
      this.events = events;
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

    void play(boolean withWait) {
      events.operationStarted(operation);
      events.attemptStarted(operation, 1, operation);
      events.attemptEnded(operation, attempt);
      if (withWait) {
        events.waiting(operation, DELAY, DelayReason.BACKOFF);
      }
      events.ended(operation, report);
    }
  }

  private static long bytesEach(boolean withWait) throws Exception {
    Tape tape = new Tape(new RetryEvents());
    Retrier.builder().listener(tape).build().call(() -> "done");
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long thread = Thread.currentThread().getId();
    tape.play(withWait);
    long before = threads.getThreadAllocatedBytes(thread);
    for (int i = 0; i < OPERATIONS; i++) {
      tape.play(withWait);
    }
    return (threads.getThreadAllocatedBytes(thread) - before) / OPERATIONS;
  }

  @Test
  void withoutARecording() throws Exception {
    assertEquals(0, bytesEach(true));
  }

  @Test
  void inARecordingOfTheDefaultEvents_ifTheOperationHasNoWait() throws Exception {
    try (Recorded recorded = Recorded.byDefault()) {
      assertEquals(0, bytesEach(false));
      assertTrue(bytesEach(true) > 0); // so the measurement works
    }
  }
}
