package dev.steadfast.retry.okhttp;

import static dev.steadfast.retry.okhttp.RequestTrace.same;

import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The way of an attempt's exceptions from the wire out to the loop: the last one that each layer
 * has thrown. Code of the user's between the layers may catch an exception, send the request by
 * other means, and throw the same object again, which then proves nothing. The time tells: sending
 * takes some, and passing an exception on does not.
 *
 * <p>Made when something is thrown. Written by the thread that throws; read by whoever settles the
 * attempt.
 */
final class FailurePath {
  // Why it is like this: docs/decisions/okhttp-wire.md
  private static final long PASSED_ON_NANOS = 1_000_000;

  // Names, because a reference would make a cycle of classes. If an obfuscator changes the names of
  // classes, the time alone decides.
  private static final String PROBE = "dev.steadfast.retry.okhttp.WireProbe";
  private static final String NETWORK_HALF = "dev.steadfast.retry.okhttp.ResendSuppressor";
  private static final String OUTER_HALF = "dev.steadfast.retry.okhttp.RequestTrace";
  private static final String OKHTTP = "okhttp3.internal.";

  final RefusedAddresses refusedAddresses = new RefusedAddresses();
  private final LongSupplier ticker;

  private volatile @Nullable Throwable leftBody;
  private volatile @Nullable Throwable leftProbe;
  private volatile @Nullable Throwable leftOkHttp;
  private volatile @Nullable Throwable leftAll; // all code of the user's, too
  private volatile @Nullable Throwable distrusted; // an interceptor's own exception
  private volatile @Nullable Throwable late; // something may have been sent before it came back
  private volatile @Nullable Departure departure; // of the last that went to code of the user's

  /**
   * How an exception went out to code of the user's.
   *
   * @param atNanos when
   * @param suppressed how many exceptions it had suppressed
   */
  private record Departure(long atNanos, int suppressed) {}

  FailurePath(LongSupplier ticker) {
    this.ticker = ticker;
  }

  // ---- events

  /** The user's request body has thrown this. */
  void leavesBody(Throwable thrown) {
    leftBody = thrown;
  }

  /** The probe throws this on to the user's network interceptors. */
  void leavesProbe(Throwable thrown) {
    leftProbe = thrown;
    leaves(thrown);
  }

  /** A further request begins, and the failure of the one before says nothing of it. */
  void nextRequest() {
    leftProbe = null;
  }

  /** The network half passes on a failure of the user's network interceptors. */
  void comesBackToNetworkHalf(Throwable thrown) {
    comesBack(thrown);
    leaves(thrown);
  }

  /** The network half throws this on to OkHttp. An interceptor's own exception proves nothing. */
  void leavesNetworkHalf(Throwable thrown) {
    if (!isOfProbe(thrown)) {
      distrusted = thrown;
    }
  }

  /** It was hidden from OkHttp, and is late if code of the user's within ran for too long. */
  void opened(Throwable thrown) {
    if (isLongAgo(departure) && !passedOkHttpAlone(thrown)) {
      late = thrown;
    }
  }

  /**
   * Whether the stack of an exception shows that between the wire and the outer half there is no
   * code of the user's. Then it was a busy machine that took the time.
   */
  private static boolean passedOkHttpAlone(Throwable thrown) {
    boolean beyondProbe = false;
    for (StackTraceElement frame : thrown.getStackTrace()) {
      String name = frame.getClassName();
      if (name.equals(PROBE)) {
        beyondProbe = true;
      } else if (beyondProbe && name.equals(OUTER_HALF)) {
        return true;
      } else if (beyondProbe && !name.equals(NETWORK_HALF) && !name.startsWith(OKHTTP)) {
        return false;
      }
    }
    return false;
  }

  /** OkHttp throws this on to the user's application interceptors. */
  void leavesOkHttp(Throwable thrown) {
    leftOkHttp = thrown;
    leaves(thrown);
  }

  /** All code of the user's has let this through. */
  void leavesAll(Throwable thrown) {
    leftAll = thrown;
  }

  /** An exception goes out to code of the user's. */
  void leaves(Throwable thrown) {
    departure = new Departure(ticker.getAsLong(), thrown.getSuppressed().length);
  }

  /** Code of the user's has let an exception through, or has thrown another one. */
  void comesBack(Throwable thrown) {
    Departure left = departure;
    if (left == null || isLongAgo(left) || thrown.getSuppressed().length != left.suppressed) {
      late = thrown;
    }
  }

  private boolean isLongAgo(@Nullable Departure left) {
    return left == null || ticker.getAsLong() - left.atNanos > PASSED_ON_NANOS;
  }

  // ---- conclusions

  boolean isOfBody(Throwable thrown) {
    return same(thrown, leftBody);
  }

  /** Whether that very object has last left the probe. */
  boolean isOfProbe(Throwable thrown) {
    return same(thrown, leftProbe) && !same(thrown, distrusted);
  }

  /** Whether that very object has last left OkHttp. */
  boolean isOfOkHttp(Throwable thrown) {
    return same(thrown, leftOkHttp) && !same(thrown, distrusted);
  }

  /** Whether code of the user's may have sent something before it let this through. */
  boolean isLate(Throwable thrown) {
    return same(thrown, late);
  }

  /** The failure that all code of the user's let through last. */
  @Nullable Throwable leftAll() {
    return leftAll;
  }
}
