package dev.steadfast.retry.operations;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.sun.management.ThreadMXBean;
import dev.steadfast.retry.Disposition;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.Verdict;
import dev.steadfast.retry.engine.Attempt;
import dev.steadfast.retry.engine.Evidence;
import dev.steadfast.retry.engine.Outcome;
import dev.steadfast.retry.engine.RetryTransport;
import dev.steadfast.retry.http.HttpOperation;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.Journaling;
import dev.steadfast.retry.http.ResponseView;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.http.TestRequest;
import dev.steadfast.retry.operations.OperationJournal.Claim;
import dev.steadfast.retry.operations.OperationJournal.Ending;
import dev.steadfast.retry.operations.OperationJournal.Intent;
import dev.steadfast.retry.operations.OperationJournal.Settings;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** An operation that is not journaled does not touch the journal of its client. */
class UnjournaledTest {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private static final int CALLS = 1_000;
  private static final int ROUNDS = 100; // enough for the compiler to be done, mostly
  private static final int MOST_ROUNDS = 10_000;

  private static final TestRequest REQUEST = TestRequest.of("GET");

  /** A journal that nobody may touch. */
  private static final class Untouchable implements OperationJournal {
    private static AssertionError touched() {
      return new AssertionError("the journal was touched");
    }

    @Override
    public Settings settings() {
      throw touched();
    }

    @Override
    public Claim claim(Intent intent, Duration lease) {
      throw touched();
    }

    @Override
    public boolean sending(Intent intent, Claim.Granted claim) {
      throw touched();
    }

    @Override
    public boolean ended(Intent intent, Claim.Granted claim, Ending ending) {
      throw touched();
    }

    @Override
    public Optional<Executor> executor() {
      throw touched();
    }
  }

  /** Answers each attempt at once. */
  private static final class Answering implements RetryTransport<String>, Journaling.Codec<String> {
    private static final Evidence EVIDENCE =
        Evidence.of(Disposition.ANSWERED, Evidence.Safety.IDEMPOTENT, 200, 1);
    private static final Outcome ACCEPTED = new Outcome(Verdict.accepted(), EVIDENCE);

    @Override
    public void start(Attempt<String> attempt) {
      attempt.begin("request");
      attempt.complete("answer", null);
    }

    @Override
    public Outcome outcome(String response) {
      return ACCEPTED;
    }

    @Override
    public Outcome outcome(Throwable failure) {
      throw new AssertionError(failure);
    }

    @Override
    public Evidence evidence() {
      return EVIDENCE;
    }

    @Override
    public Throwable failure(End end, @Nullable Throwable cause) {
      throw new AssertionError(end.toString(), cause);
    }

    @Override
    public ResponseView head(String response) {
      throw Untouchable.touched();
    }

    @Override
    public byte[] body(String response) {
      throw Untouchable.touched();
    }

    @Override
    public Journaling.EarlierRequest earlierRequest(String response) {
      throw Untouchable.touched();
    }

    @Override
    public String restore(ResponseView head, byte[] body, RetryReport report) {
      throw Untouchable.touched();
    }
  }

  private static long bytesOfCalls(HttpRetry retry) throws Throwable {
    Answering client = new Answering();
    long before = THREADS.getThreadAllocatedBytes(Thread.currentThread().getId());
    for (int i = 0; i < CALLS; i++) {
      HttpOperation operation = retry.operation(REQUEST, RetryOptions.none());
      operation.loop(operation.plan(), client, client).run(operation.boundNanos());
    }
    return THREADS.getThreadAllocatedBytes(Thread.currentThread().getId()) - before;
  }

  @Test
  void aJournalCostsItNoBytes() throws Throwable {
    HttpRetry without = HttpRetry.builder().build();
    HttpRetry with = HttpRetry.builder().journal(new Untouchable()).build();
    long least = Long.MAX_VALUE;
    long leastWith = Long.MAX_VALUE;
    for (int i = 0; i < ROUNDS || (i < MOST_ROUNDS && least / CALLS != leastWith / CALLS); i++) {
      least = Math.min(least, bytesOfCalls(without));
      leastWith = Math.min(leastWith, bytesOfCalls(with));
    }
    assertEquals(least / CALLS, leastWith / CALLS, "bytes per call");
  }
}
