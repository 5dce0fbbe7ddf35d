package dev.steadfast.retry.torture;

import static dev.steadfast.retry.torture.Fault.ANSWER_LOST;
import static dev.steadfast.retry.torture.Fault.ERROR_AFTER_COMMIT;
import static dev.steadfast.retry.torture.Fault.FREEZE_ON_THE_WIRE;
import static dev.steadfast.retry.torture.Fault.KILL_BEFORE_OUTCOME;
import static dev.steadfast.retry.torture.Fault.KILL_ON_THE_WIRE;
import static dev.steadfast.retry.torture.Fault.REQUEST_LOST;
import static dev.steadfast.retry.torture.Fault.STORM_503;

import java.util.List;
import java.util.Locale;

/**
 * The parts that can be broken on purpose, to show that the checker finds it. Such a run has only
 * the faults that show it, and more of them.
 */
enum Break {
  /** Nothing; the run has all faults. */
  NONE(Mutation.NONE, Fault.values()),
  /** The proxy removes the key of each payment, so the server cannot recognise a repeat. */
  NO_KEYS(Mutation.NONE, ANSWER_LOST, ERROR_AFTER_COMMIT),
  /** The proxy gives each attempt a new key. */
  KEY_PER_ATTEMPT(Mutation.NONE, ANSWER_LOST, ERROR_AFTER_COMMIT),
  /** The client writes the note that it is about to send only after it has sent. */
  LATE_FIRST_SENT(Mutation.NONE, KILL_ON_THE_WIRE),
  /** The journal is in memory and dies with its client. */
  NO_JOURNAL(Mutation.NONE, KILL_ON_THE_WIRE, KILL_BEFORE_OUTCOME),
  /** An operation with another amount is enlisted. */
  OTHER_AMOUNT(Mutation.NONE),
  /** An operation that is there is sent without being claimed. */
  CLAIM_NOTHING(Mutation.skips("set state = 'in_flight'")),
  /** The note that a request is about to be sent is not written. */
  MARK_NOTHING(
      Mutation.skips("first_sent_at = coalesce\\("), KILL_ON_THE_WIRE, KILL_BEFORE_OUTCOME),
  /** A client that has lost its claim notes the outcome all the same. */
  TOKEN_IGNORED(
      Mutation.replaces(
          "and lease_token = \\? and state = 'in_flight'", "and (lease_token = ? or true)"),
      FREEZE_ON_THE_WIRE),
  /** Operations of a sequence do not wait for earlier ones. */
  ORDER_IGNORED(
      Mutation.replaces("earlier.state in \\([^)]*\\)", "earlier.state in ('none')")
          .and("order by sequence_number limit", "order by sequence_number desc limit"),
      REQUEST_LOST,
      STORM_503),
  /** A request is sent again after the server may have forgotten its key. */
  WINDOW_TOO_LONG(
      Mutation.replaces("\\+ key_window_ms \\*", "+ 1000 * key_window_ms *"),
      KILL_ON_THE_WIRE,
      KILL_BEFORE_OUTCOME);

  /** How many times as often the faults of a broken run are planned. */
  static final int MORE = 3;

  @SuppressWarnings("ImmutableEnumChecker") // patterns and lists that nobody changes
  private final Mutation mutation;

  @SuppressWarnings("ImmutableEnumChecker")
  private final List<Fault> faults;

  Break(Mutation mutation, Fault... faults) {
    this.mutation = mutation;
    this.faults = List.of(faults);
  }

  /** How it changes the statements of the journal. */
  Mutation mutation() {
    return mutation;
  }

  /** How often a fault is planned. A freeze takes seconds, and meets all that is in flight. */
  int planned(Fault fault, double minutes) {
    if (!faults.contains(fault)) {
      return 0;
    }
    boolean alike = this == NONE || fault.freezes();
    return alike ? fault.planned(minutes) : MORE * fault.planned(minutes);
  }

  static Break of(String name) {
    return name.isEmpty() ? NONE : valueOf(name.toUpperCase(Locale.ROOT).replace('-', '_'));
  }
}
