package dev.steadfast.retry.engine;

/**
 * How far an attempt is. One compare-and-set takes it from one phase to the next.
 *
 * <pre>
 *           begin                          complete
 *   QUEUED ------> BUSY ------> RUNNING -------------------------> COMPLETED
 *      |            |            |  |  head               complete     ^
 *      |            |            |  +------> BUSY ------> HEAD --------+
 *      |            |            |                          |
 *      +------------+------------+--------------------------+---> TIMED_OUT, CANCELLED, REJECTED
 *      |            |
 *      |            +---> REFUSED
 *      +---> PUT_OFF
 * </pre>
 */
enum Phase {
  QUEUED,
  /**
   * Guards are being asked, or a head is being judged: no other thread may settle the attempt now.
   */
  BUSY,
  RUNNING,
  HEAD,
  COMPLETED,
  TIMED_OUT,
  CANCELLED,
  REFUSED,
  PUT_OFF,
  REJECTED;

  /** Whether anybody may settle the attempt now. */
  boolean open() {
    return this == QUEUED || this == RUNNING || this == HEAD;
  }

  /** Whether the attempt is over. */
  boolean settled() {
    return !open() && this != BUSY;
  }

  /** Whether its timer, a rejection or a cancellation ended it. */
  boolean stopped() {
    return this == TIMED_OUT || this == CANCELLED || this == REJECTED;
  }
}
