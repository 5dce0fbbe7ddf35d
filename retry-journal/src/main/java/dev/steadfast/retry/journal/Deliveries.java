package dev.steadfast.retry.journal;

import dev.steadfast.retry.operations.OperationJournal;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * How long an operation is delivered before a person has to look at it: then it is <em>parked</em>.
 * Immutable.
 *
 * <pre>{@code
 * JdbcJournal journal =
 *     JdbcJournal.builder(dataSource)
 *         .deliveries(Deliveries.defaults().withMost(20).withMostAge(Duration.ofDays(2)))
 *         .build();
 * }</pre>
 */
public final class Deliveries {
  private static final Duration LONGEST = Duration.ofDays(3_650);
  private static final Deliveries DEFAULTS =
      new Deliveries(new Bounds(100, Duration.ofDays(7), null), false, parked -> {});

  private final Bounds bounds;
  private final boolean passing;
  private final Consumer<OperationJournal.Id> listener;

  /**
   * The bounds.
   *
   * @param most how many deliveries
   * @param mostAge in which time
   * @param firstSend the latest time of the first one; null for any time
   */
  private record Bounds(int most, Duration mostAge, @Nullable Duration firstSend) {}

  private Deliveries(Bounds bounds, boolean passing, Consumer<OperationJournal.Id> listener) {
    this.bounds = bounds;
    this.passing = passing;
    this.listener = listener;
  }

  private Deliveries with(Bounds other) {
    return new Deliveries(other, passing, listener);
  }

  /**
   * The defaults are at most 100 deliveries within 7 days, and a parked operation holds the later
   * ones of its sequence. A hundred deliveries with the usual waits take some 8 hours.
   *
   * @return the defaults
   */
  public static Deliveries defaults() {
    return DEFAULTS;
  }

  /**
   * Bounds the number of deliveries. Those that were held back do not count: by a guard or a budget
   * of the client, or because the server could not be reached.
   *
   * @param deliveries 1 to 1,000,000
   * @return a changed copy
   * @throws IllegalArgumentException if it is out of its range
   */
  public Deliveries withMost(int deliveries) {
    if (deliveries < 1 || deliveries > 1_000_000) {
      throw bad("most deliveries", deliveries, "1 to 1,000,000");
    }
    return with(new Bounds(deliveries, bounds.mostAge, bounds.firstSend));
  }

  /**
   * Bounds the time in which an operation is delivered. It counts from when the operation was begun
   * or resumed by a person. An operation of which no delivery counts yet is not parked.
   *
   * @param age 1 second to 10 years
   * @return a changed copy
   * @throws IllegalArgumentException if it is out of its range
   */
  public Deliveries withMostAge(Duration age) {
    return with(new Bounds(bounds.most, checked("most age", age), bounds.firstSend));
  }

  private static Duration checked(String name, Duration time) {
    if (time.compareTo(Duration.ofSeconds(1)) < 0 || time.compareTo(LONGEST) > 0) {
      throw bad(name, time, "1 second to 3,650 days");
    }
    return time;
  }

  /**
   * Sets the latest time of the first send. An operation that was not sent by then is never sent:
   * its effect is unknown, and a person settles it after a look-up at the server. Default: it is
   * sent at any time.
   *
   * <p>A database that was restored from a backup, or a copy of production, says of some operations
   * that they were not sent, although they were. With this bound nobody sends those again when they
   * are older. It also stops an operation that could not be sent for that long, such as in an
   * outage, so it should be longer than any of those.
   *
   * @param time counts from when the operation was begun or resumed by a person; 1 second to 10
   *     years
   * @return a changed copy
   * @throws IllegalArgumentException if it is out of its range
   */
  public Deliveries withLatestFirstSend(Duration time) {
    return with(new Bounds(bounds.most, bounds.mostAge, checked("latest first send", time)));
  }

  /**
   * Lets a parked operation be passed by the later ones of its sequence. Use it only if their order
   * does not matter any more when one has failed for so long.
   *
   * @return a changed copy
   */
  public Deliveries passingParked() {
    return new Deliveries(bounds, true, listener);
  }

  /**
   * Sets a listener that is told of each operation that these bounds park, once and by one process.
   * A warning is logged in any case. Default: no listener.
   *
   * @param listener gets the id of the operation, on the thread that delivers and before the next
   *     delivery, so it should not block; what it throws is logged
   * @return a changed copy
   */
  public Deliveries telling(Consumer<OperationJournal.Id> listener) {
    return new Deliveries(bounds, passing, Objects.requireNonNull(listener, "listener"));
  }

  boolean isPassing() {
    return passing;
  }

  Consumer<OperationJournal.Id> listener() {
    return listener;
  }

  /** The states in which an operation holds the later ones of its sequence. */
  String holding() {
    String always = "'ready', 'in_flight', 'unknown'";
    return passing ? always : always + ", 'parked'";
  }

  /** Whether an operation was delivered too often or for too long. */
  boolean exceededBy(Row row) {
    int made = row.delivery().made();
    return made >= bounds.most || (made > 0 && row.delivery().age().compareTo(bounds.mostAge) > 0);
  }

  /** The condition that an operation which was not sent is too late to be sent. */
  String late(Dialect dialect) {
    Duration firstSend = bounds.firstSend;
    return firstSend == null
        ? "false"
        : "first_sent_at is null and greatest(created_at, delivering_since) < "
            + dialect.afterMillis("-" + firstSend.toMillis());
  }

  private static IllegalArgumentException bad(String name, Object value, String expected) {
    return new IllegalArgumentException(name + ": " + value + " (expected: " + expected + ")");
  }

  /** The bounds. */
  @Override
  public String toString() {
    Duration firstSend = bounds.firstSend;
    return "Deliveries(most "
        + bounds.most
        + ", age "
        + bounds.mostAge
        + (firstSend == null ? "" : ", first send within " + firstSend)
        + (passing ? ", passing" : "")
        + ")";
  }
}
