package dev.steadfast.retry.journal;

import dev.steadfast.retry.operations.OperationJournal;
import dev.steadfast.retry.operations.OperationJournal.State;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A person's view of a journal, and decisions about its operations. Only {@link #exchange} shows a
 * body or a query. Statements run on the executor of the journal, and the calling thread waits.
 * Safe for use by many threads.
 */
public final class Oversight {
  private final Parts parts;
  private final OversightRows rows;
  private final boolean dry;

  Oversight(Parts parts, boolean dry) {
    this.parts = parts;
    this.rows = parts.oversightRows();
    this.dry = dry;
  }

  /**
   * A view without effects: {@link #park}, {@link #resume} and {@link #cancel} tell what they would
   * answer now, and change nothing.
   *
   * @return a view of the same journal
   */
  public Oversight dryRun() {
    return new Oversight(parts, true);
  }

  /**
   * An operation as the journal knows it. Times are the database's.
   *
   * @param number its number in the table
   * @param id its name
   * @param state its state
   * @param target method, origin and path
   * @param times its times
   * @param deliveries how many deliveries count against the bound
   * @param attempts how many attempts were made
   * @param sequence the sequence that it belongs to; null for none
   * @param status the status of its last answer; null for none
   */
  public record Entry(
      long number,
      OperationJournal.Id id,
      State state,
      String target,
      Times times,
      int deliveries,
      int attempts,
      @Nullable String sequence,
      @Nullable Integer status) {
    /**
     * Returns its place in the list.
     *
     * @return the place after which the next page begins
     */
    public Position position() {
      return new Position(times.since(), number);
    }
  }

  /**
   * A place in a list.
   *
   * @param since the time by which the list is ordered
   * @param number the number of the operation there
   */
  public record Position(Instant since, long number) {
    private static final char SEPARATOR = '_';

    /**
     * Reads what {@link #toString} wrote.
     *
     * @param text such as {@code 2026-11-26T08:00:00.123456Z_42}
     * @return the position
     * @throws IllegalArgumentException if it is no position
     */
    public static Position valueOf(String text) {
      int end = text.indexOf(SEPARATOR);
      try {
        return new Position(
            Instant.parse(text.substring(0, Math.max(end, 0))),
            Long.parseLong(text.substring(end + 1)));
      } catch (DateTimeException | NumberFormatException unreadable) {
        throw new IllegalArgumentException(
            "position: "
                + text
                + " (expected: a time and a number, such as 2026-01-31T08:00:00Z_7)",
            unreadable);
      }
    }

    /** The time, an underscore and the number. */
    @Override
    public String toString() {
      return since + "" + SEPARATOR + number;
    }
  }

  /**
   * A request and its answer as the journal keeps them. These are the users' data.
   *
   * @param request the request, with its query and its body
   * @param answer the last answer; null for none, or if it is not kept
   */
  public record Exchange(
      OperationJournal.Request request, OperationJournal.@Nullable Answer answer) {}

  /**
   * The work that is left in the whole journal. Each number stops at 10,000.
   *
   * @param due how many operations are due, and first ones of sequences that are to be looked at
   * @param dueFor how long ago the oldest operation that is still delivered was begun, or resumed
   *     by a person; zero if there is none. It looks at the first 1,000 of each kind
   * @param unknown how many operations are unknown
   * @param parked how many operations are parked
   * @param leftFor for how long an operation has been left in flight by an owner that is dead; zero
   *     if there is none
   */
  public record Totals(long due, Duration dueFor, long unknown, long parked, Duration leftFor) {}

  /**
   * The times of an operation.
   *
   * @param since orders lists: the time since which it is overdue, parked or unknown; its creation
   *     if it was found by name
   * @param createdAt when it was begun
   * @param firstSentAt when it may first have been sent; null if it was not
   * @param keyExpiresAt the time after which it is not sent again; null if it was not sent, or
   *     cannot be sent again
   * @param dueAt when it is to be sent; null for not by itself
   */
  public record Times(
      Instant since,
      Instant createdAt,
      @Nullable Instant firstSentAt,
      @Nullable Instant keyExpiresAt,
      @Nullable Instant dueAt) {}

  /** The result of a decision. A later version may add values, so a switch needs a default. */
  public enum Decision {
    /** It is done. */
    DONE,
    /** There is no such operation. */
    NOT_FOUND,
    /** Somebody works on it: wait for the end of the lease. */
    IN_FLIGHT,
    /** It is over, or it is in that state already. */
    NOTHING_TO_DO,
    /** It may have been sent, so it cannot be cancelled: settle it. */
    MAY_HAVE_ACTED,
    /** It may have been sent, and cannot safely be sent again: settle it. */
    KEY_EXPIRED,
    /** Its body is not kept, so only its caller can send it. */
    BODY_NOT_KEPT,
    /** Later operations of its sequence may have passed it: only force resumes it. */
    PASSED
  }

  /**
   * Finds an operation.
   *
   * @param id its name
   * @return what the journal knows of it; empty if there is none
   * @throws IOException if the journal cannot be read
   */
  public Optional<Entry> find(OperationJournal.Id id) throws IOException {
    return Optional.ofNullable(parts.run(connection -> rows.find(connection, id)));
  }

  /**
   * Finds an operation without a principal.
   *
   * @param name the name of the operation, without its key
   * @param key the business key
   * @return what the journal knows of it; empty if there is none
   * @throws IOException if the journal cannot be read
   * @throws IllegalArgumentException if a part is out of its range
   */
  public Optional<Entry> find(String name, String key) throws IOException {
    return find(new OperationJournal.Id(name, "", key));
  }

  /**
   * Returns the request of an operation and its answer as the journal keeps them, with bodies.
   *
   * @param id its name
   * @return request and answer; empty if there is no such operation
   * @throws IOException if the journal or this operation cannot be read
   */
  public Optional<Exchange> exchange(OperationJournal.Id id) throws IOException {
    return Optional.ofNullable(parts.run(connection -> rows.exchange(connection, id)));
  }

  /**
   * Counts what is left to do, for a person or for meters. It reads indexes of unfinished
   * operations alone.
   *
   * @return the numbers of this moment
   * @throws IOException if the journal cannot be read
   */
  public Totals totals() throws IOException {
    return parts.run(parts.totals()::read);
  }

  /**
   * Operations that are due and that nobody has sent, those that a dead owner has left in flight,
   * and the first ones of sequences that are to be looked at, the longest wait first.
   *
   * @param since the least time that they are overdue, zero or more
   * @param most how many at most, 1 to 1,000
   * @param after where the page before ended; null for the first page
   * @return a page
   * @throws IOException if the journal cannot be read
   * @throws IllegalArgumentException if an argument is out of its range
   */
  public List<Entry> overdue(Duration since, int most, @Nullable Position after)
      throws IOException {
    requireNotNegative("since", since);
    requirePage(most);
    return parts.run(connection -> rows.overdue(connection, since, most, after));
  }

  /**
   * Parked operations, the longest parked first.
   *
   * @param most how many at most, 1 to 1,000
   * @param after where the page before ended; null for the first page
   * @return a page
   * @throws IOException if the journal cannot be read
   * @throws IllegalArgumentException if the number is out of its range
   */
  public List<Entry> parked(int most, @Nullable Position after) throws IOException {
    requirePage(most);
    return parts.run(connection -> rows.parked(connection, most, after));
  }

  /**
   * Operations that are marked as unknown, the longest marked first. Only their server knows what
   * became of them.
   *
   * @param most how many at most, 1 to 1,000
   * @param after where the page before ended; null for the first page
   * @return a page
   * @throws IOException if the journal cannot be read
   * @throws IllegalArgumentException if the number is out of its range
   */
  public List<Entry> unknown(int most, @Nullable Position after) throws IOException {
    requirePage(most);
    return parts.run(connection -> rows.unknown(connection, most, after));
  }

  /**
   * Parks an operation: it is not sent before a person resumes it.
   *
   * @param id its name
   * @return the result of the decision
   * @throws IOException if the journal cannot be written
   */
  public Decision park(OperationJournal.Id id) throws IOException {
    return decide(id, DecisionRows.Verb.PARK);
  }

  /**
   * Has an operation delivered, with its bounds begun anew: one that is parked, one whose caller
   * was told that its effect is unknown, or one that waits for its next delivery. Only while it can
   * safely be sent again.
   *
   * @param id its name
   * @param force also if later operations of its sequence may have passed it
   * @return the result of the decision
   * @throws IOException if the journal cannot be written
   */
  public Decision resume(OperationJournal.Id id, boolean force) throws IOException {
    return decide(id, force ? DecisionRows.Verb.FORCE : DecisionRows.Verb.RESUME);
  }

  /**
   * Cancels an operation that was never sent. This is final: the same call is refused as long as
   * the journal keeps the row.
   *
   * @param id its name
   * @return the result of the decision
   * @throws IOException if the journal cannot be written
   */
  public Decision cancel(OperationJournal.Id id) throws IOException {
    return decide(id, DecisionRows.Verb.CANCEL);
  }

  /**
   * Whether {@link JdbcJournal#settle} would settle an operation now.
   *
   * @param id its name
   * @return true if its effect is unknown, if it is parked, or if its row cannot be read, and
   *     nobody works on it
   * @throws IOException if the journal cannot be read
   */
  public boolean isSettleable(OperationJournal.Id id) throws IOException {
    return parts.run(connection -> parts.backlog().isSettleable(connection, id));
  }

  /**
   * Counts what {@link JdbcJournal#purge} would delete now.
   *
   * @param olderThan how long ago, zero or more
   * @return how many operations; the number stops at 10,000
   * @throws IOException if the journal cannot be read
   * @throws IllegalArgumentException if the time is negative
   */
  public int purgeable(Duration olderThan) throws IOException {
    requireNotNegative("olderThan", olderThan);
    return parts.run(connection -> parts.backlog().purgeable(connection, olderThan));
  }

  private Decision decide(OperationJournal.Id id, DecisionRows.Verb verb) throws IOException {
    return parts.run(connection -> {
      if (dry) {
        return parts.decisionRows().look(connection, id, verb);
      }
      Decision decision = parts.decisionRows().decide(connection, id, verb);
      if (decision == Decision.DONE) {
        parts.sequences().look(connection, id);
      }
      return decision;
    });
  }

  private static void requireNotNegative(String name, Duration time) {
    if (time.isNegative()) {
      throw new IllegalArgumentException(name + ": " + time + " (expected: zero or more)");
    }
  }

  private static void requirePage(int most) {
    if (most < 1 || most > 1_000) {
      throw new IllegalArgumentException("most: " + most + " (expected: 1 to 1,000)");
    }
  }
}
