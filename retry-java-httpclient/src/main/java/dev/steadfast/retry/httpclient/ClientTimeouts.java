package dev.steadfast.retry.httpclient;

import dev.steadfast.retry.RetryEnvironment;
import dev.steadfast.retry.engine.Attempt;
import dev.steadfast.retry.engine.RetryPlan;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * The timeouts that a blocking request gets for its attempts. The client then ends an attempt by
 * itself and sends nothing afterwards, even if the calling thread hangs in a look-up of the host.
 *
 * @param bodyLength the length of the request body in bytes; negative if it is not known
 * @param realTime false if time is virtual: the client knows real time only
 */
record ClientTimeouts(long bodyLength, boolean realTime) {
  private static final LongSupplier REAL_TIME = RetryEnvironment.system().ticker();
  private static final long SMALL_BODY_BYTES = 64 * 1024;

  // A timeout of a request ends its response body, too, since JDK 26. An attempt timeout does not.
  private static final boolean ENDS_AT_HEAD = Runtime.version().feature() < 26;

  static ClientTimeouts of(RetryPlan plan, long bodyLength) {
    return new ClientTimeouts(bodyLength, plan.environment().ticker().equals(REAL_TIME));
  }

  /** The request with the timeout of its attempt, unless its own is shorter. */
  HttpRequest timed(HttpRequest request, Attempt<?> attempt) {
    Optional<Duration> ours = of(attempt);
    Optional<Duration> users = request.timeout();
    boolean sooner = ours.isPresent() && (users.isEmpty() || ours.get().compareTo(users.get()) < 0);
    return sooner ? SentRequest.timed(request, ours) : request;
  }

  // The client's timeout runs while the body is sent, as only the policy's attempt timeout does of
  // our limits. A small body is sent at once.
  private Optional<Duration> of(Attempt<?> attempt) {
    if (!realTime || !ENDS_AT_HEAD) {
      return Optional.empty();
    }
    boolean sentAtOnce = bodyLength >= 0 && bodyLength <= SMALL_BODY_BYTES;
    long nanos = sentAtOnce ? attempt.timeoutNanos() : attempt.ownTimeoutNanos();
    return nanos == Long.MAX_VALUE
        ? Optional.empty()
        : Optional.of(Duration.ofNanos(Math.max(1, nanos)));
  }
}
