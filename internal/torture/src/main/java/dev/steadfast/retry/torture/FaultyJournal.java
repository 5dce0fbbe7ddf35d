package dev.steadfast.retry.torture;

import dev.steadfast.retry.operations.OperationJournal;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;

/**
 * A journal with faults in its steps: the process dies, its clock jumps, or its database fails.
 * Safe for use by many threads.
 */
final class FaultyJournal implements OperationJournal {
  private static final int KILLED = 137; // the exit code of kill -9

  private final OperationJournal journal;
  private final Map<String, Op> operations;
  private final Fired fired;
  private final ToldLog log;
  private final Trouble trouble;

  /**
   * What the faults act on.
   *
   * @param database the database of the journal
   * @param clock the wall clock of the environment
   * @param marksLate whether the note that a request is about to be sent is written only after it
   *     was sent: a bug on purpose, which the checker must find
   */
  record Trouble(FaultySource database, JumpingClock clock, boolean marksLate) {}

  FaultyJournal(OperationJournal journal, History history, int client, Trouble trouble) {
    this.journal = journal;
    this.operations = history.operationsByIntent();
    this.fired = history.fired();
    this.log = history.told(client);
    this.trouble = trouble;
  }

  private FaultyJournal(OperationJournal journal, FaultyJournal like) {
    this.journal = journal;
    this.operations = like.operations;
    this.fired = like.fired;
    this.log = like.log;
    this.trouble = like.trouble;
  }

  /** The same faults in the steps of another journal. */
  FaultyJournal over(OperationJournal other) {
    return new FaultyJournal(other, this);
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
  public Claim claim(Intent intent, Duration lease) throws IOException {
    dies(Fault.KILL_BEFORE_CLAIM, intent);
    fails(intent, 0);
    long asked = System.currentTimeMillis();
    Claim claim = journal.claim(intent, lease);
    if (claim instanceof Claim.Granted granted) {
      log.claimed(intent.id().key(), granted.token(), asked);
    }
    return claim;
  }

  @Override
  public boolean sending(Intent intent, Claim.Granted claim) throws IOException {
    dies(Fault.KILL_BEFORE_MARK, intent);
    fails(intent, 1);
    boolean held = trouble.marksLate || journal.sending(intent, claim);
    if (fired.first(Fault.CLOCK_JUMP, operation(intent))) {
      trouble.clock.jump();
    }
    dies(Fault.KILL_BEFORE_FIRST_BYTE, intent);
    if (fired.first(Fault.FREEZE_BEFORE_FIRST_BYTE, operation(intent))) {
      Jvm.freeze();
    }
    return held;
  }

  @Override
  public boolean ended(Intent intent, Claim.Granted claim, Ending ending) throws IOException {
    dies(Fault.KILL_BEFORE_OUTCOME, intent);
    fails(intent, 2);
    if (trouble.marksLate) {
      journal.sending(intent, claim);
    }
    long began = System.currentTimeMillis();
    boolean noted = journal.ended(intent, claim, ending);
    if (noted) {
      log.noted(intent.id().key(), claim.token(), began);
    }
    return noted;
  }

  private void dies(Fault fault, Intent intent) {
    if (fired.first(fault, operation(intent))) {
      Runtime.getRuntime().halt(KILLED);
    }
  }

  /** Makes the next statement fail, if this is the step for it. */
  private void fails(Intent intent, int step) {
    Op operation = operation(intent);
    if (operation == null || Math.floorMod(operation.intent().hashCode(), 3) != step) {
      return;
    }
    if (fired.first(Fault.JOURNAL_COMMIT_LOST, operation)) {
      trouble.database.arm(FaultySource.Failure.lost(operation));
    } else if (fired.first(Fault.JOURNAL_DEADLOCK, operation)) {
      trouble.database.arm(FaultySource.Failure.DEADLOCK);
    } else if (fired.first(Fault.JOURNAL_DISK_FULL, operation)) {
      trouble.database.arm(FaultySource.Failure.DISK_FULL);
    }
  }

  private Op operation(Intent intent) {
    return operations.get(intent.id().key());
  }
}
