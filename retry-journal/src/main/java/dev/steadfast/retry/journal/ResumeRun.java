package dev.steadfast.retry.journal;

import dev.steadfast.retry.http.Journaling.Sender;
import dev.steadfast.retry.operations.OperationJournal.State;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Sends operations that are due, each once. Every origin and every sequence has its turn in each
 * round, so that none waits for all of another. One thread uses it.
 */
final class ResumeRun {
  private static final int PAGE = 20; // each may have a body of 16 MiB
  private static final int MOST_REFUSED = 1_000; // the next run sends the others
  private static final Duration BODILESS = Duration.ofHours(1); // only its caller can send it

  private final Parts parts;
  private final Resuming resuming;
  private final Sender sender;
  private final boolean unsettled;
  private final int most;
  private final OffsetDateTime at;
  private final Set<Long> seen = new HashSet<>();
  private DueRows.@Nullable Position told = DueRows.Position.start();
  private int sent;
  private int unreadable;

  /**
   * The operations that a run sends.
   *
   * @param at the time at which they were due, by the clock of the database
   * @param unsettled also those whose caller was told that their effect is unknown
   * @param most how many at most
   */
  record Wanted(OffsetDateTime at, boolean unsettled, int most) {}

  ResumeRun(Parts parts, Resuming resuming, Sender sender, Wanted wanted) {
    this.parts = parts;
    this.resuming = resuming;
    this.sender = sender;
    this.unsettled = wanted.unsettled();
    this.most = wanted.most();
    this.at = wanted.at();
  }

  /** Sends; returns how many were sent. */
  int run() throws IOException, InterruptedException {
    int before;
    do {
      before = seen.size() + sent + unreadable;
      origins();
      sequences();
      page(wanted -> ask(connection -> parts.due().left(connection, at, wanted)));
      if (unsettled) {
        told();
      }
    } while (seen.size() + sent + unreadable > before && isOpen());
    return sent;
  }

  private boolean isOpen() {
    return sent < most && seen.size() - sent + unreadable < MOST_REFUSED;
  }

  private <T extends @Nullable Object> T ask(Connections.Statements<T> statements)
      throws IOException, InterruptedException {
    return parts.worker().awaitInterruptibly(() -> parts.connections().run(statements));
  }

  /** Finds some operations. */
  private interface Finding {
    DueRows.Page find(int most) throws IOException, InterruptedException;
  }

  private void origins() throws IOException, InterruptedException {
    for (String origin : ask(connection -> parts.due().origins(connection, at))) {
      lane(new DueRows.OriginGroup(origin, false));
      lane(new DueRows.OriginGroup(origin, true));
    }
  }

  private void lane(DueRows.OriginGroup lane) throws IOException, InterruptedException {
    if (parts.gate().held(lane) != null) {
      return;
    }
    page(wanted -> ask(connection -> parts.due().ofOrigin(connection, lane, at, wanted)));
  }

  private DueRows.@Nullable Page page(Finding finding) throws IOException, InterruptedException {
    if (!isOpen()) {
      return null;
    }
    DueRows.Page page = finding.find(Math.min(PAGE, most - sent));
    unreadable += page.unreadable();
    List<Row.Version> untouched = new ArrayList<>();
    page.found().forEach(each -> untouched.add(each.row().version()));
    try {
      for (DueRows.Due each : page.found()) {
        if (isOpen() && deliver(each)) {
          untouched.remove(each.row().version());
        }
      }
    } finally {
      release(untouched);
    }
    return page;
  }

  // Operations that could not be sent are left to others at once, and not after a minute.
  private void release(List<Row.Version> untouched) throws IOException {
    if (!untouched.isEmpty()) {
      parts.run(connection -> {
        parts.due().release(connection, untouched);
        return null;
      });
    }
  }

  // Returns whether the row has changed.
  private boolean deliver(DueRows.Due due) throws IOException, InterruptedException {
    Row row = due.row();
    if (!seen.add(row.version().id())) {
      return false;
    }
    if (row.step() == Row.Step.MARK_UNKNOWN) {
      return change(connection -> parts.claims().markUnknown(connection, row, due.intent().id()));
    }
    if (parts.parking().isOver(row)) {
      return change(connection -> parts.parking().park(connection, row, due.intent().id()));
    }
    if (due.intent().request().content().body().isEmpty()) {
      return postpone(row, BODILESS);
    }
    Resuming.Sent result = resuming.send(sender, due.intent(), Resuming.Read.due(row));
    return switch (result.outcome()) {
      case HELD -> held(row, result.held());
      case REFUSED -> postpone(row, NextStep.BLOCKED);
      case BROKEN -> change(connection -> parts.due().broken(connection, row.version()));
      case SENT, FINISHED -> {
        sent++;
        yield result.claimed();
      }
    };
  }

  // An operation that is ready keeps its place while its destination is left alone.
  private boolean held(Row row, Duration wait) throws IOException, InterruptedException {
    seen.remove(row.version().id());
    return row.state() == State.IN_FLIGHT && postpone(row, wait);
  }

  private boolean postpone(Row row, Duration time) throws IOException, InterruptedException {
    return change(connection -> parts.due().postpone(connection, row.version(), time));
  }

  /** Statements without a result. */
  private interface Change {
    void run(Connection connection) throws SQLException;
  }

  private boolean change(Change change) throws IOException, InterruptedException {
    ask(connection -> {
      change.run(connection);
      return null;
    });
    return true;
  }

  private void told() throws IOException, InterruptedException {
    DueRows.Position after = told;
    if (after == null || !isOpen()) {
      return;
    }
    DueRows.Page page =
        ask(connection -> parts.due().told(connection, after, Math.min(PAGE, most - sent)));
    told = page.end();
    unreadable += page.unreadable();
    for (DueRows.Due each : page.found()) {
      if (isOpen()) {
        toldOne(each);
      }
    }
  }

  private void toldOne(DueRows.Due due) throws IOException, InterruptedException {
    if (!seen.add(due.row().version().id())) {
      return;
    }
    Resuming.Outcome outcome =
        resuming.send(sender, due.intent(), Resuming.Read.due(due.row())).outcome();
    if (outcome == Resuming.Outcome.SENT || outcome == Resuming.Outcome.FINISHED) {
      sent++;
    }
  }

  private void sequences() throws IOException, InterruptedException {
    if (!isOpen()) {
      return;
    }
    int wanted = Math.min(PAGE, most - sent);
    List<String> waiting =
        new ArrayList<>(ask(connection -> parts.sequences().reserve(connection, at, wanted)));
    try {
      while (!waiting.isEmpty() && isOpen()) {
        first(waiting);
      }
    } finally {
      for (String each : waiting) {
        lookIn(each, Duration.ZERO);
      }
    }
  }

  // If the statements on this sequence fail, it stays reserved for a minute, and the other
  // sequences have their turn.
  private void first(List<String> waiting) throws IOException, InterruptedException {
    String sequence = waiting.remove(0);
    try {
      lookIn(sequence, sequence(sequence));
    } catch (InterruptedException ending) {
      waiting.add(sequence);
      throw ending;
    }
  }

  // The time is null if nothing is left in the sequence.
  private void lookIn(String sequence, @Nullable Duration time) throws IOException {
    if (time != null) {
      Duration soon = time.compareTo(NextStep.BLOCKED) < 0 ? time : NextStep.BLOCKED;
      parts.run(connection -> {
        parts.sequences().lookIn(connection, sequence, soon);
        return null;
      });
    }
  }

  // Sends some of a sequence, before others have their turn.
  private @Nullable Duration sequence(String name) throws IOException, InterruptedException {
    WakeupName wakeup = new WakeupName(0, name);
    for (int i = 0; i < PAGE && isOpen(); i++) {
      NextStep.Next next = parts.worker().awaitInterruptibly(() -> parts.next().of(wakeup));
      WakeupRows.Found due = next.due();
      if (due == null) {
        return next.again().orElse(null);
      }
      if (!seen.add(due.row().version().id())) {
        return NextStep.BLOCKED;
      }
      Resuming.Sent result =
          resuming.send(sender, due.intent(), Resuming.Read.inSequence(due.row()));
      if (result.outcome() == Resuming.Outcome.BROKEN) {
        change(connection -> parts.due().broken(connection, due.row().version()));
        return NextStep.BLOCKED;
      }
      if (result.outcome() == Resuming.Outcome.REFUSED) {
        return NextStep.BLOCKED;
      }
      if (result.outcome() == Resuming.Outcome.HELD) {
        return result.held();
      }
      sent++;
      if (!result.claimed()) {
        return Duration.ZERO;
      }
    }
    return Duration.ZERO;
  }
}
