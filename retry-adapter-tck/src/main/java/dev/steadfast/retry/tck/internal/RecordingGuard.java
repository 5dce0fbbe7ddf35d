package dev.steadfast.retry.tck.internal;

import dev.steadfast.retry.Guard;
import dev.steadfast.retry.OperationInfo;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Admits every attempt, and records the answers to its permits in their order: {@code succeeded},
 * {@code failed} or {@code released}. Safe for use by several threads.
 */
public final class RecordingGuard implements Guard {
  private final Queue<String> answers = new ConcurrentLinkedQueue<>();

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

  /** The answers so far. */
  public List<String> answers() {
    return List.copyOf(answers);
  }
}
