package dev.steadfast.retry.okhttp;

import java.io.IOException;
import okhttp3.Request;
import org.jspecify.annotations.Nullable;

/**
 * Which part of its way the call of an attempt is on, and what each part has thrown. A base class,
 * so that it costs no object.
 *
 * <p>Written by the thread of OkHttp's call; read by whoever settles the attempt, which after a
 * timeout or a cancellation is another one.
 */
abstract class CallProgress extends DeliveryCount {
  final ClientInterceptors interceptors;

  private volatile boolean reached;
  private volatile boolean passedOn; // to the first interceptor, or to OkHttp
  private volatile boolean inOkHttp;
  private volatile @Nullable Request asked; // of OkHttp
  private volatile boolean betweenGuardAndProbe;
  private volatile @Nullable Throwable leftBody;
  private volatile @Nullable Throwable leftProbe;
  private volatile @Nullable Throwable leftGuard;
  private volatile @Nullable Throwable leftOkHttp;
  private volatile @Nullable Throwable leftAll; // all code of the user's, too

  CallProgress(ClientInterceptors interceptors) {
    this.interceptors = interceptors;
  }

  /** Whether a request has reached the probe. */
  abstract boolean anySent();

  /** OkHttp's call of the attempt has begun. */
  void reach() {
    reached = true;
  }

  boolean reached() {
    return reached;
  }

  /**
   * The attempt goes to the first interceptor, or to OkHttp.
   *
   * @return false if it was settled, perhaps as an attempt that never began
   */
  boolean passOn() {
    passedOn = true;
    return !isSealed();
  }

  boolean passedOn() {
    return passedOn;
  }

  void enterOkHttp(Request request) {
    asked = request;
    betweenGuardAndProbe = false;
    inOkHttp = true;
  }

  /** The call's thread is out of OkHttp. */
  void outOfOkHttp() {
    inOkHttp = false;
  }

  /** OkHttp has thrown this. */
  void leaveOkHttp(Throwable reason) {
    leftOkHttp = reason;
  }

  /**
   * The guard was reached; the user's network interceptors are next.
   *
   * @return false if the attempt was settled; then nothing may follow
   */
  boolean enterGuard() {
    betweenGuardAndProbe = true;
    return !isSealed();
  }

  /** The thread is beyond the user's network interceptors, on the way in or on the way out. */
  void passUsersInterceptors() {
    betweenGuardAndProbe = false;
  }

  /** The latest request has failed with this; null: it has not. */
  void leaveProbe(@Nullable IOException reason) {
    leftProbe = reason;
  }

  /** The guard passes on what failed within it. */
  void leaveGuard(IOException reason) {
    leftGuard = reason;
  }

  /** The call's interceptors have thrown this. Then a call factory of the user's may go on. */
  void leaveInterceptors(IOException reason) {
    if (!interceptors.withinUsersCalls()) {
      leftAll = reason;
    }
  }

  /** The call that a factory of the user's has made has thrown this. */
  void leaveUsersCall(Throwable reason) {
    if (interceptors.withinUsersCalls()) {
      leftAll = reason;
    }
  }

  /** Whether that very object has last left the probe. */
  boolean failedAtProbe(Throwable thrown) {
    return same(thrown, leftProbe);
  }

  /** Whether the server has refused the latest request unprocessed, by a reset of its stream. */
  boolean streamRefused() {
    return leftProbe instanceof IOException failure
        && OkHttpErrors.refusedStream(failure)
        && !thrownByBody(failure);
  }

  /** The user's request body has thrown this. It may be the failure of another call. */
  void leaveBody(IOException reason) {
    leftBody = reason;
  }

  /** Whether that very object has left the request body, and so says nothing of the wire. */
  boolean thrownByBody(IOException thrown) {
    return same(thrown, leftBody);
  }

  FailureSource source(Throwable thrown) {
    if (failedAtProbe(thrown)) {
      return FailureSource.WIRE;
    }
    Request request = asked;
    boolean own =
        request != null
            && same(thrown, leftOkHttp)
            && !same(thrown, leftGuard)
            && (anySent() || interceptors.okHttpsOwn(thrown, request.url()));
    return own ? FailureSource.OKHTTP : FailureSource.INTERCEPTOR;
  }

  /**
   * Whether nothing can have gone out that the probe did not see, and nothing can follow, of an
   * attempt that was ended from outside. What code of the user's around OkHttp still does with the
   * exception, only the end of the call tells.
   */
  boolean nothingElseRuns() {
    return !passedOn || (inOkHttp && !betweenGuardAndProbe && interceptors.none()) || endedWithin();
  }

  /** Whether the call is over, and what it failed with is no interceptor's. */
  private boolean endedWithin() {
    Throwable thrown = leftAll;
    return thrown != null && source(thrown) != FailureSource.INTERCEPTOR;
  }

  @SuppressWarnings("ReferenceEquality") // it must be that very object
  static boolean same(@Nullable Object one, @Nullable Object other) {
    return one != null && one == other;
  }
}
