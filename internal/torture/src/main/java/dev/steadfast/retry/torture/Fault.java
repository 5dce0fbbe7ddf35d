package dev.steadfast.retry.torture;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** The faults. Most belong to one operation and happen once, when it reaches their point. */
enum Fault {
  // Caused by the proxy between client and server.
  ANSWER_LOST(Where.OPERATION),
  REQUEST_LOST(Where.OPERATION),
  RESET_IN_REQUEST(Where.OPERATION),
  RESET_IN_ANSWER(Where.OPERATION),
  STALLED_REQUEST(Where.OPERATION),
  STALLED_ANSWER(Where.OPERATION),

  // Caused within the server.
  IN_PROGRESS(Where.OPERATION),
  ERROR_AFTER_COMMIT(Where.OPERATION),
  SERVER_KILL_IN_TRANSACTION(Where.OPERATION),
  SERVER_KILL_AFTER_COMMIT(Where.OPERATION),
  LEDGER_COMMIT_LOST(Where.OPERATION),
  LEDGER_DEADLOCK(Where.OPERATION),
  LEDGER_DISK_FULL(Where.OPERATION),

  // Caused within the client.
  KILL_BEFORE_CLAIM(Where.OPERATION),
  KILL_BEFORE_MARK(Where.OPERATION),
  KILL_BEFORE_FIRST_BYTE(Where.OPERATION),
  KILL_ON_THE_WIRE(Where.OPERATION),
  KILL_BEFORE_OUTCOME(Where.OPERATION),
  FREEZE_BEFORE_FIRST_BYTE(Where.OPERATION),
  FREEZE_ON_THE_WIRE(Where.OPERATION),
  CLOCK_JUMP(Where.OPERATION),
  JOURNAL_COMMIT_LOST(Where.OPERATION),
  JOURNAL_DEADLOCK(Where.OPERATION),
  JOURNAL_DISK_FULL(Where.OPERATION),
  CHANGED_REQUEST(Where.OPERATION),

  // For everybody, at a planned time.
  STORM_500(Where.SCHEDULE),
  STORM_503(Where.SCHEDULE),
  PARTITION(Where.SCHEDULE),
  DEPLOYMENT(Where.SCHEDULE),
  JOURNAL_CLOCK(Where.SCHEDULE),
  JOURNAL_RESTART(Where.SCHEDULE),
  JOURNAL_FAIL_OVER(Where.SCHEDULE),
  LEDGER_RESTART(Where.SCHEDULE);

  /** What makes a fault happen. */
  enum Where {
    /** Its operation reaches the point. */
    OPERATION,
    /** Its planned time is reached. */
    SCHEDULE
  }

  private static final double LEAST_PER_MINUTE = 4;
  // Some operations never come to the point of their fault.
  private static final double PLANNED = 1.3;
  private static final double PLANNED_OF_SECOND_CALLS = 2; // most are settled by their first call

  private final Where where;

  Fault(Where where) {
    this.where = where;
  }

  static List<Fault> all(Where where) {
    return Arrays.stream(values()).filter(each -> each.where == where).toList();
  }

  /** Whether it happens with an engine: db-scheduler counts on clocks that agree. */
  boolean meets(Engine engine) {
    return this != JOURNAL_CLOCK || engine == Engine.JOURNAL;
  }

  boolean killsClient() {
    return name().startsWith("KILL_");
  }

  boolean killsServer() {
    return name().startsWith("SERVER_KILL_");
  }

  boolean freezes() {
    return name().startsWith("FREEZE_");
  }

  /** How often each fault must happen at least for a run to count. */
  static int least(double minutes) {
    return (int) Math.floor(LEAST_PER_MINUTE * minutes);
  }

  /** How often the fault is planned. One more than the share: a short run has few to spare. */
  int planned(double minutes) {
    double more = this == CHANGED_REQUEST ? PLANNED_OF_SECOND_CALLS : PLANNED;
    return (int) Math.ceil(LEAST_PER_MINUTE * minutes * more) + 1;
  }

  /** The name as it is printed. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
