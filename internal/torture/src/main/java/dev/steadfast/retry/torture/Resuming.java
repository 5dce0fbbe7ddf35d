package dev.steadfast.retry.torture;

import dev.steadfast.retry.http.Journaling;
import dev.steadfast.retry.journal.JdbcJournal;
import dev.steadfast.retry.operations.OperationJournal;
import dev.steadfast.retry.operations.OperationJournal.Intent;
import java.io.IOException;
import java.util.concurrent.TimeUnit;

/** Resumes operations that are due, whichever client began them. Safe for use by many threads. */
final class Resuming implements Runnable {
  private static final int MOST = 50;
  private static final long PAUSE_MILLIS = 300;

  private final JdbcJournal journal;
  private final FaultyJournal faulty;
  private final PaymentClient client;

  /**
   * A resumer.
   *
   * @param journal finds the operations
   * @param faulty causes the faults in the steps of each operation
   */
  Resuming(JdbcJournal journal, FaultyJournal faulty, PaymentClient client) {
    this.journal = journal;
    this.faulty = faulty;
    this.client = client;
  }

  @Override
  public void run() {
    try {
      while (true) {
        round();
        TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void round() throws InterruptedException {
    try {
      journal.resume(this::send, JdbcJournal.Which.DUE_AND_UNSETTLED, MOST);
    } catch (IOException down) {
      // the next round may reach it
    }
  }

  private void send(Journaling.Journal resumed, Journaling.Kept due)
      throws IOException, InterruptedException {
    client
        .sender(OperationKind.ofOperation(Intent.of(due).id().name()))
        .send(faulty.over((OperationJournal) resumed), due);
  }
}
