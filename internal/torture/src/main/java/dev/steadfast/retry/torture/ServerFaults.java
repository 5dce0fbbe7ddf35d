package dev.steadfast.retry.torture;

import dev.steadfast.retry.examples.payments.Faults;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The faults within the server: it dies, fails after its commit, is slow, or its database fails.
 */
final class ServerFaults implements Faults {
  private static final int KILLED = 137; // the exit code of kill -9
  private static final int ERROR = 500;
  private static final long LONG_MILLIS = Payments.ATTEMPT_TIMEOUT.toMillis() + 200;

  private final Map<String, Op> operations;
  private final Fired fired;
  private final FaultySource database;

  ServerFaults(History history, FaultySource database) {
    this.operations = history.operationsByIntent();
    this.fired = history.fired();
    this.database = database;
  }

  @Override
  public void at(Point point, String intent) {
    Op operation = operations.get(intent);
    switch (point) {
      case BEFORE_KEY -> {}
      case AFTER_KEY -> takesLong(operation);
      case IN_TRANSACTION -> inTransaction(operation);
      case AFTER_COMMIT -> afterCommit(operation);
    }
  }

  /** Takes so long that the next attempt arrives while this one is in progress. */
  private void takesLong(Op operation) {
    if (fired.first(Fault.IN_PROGRESS, operation)) {
      try {
        TimeUnit.MILLISECONDS.sleep(LONG_MILLIS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private void inTransaction(Op operation) {
    dies(Fault.SERVER_KILL_IN_TRANSACTION, operation);
    if (fired.first(Fault.LEDGER_COMMIT_LOST, operation)) {
      database.arm(FaultySource.Failure.lost(operation));
    } else if (fired.first(Fault.LEDGER_DEADLOCK, operation)) {
      database.arm(FaultySource.Failure.DEADLOCK);
    } else if (fired.first(Fault.LEDGER_DISK_FULL, operation)) {
      database.arm(FaultySource.Failure.DISK_FULL);
    }
  }

  private void afterCommit(Op operation) {
    dies(Fault.SERVER_KILL_AFTER_COMMIT, operation);
    if (fired.first(Fault.ERROR_AFTER_COMMIT, operation)) {
      throw Faults.status(ERROR);
    }
  }

  private void dies(Fault fault, Op operation) {
    if (fired.first(fault, operation)) {
      Runtime.getRuntime().halt(KILLED);
    }
  }
}
