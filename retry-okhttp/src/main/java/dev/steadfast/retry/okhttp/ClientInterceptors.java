package dev.steadfast.retry.okhttp;

import java.util.concurrent.atomic.AtomicBoolean;
import okhttp3.HttpUrl;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What is known of the interceptors and servers of a client. Safe for use by many threads. */
final class ClientInterceptors {
  private static final Logger LOG = LoggerFactory.getLogger("dev.steadfast.retry");

  /** The user's code around OkHttp, which may send by other means. */
  enum Around {
    NONE,
    INTERCEPTORS,
    /** A factory's calls, and perhaps interceptors within. */
    CALLS,
    /** The user goes on building the client. */
    UNKNOWN
  }

  private final Around around;
  private final AtomicBoolean bypassed = new AtomicBoolean();
  private volatile boolean serverSpokeFirst;

  ClientInterceptors(Around around) {
    this.around = around;
  }

  /** Whether there is nothing of the user's around OkHttp, so that its failure is the call's. */
  boolean none() {
    return around == Around.NONE;
  }

  /** Whether a factory of the user's makes the calls, which may go on when OkHttp has failed. */
  boolean withinUsersCalls() {
    return around == Around.CALLS;
  }

  /**
   * Whether an exception that left the outer half is OkHttp's own, where no request has reached the
   * probe. In a client that is derived here it is. A client that the user goes on building may have
   * interceptors further within, or may have lost the {@link ResendSuppressor}. Of such a client
   * the exception must say that the server of the request was not reached; and once an answer has
   * come that the probe did not see, no exception counts as OkHttp's own.
   *
   * @param asked the URL of the request
   */
  boolean okHttpsOwn(Throwable thrown, HttpUrl asked) {
    return around != Around.UNKNOWN
        || (!bypassed.get() && OkHttpErrors.notConnectedTo(asked, thrown));
  }

  /** An answer came from the network that the probe did not see. */
  void answeredByOtherMeans() {
    if (bypassed.compareAndSet(false, true)) {
      LOG.warn(
          "an answer came from the network past Steadfast's network interceptor: an interceptor"
              + " sends requests by other means, or the client was copied without its network"
              + " interceptors. Such requests count as possibly processed.");
    }
  }

  /** A server said something on a connection that had carried no request of ours. */
  void serverSpokeFirst() {
    serverSpokeFirst = true;
  }

  /** Whether no server is known to say something on a new connection, which asking would take. */
  boolean mayAskNewConnections() {
    return !serverSpokeFirst;
  }
}
