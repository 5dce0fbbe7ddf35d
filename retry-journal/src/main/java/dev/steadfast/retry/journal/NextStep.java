package dev.steadfast.retry.journal;

import dev.steadfast.retry.operations.OperationJournal.State;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Decides what comes next for an operation, or for the first one of a sequence. Immutable. */
record NextStep(
    Connections connections, Claims claims, WakeupRows rows, Sequences sequences, Parking parking) {
  private static final Logger LOG = LoggerFactory.getLogger("dev.steadfast.retry.journal");

  // Somebody may finish long before the end of a lease.
  private static final Duration POLL = Duration.ofSeconds(5);

  // Only the user can do something about these.
  private static final Set<State> HELD = Set.of(State.READY, State.UNKNOWN, State.PARKED);

  /** The wait before another look at an operation that only the user can move on. */
  static final Duration BLOCKED = Duration.ofMinutes(1);

  /**
   * The next step.
   *
   * @param due the operation to be sent now; null for none
   * @param again when to look again; empty for never
   */
  record Next(WakeupRows.@Nullable Found due, Optional<Duration> again) {
    static final Next NEVER = new Next(null, Optional.empty());

    static Next in(Duration time) {
      return new Next(null, Optional.of(time));
    }

    static Next now(WakeupRows.Found due) {
      return new Next(due, Optional.of(Duration.ZERO));
    }

    boolean isNever() {
      return due == null && again.isEmpty();
    }

    Optional<Duration> orLater() {
      return due == null ? again : Optional.of(BLOCKED);
    }
  }

  Next of(WakeupName name) throws IOException {
    Next next = connections.run(connection -> of(connection, name));
    String sequence = name.sequence();
    return next.isNever() && sequence != null
        ? connections.run(connection -> idle(connection, name, sequence))
        : next;
  }

  // Reads the number first: it tells whether a sequence that is seen to be over still is.
  private Next idle(Connection connection, WakeupName name, String sequence) throws SQLException {
    Long last = sequences.lastNumber(connection, sequence);
    Next next = of(connection, name);
    if (next.isNever() && last != null) {
      sequences.idle(connection, sequence, last);
    }
    return next;
  }

  private Next of(Connection connection, WakeupName name) throws SQLException {
    WakeupRows.Found found;
    try {
      found = rows.find(connection, name);
    } catch (CorruptRowException corrupt) {
      LOG.error("{}; the row is kept", corrupt.getMessage());
      return Next.in(BLOCKED);
    }
    return found == null ? Next.NEVER : of(connection, name, found);
  }

  private Next of(Connection connection, WakeupName name, WakeupRows.Found found)
      throws SQLException {
    Row row = found.row();
    Duration wait =
        switch (row.state()) {
          case READY -> found.dueIn();
          case IN_FLIGHT -> found.leaseLeft();
          case SUCCEEDED, FAILED, CLOSED, UNKNOWN, PARKED, CANCELLED -> null;
        };
    if (wait == null) {
      return HELD.contains(row.state()) ? stuck(name) : Next.NEVER;
    }
    if (wait.compareTo(Duration.ZERO) > 0) {
      return Next.in(row.state() == State.IN_FLIGHT ? shorter(wait, POLL) : wait);
    }
    if (row.step() == Row.Step.MARK_UNKNOWN) {
      claims.markUnknown(connection, row, found.intent().id());
      return stuck(name);
    }
    if (parking.isOver(row)) {
      parking.park(connection, row, found.intent().id());
      return parked(name);
    }
    return found.intent().request().content().body().isPresent() ? Next.now(found) : stuck(name);
  }

  // If a parked operation may be passed, the next one of its sequence has its turn.
  private Next parked(WakeupName name) {
    return parking.isPassing() && name.sequence() != null ? Next.in(Duration.ZERO) : stuck(name);
  }

  // Nobody sends such an operation by itself. It holds the others of its sequence.
  private static Next stuck(WakeupName name) {
    return name.sequence() == null ? Next.NEVER : Next.in(BLOCKED);
  }

  private static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }
}
