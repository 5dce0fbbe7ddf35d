package dev.steadfast.retry.journal;

import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.http.Journaling.Sender;
import dev.steadfast.retry.operations.OperationJournal.Intent;
import dev.steadfast.retry.operations.OperationJournal.Refusal;
import dev.steadfast.retry.operations.OperationJournal.RefusedException;
import java.io.IOException;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sends operations that were found due. Immutable. */
record Resuming(JdbcJournal in, Claims claims, OriginGate gate, OncePerMinute failures) {
  private static final Logger LOG = LoggerFactory.getLogger("dev.steadfast.retry.journal");

  /** The outcome of an operation. */
  enum Outcome {
    /** Nothing is left to be sent. */
    FINISHED,
    /** It was sent, and the journal knows whether it is sent again. */
    SENT,
    /** It was not sent: it is not due any more, or cannot be sent. */
    REFUSED,
    /** It was not sent, because the client threw: that counts as a delivery. */
    BROKEN,
    /** It was not tried: its destination is to be left alone for now. */
    HELD
  }

  /**
   * An operation as it was just read.
   *
   * @param row the columns that decide what is done with it
   * @param woken whether a thread of an engine has read it: all statements then run on that thread,
   *     which is in no transaction
   * @param inSequence whether the operations of its sequence are sent one after another now
   */
  record Read(Row row, boolean woken, boolean inSequence) {
    static Read due(Row row) {
      return new Read(row, false, false);
    }

    static Read inSequence(Row row) {
      return new Read(row, false, true);
    }

    static Read woken(Row row, WakeupName name) {
      return new Read(row, true, name.sequence() != null);
    }
  }

  /**
   * The outcome of an operation.
   *
   * @param claimed whether its row has been changed by a claim
   * @param held for how long it is held back; zero if it is not
   */
  record Sent(Outcome outcome, boolean claimed, Duration held) {}

  /**
   * Sends an operation, and has the journal note what came of it.
   *
   * @throws IOException if the journal cannot be read or written
   * @throws InterruptedException if the thread was interrupted
   */
  Sent send(Sender sender, Intent due, Read read) throws IOException, InterruptedException {
    DueRows.OriginGroup lane = read.row().delivery().lane();
    Duration held = gate.begin(lane);
    if (held != null) {
      return new Sent(Outcome.HELD, false, held);
    }
    Resumed journal = new Resumed(in, claims, read);
    try {
      return new Sent(outcome(sender, due, journal), journal.isClaimed(), Duration.ZERO);
    } finally {
      gate.ended(lane, journal.result(), journal.asked());
    }
  }

  private Outcome outcome(Sender sender, Intent due, Resumed journal)
      throws IOException, InterruptedException {
    try {
      sender.send(journal, due);
      return journal.outcome();
    } catch (RefusedException refused) {
      if (refused.refusal() == Refusal.UNREACHABLE) {
        throw refused;
      }
      if (!journal.isAsked()) {
        return broken(due, refused); // the refusal is the client's, and may come each time
      }
      LOG.debug("{} was not sent: {}", due.id(), refused.refusal());
      return Outcome.REFUSED;
    } catch (IOException failed) {
      if (isOfTheJournal(failed)) {
        throw failed;
      }
      tell(due, journal, failed);
      return journal.outcome();
    } catch (InterruptedException interrupted) {
      throw interrupted;
    } catch (Throwable broken) { // an Error would stop all other operations, too
      if (journal.isClaimed() && !journal.isUnsent()) {
        LOG.error("{} was sent, and its client threw", due.id(), broken);
        return journal.outcome();
      }
      return broken(due, broken);
    }
  }

  private static Outcome broken(Intent due, Throwable thrown) {
    LOG.error("{} cannot be sent: its client threw, and nothing was sent", due.id(), thrown);
    return Outcome.BROKEN;
  }

  // An outage is logged once in a minute, and not once for each operation.
  private void tell(Intent due, Resumed journal, IOException failed) {
    String what = journal.isUnsent() ? "not sent" : "sent and failed";
    String origin = due.request().origin();
    int happened = failures.happened(origin, 1);
    if (happened == 0) {
      LOG.debug("{} was {}", due.id(), what, failed);
    } else {
      LOG.warn(
          "{} to {} was {}; {} more since the last line",
          due.id(),
          origin,
          what,
          happened - 1,
          failed);
    }
  }

  // Nothing was sent, and the refusal of an attempt by a guard would have been noted.
  private static boolean isOfTheJournal(IOException failed) {
    return RetryReport.of(failed)
        .filter(report -> report.attempts() == 0)
        .flatMap(RetryReport::saved)
        .filter(saved -> !saved.recorded())
        .isPresent();
  }
}
