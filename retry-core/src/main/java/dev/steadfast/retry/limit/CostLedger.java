package dev.steadfast.retry.limit;

import dev.steadfast.retry.OperationInfo;
import java.util.Arrays;

/**
 * The account of a quota in which requests differ in their cost, such as one of tokens: it books
 * what this client spends. Not safe for use by several threads.
 *
 * <p>An attempt is booked with its cost when it is sent. The answer to it tells what was left when
 * the server had counted it: from then on only what was sent after it is deducted. Requests may
 * overtake each other, so the smallest remainder counts. That remainder may or may not include
 * earlier requests without an answer: they are deducted too, unless this client's own bookings show
 * that more is left.
 */
final class CostLedger {
  private static final int LEAST_SAMPLES = 5;
  private static final int MOST_SAMPLES = 64;
  private static final int USUAL_PERCENT = 95;
  private static final int REMEMBERED = 256; // attempts
  private static final int AGAIN = 32;
  private static final long LEAST_AGAIN = 5_000_000;
  private static final long MOST_AGAIN = 500_000_000;
  private static final long OVERTAKING_NANOS = 20_000_000;
  private static final long NOT_TOLD = -1;
  private static final long NEVER_TOLD = -2;

  private final long[] sentBy = new long[REMEMBERED]; // the units sent up to and with an attempt
  private final long[] sentAt = new long[REMEMBERED];
  private final long[] told = new long[REMEMBERED]; // what was left, by the answer to an attempt
  private final long[] samples = new long[MOST_SAMPLES];
  private long sampled;
  private long usual = 1; // most requests cost no more

  private long attempts; // how many were sent
  private long sent; // units since the beginning
  private long sentBefore; // this window
  private long sentLate; // units that the next window may count as well
  private long lateFrom; // the first attempt of those
  private long countedFrom; // the attempt from which on all are counted in this window

  private long first; // the first attempt that was sent in this window
  private long latest = NOT_TOLD; // the latest attempt in this window with an answer
  private long latestSent; // the units sent up to and with it
  private long least; // the smallest remainder that an answer told
  private long overtaken; // the units sent before it without an answer, which may count later

  CostLedger() {
    Arrays.fill(told, NOT_TOLD);
  }

  /** A ledger of another quota, for which the same attempts were sent. */
  CostLedger copy() {
    CostLedger copy = new CostLedger();
    System.arraycopy(told, 0, copy.told, 0, REMEMBERED);
    System.arraycopy(sentBy, 0, copy.sentBy, 0, REMEMBERED);
    System.arraycopy(sentAt, 0, copy.sentAt, 0, REMEMBERED);
    copy.attempts = attempts;
    copy.sent = sent;
    return copy;
  }

  // The cost of a request.

  /** Whether enough answers have shown the cost of a request whose caller did not tell it. */
  boolean knowsCosts() {
    return sampled >= LEAST_SAMPLES;
  }

  /** The cost that is assumed where the caller tells none: most requests seen cost no more. */
  long usual() {
    return usual;
  }

  /** Notes the cost of a request. */
  void sample(long units) {
    samples[(int) (sampled++ % MOST_SAMPLES)] = units;
    int size = (int) Math.min(sampled, MOST_SAMPLES);
    long[] sorted = Arrays.copyOf(samples, size);
    Arrays.sort(sorted);
    usual = Math.max(1, sorted[(size * USUAL_PERCENT + 99) / 100 - 1]);
  }

  /** How many costs were noted. */
  long sampled() {
    return sampled;
  }

  /** The units with which an attempt is booked. */
  long units(OperationInfo operation, long whole) {
    int cost = operation.cost();
    return Math.min(whole, cost > 0 ? cost : usual);
  }

  /** Whether an operation must run alone, because nobody knows yet what it costs. */
  boolean mustLearn(OperationInfo operation) {
    return operation.cost() == 0 && !knowsCosts();
  }

  // The rest of the quota.

  /** Whether enough is left for an operation and those before it. */
  boolean covers(QuotaWindow.TurnRequest asked, int inFlight, long whole) {
    if (mustLearn(asked.operation())) {
      return inFlight == 0 && asked.ahead().turns() == 0 && left(whole) > 0;
    }
    return missing(asked, whole) <= 0;
  }

  /** The units that an operation and those before it lack; zero or less if enough is left. */
  long missing(QuotaWindow.TurnRequest asked, long whole) {
    TurnQueue.Ahead ahead = asked.ahead();
    long unknown = (ahead.turns() - ahead.priced()) * Math.min(whole, usual);
    return ahead.units() + unknown + units(asked.operation(), whole) - left(whole);
  }

  /** When to look again whether attempts have cost less than was booked. */
  static long again(long nowNanos, long windowNanos) {
    return nowNanos + Math.max(LEAST_AGAIN, Math.min(MOST_AGAIN, windowNanos / AGAIN));
  }

  // Spending.

  /**
   * Books an attempt.
   *
   * @param late whether the next window may count it
   */
  void sent(long number, long units, boolean late, long nowNanos) {
    for (long missed = Math.max(attempts, number - REMEMBERED); missed < number; missed++) {
      sentBy[index(missed)] = sent;
      sentAt[index(missed)] = nowNanos;
    }
    attempts = number + 1;
    sent += units;
    lateFrom = sentLate == 0 ? number : lateFrom;
    sentLate += late ? units : 0;
    sentBy[index(number)] = sent;
    sentAt[index(number)] = nowNanos;
    told[index(number)] = NOT_TOLD;
  }

  /** Takes an attempt back that was not sent. */
  void unsent(long number) {
    if (!remembers(number)) {
      return;
    }
    long units = sentBy[index(number)] - sentBy(number - 1);
    for (long later = number; later < attempts; later++) {
      sentBy[index(later)] -= units;
    }
    sent -= units;
    sentLate = Math.max(0, sentLate - units);
    latestSent -= number <= latest ? units : 0;
    attempts -= number == attempts - 1 ? 1 : 0;
  }

  /** Corrects what an attempt was booked with. */
  void settle(long reserved, long used) {
    sample(used);
    sentBefore = Math.min(sent, sentBefore + reserved - used);
  }

  /** The units that are left, as far as this client knows. */
  long left(long whole) {
    long own = whole - (sent - sentBefore);
    if (latest == NOT_TOLD) {
      return own;
    }
    // Overtaken requests are deducted too, unless this client's bookings show that more is left.
    long said = least - (sent - latestSent);
    return Math.min(said, Math.max(own, said - overtaken));
  }

  // Answers.

  /** Learns from an answer what was left of this window when the server had counted an attempt. */
  void answered(long number, long left) {
    if (!remembers(number)) {
      return;
    }
    if (number < first) {
      cameLate(number, left);
      return;
    }
    told[index(number)] = left;
    compare(number);
    compare(number + 1);
    least = latest == NOT_TOLD ? left : Math.min(least, left);
    if (number >= latest) {
      latest = number;
      latestSent = sentBy(number);
    }
    countOvertaken();
  }

  /** A request that was sent before this window has come within it. */
  private void cameLate(long number, long left) {
    if (number < countedFrom && remembers(number - 1)) {
      sentBefore -= sentBy[index(number)] - sentBy(number - 1);
    }
    least = Math.min(least, left);
  }

  /** No answer to an attempt follows that tells what is left. */
  void over(long number) {
    if (remembers(number) && told[index(number)] == NOT_TOLD) {
      told[index(number)] = NEVER_TOLD;
      countOvertaken();
    }
  }

  private void countOvertaken() {
    overtaken = 0;
    for (long each = latest - 1; each >= first && remembers(each); each--) {
      if (told[index(each)] == NOT_TOLD) {
        overtaken += sentBy[index(each)] - sentBy(each - 1);
      }
    }
  }

  // Two attempts in a row tell what the second one has cost.
  private void compare(long number) {
    if (number < 1 || number >= attempts || !remembers(number - 1)) {
      return;
    }
    long before = told[index(number - 1)];
    long after = told[index(number)];
    boolean known = after >= 0 && before > after;
    if (known && isApart(number - 1) && isApart(number) && isApart(number + 1)) {
      sample(before - after);
    }
  }

  /** Whether an attempt was sent so long after the one before that it did not overtake it. */
  private boolean isApart(long number) {
    return number >= attempts
        || !remembers(number - 1)
        || sentAt[index(number)] - sentAt[index(number - 1)] >= OVERTAKING_NANOS;
  }

  /** The first answer that tells of the quota. Attempts sent before it may count later. */
  void beginFirst(long number, long left, long whole) {
    answered(number, left);
    sentBefore = remembers(number) ? 0 : sent - Math.max(0, whole - left);
  }

  /** Begins the window in which the answer to this attempt told what is left. */
  void begin(long number, long left, long whole) {
    restart(number);
    answered(number, left);
    long known = remembers(number) ? sentBy(number) : sent;
    sentBefore = known - Math.max(0, whole - left);
  }

  /** Begins with a window of which nothing is known but how much it has. */
  void nextWindow(long whole) {
    boolean none = sentLate == 0 && attempts > 0;
    restart(attempts);
    if (none) {
      told[index(attempts - 1)] = whole;
    }
  }

  private void restart(long number) {
    first = number;
    countedFrom = sentLate > 0 ? lateFrom : attempts;
    sentBefore = sent - sentLate;
    sentLate = 0;
    latest = NOT_TOLD;
    Arrays.fill(told, NOT_TOLD);
  }

  // The memory of attempts.

  private boolean remembers(long number) {
    return number >= 0 && number < attempts && number >= attempts - REMEMBERED + 1;
  }

  private long sentBy(long number) {
    return number < 0 ? 0 : sentBy[index(number)];
  }

  private static int index(long number) {
    return (int) (number % REMEMBERED);
  }

  @Override
  public String toString() {
    return sent - sentBefore + " units sent";
  }
}
