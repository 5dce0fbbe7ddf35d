package dev.steadfast.retry.spring.boot;

import dev.steadfast.retry.operations.OperationJournal;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.Ordered;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The journal as clients see it. It refuses an operation that an open transaction of this process
 * has enlisted: the claim would wait for that transaction, which may wait for the claim.
 */
final class EnlistingJournal implements OperationJournal {
  private static final Logger LOG = LoggerFactory.getLogger("dev.steadfast.retry");

  private final OperationJournal journal;
  private final Map<Id, Integer> enlisted = new ConcurrentHashMap<>();

  EnlistingJournal(OperationJournal journal) {
    this.journal = journal;
  }

  /** Refuses an operation until the transaction of the calling thread has ended. */
  void untilTheEnd(Id id) {
    TransactionSynchronizationManager.registerSynchronization(new End(id));
    enlisted.merge(id, 1, Integer::sum);
  }

  private void ended(Id id) {
    enlisted.computeIfPresent(id, (same, times) -> times == 1 ? null : times - 1);
  }

  /** Comes first, so that other callbacks after the commit can make the call. */
  private final class End implements TransactionSynchronization {
    private final Id id;
    private boolean committing;
    private boolean over;

    End(Id id) {
      this.id = id;
    }

    @Override
    public int getOrder() {
      return Ordered.HIGHEST_PRECEDENCE;
    }

    @Override
    public void beforeCommit(boolean readOnly) {
      committing = true;
    }

    @Override
    public void afterCommit() {
      end();
    }

    // This happens with a transaction manager that does not know TransactionEnds.
    @Override
    public void afterCompletion(int status) {
      if (status == STATUS_COMMITTED && !committing && !over) {
        LOG.error(
            "{} was enlisted after the commit of its transaction, and may be lost: enlist it before"
                + " the commit, or in a transaction of its own (REQUIRES_NEW)",
            id);
      }
      end();
    }

    private void end() {
      if (!over) {
        over = true;
        ended(id);
      }
    }
  }

  @Override
  public Claim claim(Intent intent, Duration lease) throws IOException {
    if (enlisted.containsKey(intent.id())) {
      throw new RefusedException(
          Refusal.IN_FLIGHT,
          intent.id()
              + " is enlisted in a transaction that has not been committed: call it after the"
              + " commit",
          null);
    }
    return journal.claim(intent, lease);
  }

  @Override
  public boolean sending(Intent intent, Claim.Granted claim) throws IOException {
    return journal.sending(intent, claim);
  }

  @Override
  public boolean ended(Intent intent, Claim.Granted claim, Ending ending) throws IOException {
    return journal.ended(intent, claim, ending);
  }

  @Override
  public Settings settings() {
    return journal.settings();
  }

  @Override
  public Optional<Executor> executor() {
    return journal.executor();
  }

  @Override
  public String toString() {
    return journal.toString();
  }
}
