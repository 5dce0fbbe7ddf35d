package dev.steadfast.retry.tck;

/**
 * A trait that is in the nature of a client, and no fault of its adapter. The table asks an {@link
 * EntryPoint} for its traits: some rows then expect another result, others are skipped with the
 * reason.
 */
public enum Trait {
  /**
   * A call holds no thread while it waits. The rows that interrupt a waiting thread are skipped.
   */
  ASYNC,
  /**
   * A running call cannot be cancelled, only interrupted. The rows that cancel are skipped, and
   * {@link Client#cancel} is never called.
   */
  NO_CANCEL,
  /**
   * A call can be cancelled only when its first attempt is under way. The rows that cancel earlier
   * are skipped.
   */
  LATE_CANCEL,
  /** The exception of a cancelled call is made by the client and carries no report. */
  CANCEL_WITHOUT_REPORT,
  /** An interrupt does not end a read from the network. The row that interrupts one is skipped. */
  UNINTERRUPTIBLE_READS,
  /** The thread of the call does not make the waits itself. One row on interrupts is skipped. */
  WAITS_ON_OTHER_THREADS,
  /**
   * The call is over with the head, and the caller reads the body later, unless {@code
   * bufferBodiesUpTo} says otherwise. Then a body that breaks is not retried.
   */
  BODY_AFTER_CALL,
  /** The adapter does not compare the bytes of a body that is sent again. One row is skipped. */
  TRUSTS_BODIES,
  /**
   * The patience with a body that nobody wants is measured in virtual time. The row with such a
   * body that stalls is skipped.
   */
  VIRTUAL_PATIENCE,
  /**
   * The client itself ends its attempts, in real time. Rows in which the two times would disagree
   * are skipped.
   */
  OWN_TIMEOUTS,
  /**
   * The client may send a GET or HEAD a second time within an attempt, and does not tell. Rows in
   * which the answer to a GET is lost expect fewer attempts.
   */
  RESENDS_READS,
  /**
   * The client does not tell whether the connection of a request was used before, or replaces it
   * itself. Rows with a stale connection expect an ordinary failure, or none.
   */
  HIDES_STALE_CONNECTIONS,
  /**
   * The client notices by chance that the server has closed an idle connection: in time for the
   * next request, or too late. Rows with such a connection are left out.
   */
  NOTICES_CLOSING_BY_CHANCE,
  /**
   * The adapter gives the rules no body: {@link dev.steadfast.retry.http.ResponseView#bodyText} is
   * always empty. Rows with rules for types of error are left out.
   */
  GIVES_RULES_NO_BODY,
  /**
   * A redirect that makes a GET of the request leaves the caller's headers out. Then the key of the
   * other requests alone is compared.
   */
  DROPS_HEADERS_ON_GET,
  /**
   * The client reads past lines that are not HTTP. Rows with such an answer expect a lost
   * connection.
   */
  READS_PAST_GARBAGE,
  /**
   * The client takes a head that breaks off for a whole one. The row with such an answer is
   * skipped.
   */
  TAKES_HALF_HEADS,
  /** The adapter has no {@code Journaling.Codec}. The rows of journaled operations are skipped. */
  NO_JOURNAL
}
