package dev.steadfast.retry.httpclient;

import dev.steadfast.retry.engine.Attempt;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.Optional;

/**
 * The timeouts that a blocking request gets for its attempts. With them the client ends an attempt
 * by itself and sends nothing afterwards, even if the calling thread hangs in a look-up of the
 * host.
 *
 * @param bodyLength of the request, in bytes; negative if it is not known
 * @param headNanos the longest time from the last byte of the request to the head
 * @param realTime false if time is virtual: the client knows real time only
 */
record ClientTimeouts(long bodyLength, long headNanos, boolean realTime) {
  private static final long SMALL_BODY_BYTES = 64 * 1024;

  /** The request with the timeout of its attempt, unless its own is shorter. */
  HttpRequest timed(HttpRequest request, Attempt<?> attempt) {
    Optional<Duration> ours = of(attempt);
    Optional<Duration> users = request.timeout();
    boolean sooner = ours.isPresent() && (users.isEmpty() || ours.get().compareTo(users.get()) < 0);
    return sooner ? AttemptRequest.timed(request, ours.get()) : request;
  }

  // The client's timeout runs while the body is sent. Of ours, only the one that the policy sets
  // for an attempt does. A small body is sent at once.
  private Optional<Duration> of(Attempt<?> attempt) {
    if (!realTime) {
      return Optional.empty();
    }
    boolean sentAtOnce = bodyLength >= 0 && bodyLength <= SMALL_BODY_BYTES;
    long nanos =
        sentAtOnce ? Math.min(attempt.timeoutNanos(), headNanos) : attempt.ownTimeoutNanos();
    return nanos == Long.MAX_VALUE
        ? Optional.empty()
        : Optional.of(Duration.ofNanos(Math.max(1, nanos)));
  }
}
