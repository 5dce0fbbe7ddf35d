package dev.steadfast.retry.torture;

import dev.steadfast.retry.http.OperationJournal;
import dev.steadfast.retry.http.OperationJournal.Intent;
import dev.steadfast.retry.journal.JdbcJournal;
import java.io.IOException;
import java.util.concurrent.TimeUnit;

/** Sends what is due, whoever began it. Confined to its thread. */
final class Resuming implements Runnable {
  private static final int MOST = 50;
  private static final long PAUSE_MILLIS = 300;

  private final JdbcJournal journal;
  private final MortalJournal mortal;
  private final PaymentClient client;

  /**
   * A resumer.
   *
   * @param journal has the operations
   * @param mortal the same, for each step of them
   */
  Resuming(JdbcJournal journal, MortalJournal mortal, PaymentClient client) {
    this.journal = journal;
    this.mortal = mortal;
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

  private void send(OperationJournal resumed, Intent due) throws IOException, InterruptedException {
    client.sender(Mix.ofOperation(due.id().name())).send(mortal, due);
  }
}
