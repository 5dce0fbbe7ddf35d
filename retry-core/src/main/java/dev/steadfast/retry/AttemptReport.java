package dev.steadfast.retry;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;

/** How one attempt went. Immutable. */
public interface AttemptReport {
  /**
   * The number of the attempt.
   *
   * @return 1 for the first
   */
  int number();

  /**
   * When the attempt started.
   *
   * @return the time since the operation started
   */
  Duration startedAfter();

  /**
   * How long the attempt took, up to the response head or the failure.
   *
   * @return the duration
   */
  Duration took();

  /**
   * The wait before this attempt.
   *
   * @return zero for the first attempt
   */
  Duration waitedBefore();

  /**
   * The status that the server answered.
   *
   * @return the status, empty without a response head or for work that is not HTTP
   */
  OptionalInt status();

  /**
   * The exception that the attempt ended with.
   *
   * @return the exception, empty for an answer
   */
  Optional<Throwable> failure();

  /**
   * The kind of the failure.
   *
   * @return the kind, empty if the attempt did not fail
   */
  Optional<FailureKind> kind();

  /**
   * The time limit that ended the attempt.
   *
   * @return the limit, empty if none did
   */
  default Optional<TimeLimit> endedBy() {
    return Optional.empty();
  }

  /**
   * Why the attempt went over another connection than the client's usual one.
   *
   * @return the reason, empty if it took the usual one
   */
  default Optional<OtherPath> otherPath() {
    return Optional.empty();
  }

  /**
   * The disposition of the attempt's requests: of the last one, or of one before it if only that
   * may have been processed.
   *
   * @return whether the server may have acted
   */
  Disposition disposition();

  /**
   * How often a request of this attempt went to the wire: more than 1 after a redirect or an
   * authentication challenge, 0 if the attempt ended before.
   *
   * @return the number, empty where the client does not show it: java.net.http with redirects or an
   *     authenticator
   */
  OptionalInt deliveries();

  /**
   * The outcome in a few characters.
   *
   * @return the status, or the simple name of the exception
   */
  String outcome();
}
