package dev.steadfast.retry.tck.internal;

import static org.junit.jupiter.api.Assertions.assertNotNull;

import dev.steadfast.retry.Guard;
import dev.steadfast.retry.OperationInfo;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Admits every attempt, and records the answers to its permits in their order: {@code succeeded},
 * {@code failed} or {@code released}. Safe for use by several threads.
 */
public final class RecordingGuard implements Guard {
  private static final long PATIENCE_SECONDS = 20;

  private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();

  /** A guard without answers. */
  public RecordingGuard() {}

  @Override
  public long admitsInNanos(OperationInfo operation, long nowNanos) {
    return 0;
  }

  @Override
  public Permit acquire(OperationInfo operation, long nowNanos) {
    return new Permit() {
      @Override
      public void succeeded(long elapsedNanos) {
        answers.add("succeeded");
      }

      @Override
      public void failed(Guard.Failure how, Throwable failure) {
        answers.add("failed");
      }

      @Override
      public void released() {
        answers.add("released");
      }
    };
  }

  /** The answers so far, without those that were taken. */
  public List<String> answers() {
    return List.copyOf(answers);
  }

  /** Waits for the next answer, and takes it. */
  public String takeAnswer() throws InterruptedException {
    String answer = answers.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
    assertNotNull(answer, "no permit was answered");
    return answer;
  }
}
