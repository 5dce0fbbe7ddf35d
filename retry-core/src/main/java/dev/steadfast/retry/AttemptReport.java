package dev.steadfast.retry;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;

/** How one attempt went. Immutable. */
public interface AttemptReport {
  /** {@return the number of the attempt, from 1} */
  int number();

  /** {@return the time from the start of the operation to that of the attempt} */
  Duration startedAfter();

  /** {@return how long the attempt took, up to the response head or the failure} */
  Duration took();

  /** {@return the wait before this attempt, zero for the first one} */
  Duration waitedBefore();

  /**
   * {@return the status that the server answered; empty without a response head or for work that is
   * not HTTP}
   */
  OptionalInt status();

  /** {@return the exception that the attempt ended with, empty for an answer} */
  Optional<Throwable> failure();

  /** {@return the kind of the failure, empty if the attempt did not fail} */
  Optional<FailureKind> kind();

  /** {@return the time limit that ended the attempt, empty if none did} */
  default Optional<TimeLimit> endedBy() {
    return Optional.empty();
  }

  /**
   * {@return why the attempt went over another connection than the client's usual one; empty if it
   * took the usual one}
   */
  default Optional<OtherPath> otherPath() {
    return Optional.empty();
  }

  /**
   * {@return the disposition of the attempt's last request, or of one before it if only that may
   * have been processed}
   */
  Disposition disposition();

  /**
   * {@return how often a request of this attempt went to the wire: more than 1 after a redirect or
   * an authentication challenge, 0 if the attempt ended before; empty where the client does not
   * show it: java.net.http with redirects or an authenticator}
   */
  OptionalInt deliveries();

  /**
   * {@return the outcome in a few characters: the status, the simple name of the exception, or
   * whether a result without either was {@code accepted} or {@code not accepted}}
   */
  String outcome();
}
