package dev.steadfast.retry.journal;

import dev.steadfast.retry.operations.OperationJournal;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;

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
      new Deliveries(100, Duration.ofDays(7), false, parked -> {});

  private final int most;
  private final Duration mostAge;
  private final boolean passing;
  private final Consumer<OperationJournal.Id> listener;

  private Deliveries(
      int most, Duration mostAge, boolean passing, Consumer<OperationJournal.Id> listener) {
    this.most = most;
    this.mostAge = mostAge;
    this.passing = passing;
    this.listener = listener;
  }

  /**
   * They are at most 100 deliveries within 7 days, and a parked operation holds the later ones of
   * its sequence. A hundred deliveries with the usual waits take some 8 hours.
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
    return new Deliveries(deliveries, mostAge, passing, listener);
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
    if (age.compareTo(Duration.ofSeconds(1)) < 0 || age.compareTo(LONGEST) > 0) {
      throw bad("most age", age, "1 second to 3,650 days");
    }
    return new Deliveries(most, age, passing, listener);
  }

  /**
   * Lets a parked operation be passed by the later ones of its sequence. Use it only if their order
   * does not matter any more when one has failed for so long.
   *
   * @return a changed copy
   */
  public Deliveries passingParked() {
    return new Deliveries(most, mostAge, true, listener);
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
    return new Deliveries(most, mostAge, passing, Objects.requireNonNull(listener, "listener"));
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
    return made >= most || (made > 0 && row.delivery().age().compareTo(mostAge) > 0);
  }

  private static IllegalArgumentException bad(String name, Object value, String expected) {
    return new IllegalArgumentException(name + ": " + value + " (expected: " + expected + ")");
  }

  /** The bounds. */
  @Override
  public String toString() {
    return "Deliveries(most " + most + ", age " + mostAge + (passing ? ", passing" : "") + ")";
  }
}
