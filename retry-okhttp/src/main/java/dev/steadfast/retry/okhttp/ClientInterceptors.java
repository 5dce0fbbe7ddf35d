package dev.steadfast.retry.okhttp;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import okhttp3.HttpUrl;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The known facts about the interceptors and servers of a client. Safe for use by many threads. */
final class ClientInterceptors {
  private static final Logger LOG = LoggerFactory.getLogger("dev.steadfast.retry");

  /** The user's code around OkHttp, which may send by other means. */
  enum Around {
    NONE,
    INTERCEPTORS,
    /** The calls of a factory, and perhaps interceptors within. */
    CALLS,
    /** The user goes on building the client. */
    UNKNOWN
  }

  private final Around around;
  private final @Nullable Proxies proxies; // where nothing else is known of the client
  private final AtomicBoolean bypassed = new AtomicBoolean();
  private final AtomicInteger otherCalls = new AtomicInteger();
  private volatile boolean networkHalfReached;
  private volatile boolean serverSpokeFirst;

  ClientInterceptors(Around around, @Nullable Proxies proxies) {
    this.around = around;
    this.proxies = proxies;
  }

  /** Whether there is nothing of the user's around OkHttp, so that its failure is the call's. */
  boolean none() {
    return around == Around.NONE;
  }

  /** Whether a factory of the user's makes the calls, which may go on when OkHttp has failed. */
  boolean withinUsersCalls() {
    return around == Around.CALLS;
  }

  /** Whether interceptors of the user's may stand within the outer half. */
  boolean mayBeWithinOkHttp() {
    return around == Around.UNKNOWN;
  }

  /** A call factory of the user's has sent something in a call that belongs to no attempt. */
  void otherCall() {
    otherCalls.incrementAndGet();
  }

  /** How many such calls there were. */
  int otherCalls() {
    return otherCalls.get();
  }

  /**
   * Whether OkHttp itself has thrown an exception that left the outer half, where no request has
   * reached the probe. It has in a client that is derived here. A client that the user goes on
   * building may have interceptors further within, or may have lost the {@link ResendSuppressor};
   * so may a client that the user's function has built, until its suppressor was seen. The
   * exception of such a client must say that the server of the request, or its proxy, was not
   * reached. Once an answer has come that the probe did not see, no exception counts as OkHttp's
   * own.
   *
   * @param asked the URL of the request
   */
  boolean okHttpsOwn(Throwable thrown, HttpUrl asked) {
    return switch (around) {
      case NONE, INTERCEPTORS -> true;
      case CALLS -> !bypassed.get() && (networkHalfReached || notReached(asked, thrown));
      case UNKNOWN -> !bypassed.get() && notReached(asked, thrown);
    };
  }

  private boolean notReached(HttpUrl asked, Throwable thrown) {
    return OkHttpErrors.notConnectedTo(asked.host(), asked.port(), thrown)
        || (proxies != null && proxies.passedNothingOn(asked, thrown));
  }

  /** A request has come by the network half. */
  void networkHalfReached() {
    if (!networkHalfReached) {
      networkHalfReached = true;
    }
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

  /** Whether a new connection may be tested by a read: no server is known to speak first. */
  boolean mayAskNewConnections() {
    return !serverSpokeFirst;
  }
}
