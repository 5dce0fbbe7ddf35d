package dev.steadfast.retry.spring.boot;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;

/**
 * Knows whether the transaction of a thread is being committed already. Callbacks after the commit
 * still see that transaction, but what they write in it is rolled back. Spring Boot gives this
 * listener to the transaction managers that it makes.
 */
@SuppressWarnings("ThreadLocalUsage") // one for each data source of a journal
final class TransactionEnds implements TransactionExecutionListener {
  private final ThreadLocal<@Nullable Deque<Open>> open = new ThreadLocal<>();

  /** A transaction of a thread; one that was suspended lies below. */
  private static final class Open {
    final TransactionExecution transaction;
    boolean committed;

    Open(TransactionExecution transaction) {
      this.transaction = transaction;
    }
  }

  /** Whether the current transaction is being committed, so that it takes no more writes. */
  boolean isCommitted() {
    Deque<Open> mine = open.get();
    Open current = mine == null ? null : mine.peek();
    return current != null && current.committed;
  }

  @Override
  public void afterBegin(TransactionExecution transaction, @Nullable Throwable failure) {
    if (failure == null) {
      Deque<Open> mine = open.get();
      if (mine == null) {
        mine = new ArrayDeque<>();
        open.set(mine);
      }
      mine.push(new Open(transaction));
    }
  }

  @Override
  public void beforeCommit(TransactionExecution transaction) {
    Deque<Open> mine = open.get();
    if (mine != null) {
      mine.stream()
          .filter(each -> each.transaction.equals(transaction))
          .forEach(each -> each.committed = true);
    }
  }

  @Override
  public void afterCommit(TransactionExecution transaction, @Nullable Throwable failure) {
    over(transaction);
  }

  @Override
  public void afterRollback(TransactionExecution transaction, @Nullable Throwable failure) {
    over(transaction);
  }

  private void over(TransactionExecution transaction) {
    Deque<Open> mine = open.get();
    if (mine != null) {
      mine.removeIf(each -> each.transaction.equals(transaction));
      if (mine.isEmpty()) {
        open.remove();
      }
    }
  }
}
