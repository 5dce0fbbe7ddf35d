package dev.steadfast.retry.engine;

import dev.steadfast.retry.Disposition;
import dev.steadfast.retry.internal.Methods;

/**
 * The facts that the answer to a request proves: whether the server did what was asked. Reports,
 * journals, guards and adapters all ask this table.
 *
 * <table>
 *   <caption>What an answer proves</caption>
 *   <tr><th>status</th><th>proves</th></tr>
 *   <tr><td>none, 1xx</td><td>{@link #PERHAPS_DONE}</td></tr>
 *   <tr><td>200 with an event stream that begins with an error</td><td>{@link
 *       #PERHAPS_DONE}</td></tr>
 *   <tr><td>other 2xx, 303, 304</td><td>{@link #DONE}</td></tr>
 *   <tr><td>307, 308</td><td>{@link #NOT_HERE}</td></tr>
 *   <tr><td>other 3xx to a method that only reads</td><td>{@link #DONE}</td></tr>
 *   <tr><td>other 3xx</td><td>{@link #REDIRECTED}</td></tr>
 *   <tr><td>401, 407, 421, 425</td><td>{@link #REFUSED}</td></tr>
 *   <tr><td>408, 499</td><td>{@link #PERHAPS_DONE}</td></tr>
 *   <tr><td>409 that asks to wait</td><td>{@link #PERHAPS_DONE}</td></tr>
 *   <tr><td>other 4xx</td><td>{@link #NOT_DONE}</td></tr>
 *   <tr><td>5xx</td><td>{@link #PERHAPS_DONE}</td></tr>
 * </table>
 *
 * <p>An answer proves something of the request that it answers. It does not tell whether an earlier
 * request had an effect.
 *
 * <p>A later version may add values, so a switch over them needs a default.
 */
public enum AnswerProof {
  // Why it is like this: docs/decisions/evidence.md
  /** The server did what was asked, if the rules accept the answer; else that is not known. */
  DONE,
  /** The server sends the client elsewhere, and may have done what was asked before that. */
  REDIRECTED,
  /** The server did nothing, and names the place to send the same request to. */
  NOT_HERE,
  /** The server did nothing: it asks for credentials, another connection or another time. */
  REFUSED,
  /** The server did not do what was asked. */
  NOT_DONE,
  /** The server may have done what was asked, or may still be doing it. */
  PERHAPS_DONE;

  private static final int FIRST_SERVER_ERROR = 500;

  /**
   * The proof that an answer gives.
   *
   * @param status its status, 100 to 599; any other proves nothing
   * @param method the method of the request; case-sensitive. A method that is not known may have an
   *     effect
   * @param asksToWait whether the answer asks to wait and send the request again: by a server
   *     delay, by a signal to retry, or as the rules take it. True if that is not known
   * @return what is proved
   */
  public static AnswerProof of(int status, String method, boolean asksToWait) {
    return switch (status) {
      case 303, 304 -> DONE;
      case 307, 308 -> NOT_HERE;
      case 401, 407, 421, 425 -> REFUSED;
      // A gateway can answer so after it has passed the request on.
      case 408, 499 -> PERHAPS_DONE;
      // An operation with the same key is under way. Otherwise something is in conflict.
      case 409 -> asksToWait ? PERHAPS_DONE : NOT_DONE;
      default ->
          switch (status / 100) {
            case 2 -> DONE;
            case 3 -> Methods.reads(method) ? DONE : REDIRECTED;
            case 4 -> NOT_DONE;
            default -> PERHAPS_DONE;
          };
    };
  }

  /**
   * Whether an answer refuses the protocol of its connection: 426, 505, and 464 of AWS's load
   * balancers. The same request may be answered over another connection.
   *
   * @param status its status, -1 for none
   * @return whether it does
   */
  public static boolean refusesProtocol(int status) {
    return status == 426 || status == 464 || status == 505;
  }

  /**
   * The proof that a status gives by itself, whatever the method and the headers are.
   *
   * @param status the status of an answer, -1 without one
   * @return what is proved at least
   */
  public static AnswerProof of(int status) {
    return of(status, "", true);
  }

  /**
   * Whether a request may have had an effect that a later answer does not tell of.
   *
   * @param method its method; case-sensitive
   * @param status the status of its answer, -1 without one
   * @return false for a method that only reads, and if the answer proves that nothing was done
   */
  public static boolean mayHaveHadEffect(String method, int status) {
    return !Methods.reads(method) && of(status).mayBeDone();
  }

  /**
   * Whether an answer shows that the server works, for guards such as circuit breakers.
   *
   * @param status the status of an answer, -1 without one
   * @return true below 500
   */
  public static boolean showsWorkingServer(int status) {
    return status >= 0 && status < FIRST_SERVER_ERROR;
  }

  /**
   * {@return whether what was asked may have been done: false if it is proved that the request did
   * nothing}
   */
  public boolean mayBeDone() {
    return this == DONE || this == REDIRECTED || this == PERHAPS_DONE;
  }

  /**
   * {@return whether the answer sends the client elsewhere: {@link #REDIRECTED} or {@link
   * #NOT_HERE}} A rule that accepts it does not make it a success: the client has not followed it.
   */
  public boolean sendsElsewhere() {
    return this == REDIRECTED || this == NOT_HERE;
  }

  /**
   * {@return whether the server says that it did not do what was asked: {@link #REFUSED} or {@link
   * #NOT_DONE}}
   */
  public boolean saysNo() {
    return this == REFUSED || this == NOT_DONE;
  }

  /** {@return the disposition of a request that was answered so: refused or answered} */
  public Disposition disposition() {
    return this == REFUSED ? Disposition.REFUSED : Disposition.ANSWERED;
  }
}
