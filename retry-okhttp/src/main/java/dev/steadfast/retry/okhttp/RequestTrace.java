package dev.steadfast.retry.okhttp;

import dev.steadfast.retry.Disposition;
import dev.steadfast.retry.engine.Evidence;
import dev.steadfast.retry.engine.WireLog;
import dev.steadfast.retry.http.HttpOperation;
import java.io.IOException;
import okhttp3.Connection;
import okhttp3.HttpUrl;
import okhttp3.Interceptor;
import okhttp3.Request;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;

/**
 * Reports the requests of one attempt to its {@link WireLog}, and knows where an exception comes
 * from: from the wire, from OkHttp, or from code of the user's, which may have sent by other means.
 * A base class and not a part of {@link WireTrace}: every attempt has one, and so it costs one
 * object less.
 *
 * <p>Written by the thread of OkHttp's call; read by whoever settles the attempt, which after a
 * timeout or a cancellation is another one.
 */
abstract class RequestTrace {
  final WireLog<Request> log;

  // The place where the call is.
  private volatile boolean passedOn; // to the first interceptor, or to OkHttp
  private volatile boolean inOkHttp;
  private volatile boolean betweenNetworkHalves;
  private volatile boolean handedBack;
  private volatile @Nullable Request asked; // that OkHttp was handed

  private volatile @Nullable FailurePath failures; // null: nothing was thrown

  // The latest request.
  private volatile @Nullable Response head; // as the server sent it
  private volatile boolean reused;
  private boolean deadConnection;
  private boolean goesOn; // OkHttp sends it again

  private final int othersBefore; // calls of the client that belong to no attempt
  private volatile boolean others; // calls that user code has made beside that of the attempt
  private @Nullable HttpUrl origin; // which a key must not leave; null: that of the next request

  RequestTrace(HttpOperation operation, ClientInterceptors interceptors) {
    this.othersBefore = interceptors.otherCalls();
    this.log = new WireLog<>(operation.plan(), WireRequests::text);
  }

  abstract HttpOperation operation();

  abstract ClientInterceptors interceptors();

  /** Whether the attempt was given up. */
  abstract boolean isOver();

  /** {@link #isOver}, and gives the attempt up if its time has passed and no timer has noticed. */
  abstract boolean isOverNow();

  /** Whether no follow-up of the operation was sent again before; notes that one is now. */
  abstract boolean isFirstLostFollowUp();

  /** The request as the caller made it. */
  abstract Request callers();

  // ---- on the way in

  /**
   * The attempt goes to the first interceptor, or to OkHttp.
   *
   * @return false if it was settled, perhaps as an attempt that never began
   */
  boolean passOn() {
    passedOn = true;
    return !log.isSealed();
  }

  boolean passedOn() {
    return passedOn;
  }

  /**
   * The outer half: passes on to OkHttp, and shows on the way back what the {@link
   * ResendSuppressor} hid from it.
   */
  Response throughOkHttp(Interceptor.Chain chain, Request request) throws IOException {
    origin = WireRequests.mayFollowCachedRedirect(operation(), request) ? request.url() : null;
    asked = request;
    begins(request);
    betweenNetworkHalves = false;
    inOkHttp = true;
    try {
      return HiddenServerDelay.reveal(chain.proceed(request));
    } catch (NonRecoverableException sealed) {
      IOException opened = sealed.opened();
      if (interceptors().mayBeWithinOkHttp()) {
        failures().opened(opened);
      }
      failures().leavesOkHttp(opened);
      throw opened;
    } catch (Throwable thrown) {
      failures().leavesOkHttp(thrown);
      throw thrown;
    } finally {
      inOkHttp = false;
    }
  }

  /** Code of the user's begins a request, which need not be the operation's. */
  private void begins(Request request) {
    log.begins(!WireRequests.sameTarget(request, callers()));
  }

  /**
   * The network half was reached; the user's network interceptors are next.
   *
   * @param onReusedConnection whether a request was answered on the connection before
   * @return false if the attempt was settled; then nothing may follow
   */
  boolean enterNetworkHalf(boolean onReusedConnection) {
    reused = onReusedConnection;
    deadConnection = false;
    betweenNetworkHalves = true;
    return !log.isSealed();
  }

  /**
   * Removes a key from a redirect to another server, and a scope's headers from one to a server
   * that is not named. The key's server is that of the first request on the wire, because an
   * interceptor may have rewritten the host. If the first may be a cached redirect, it is that of
   * the request which OkHttp was handed.
   */
  Request withoutForeignHeaders(Request request) {
    HttpUrl own = origin;
    if (own == null) {
      origin = request.url();
      return request;
    }
    return WireRequests.withoutHeadersOf(operation(), own, request);
  }

  /** The thread is beyond the user's network interceptors, on the way in or on the way out. */
  void passUsersInterceptors() {
    betweenNetworkHalves = false;
  }

  /** The connection is dead and closed: what is written to it goes nowhere. */
  void onDeadConnection() {
    startRequest();
    log.onDeadConnection();
    deadConnection = true;
  }

  boolean isOnDeadConnection() {
    return deadConnection;
  }

  /**
   * A request goes out now.
   *
   * @throws IOException if the attempt was given up; then nothing may follow
   */
  void sending(Request request) throws IOException {
    if (isOverNow()) {
      throw new IOException("Canceled");
    }
    Response before = head;
    if (interceptors().mayBeWithinOkHttp() && !(before != null && WireRequests.followed(before))) {
      begins(request); // no redirect has led here, so an interceptor within may have begun it
    }
    startRequest();
    passUsersInterceptors();
    if (!WireRequests.sends(operation(), log, request)) {
      throw new IOException("Canceled");
    }
  }

  private void startRequest() {
    goesOn = false;
    head = null;
    FailurePath before = failures;
    if (before != null) {
      before.nextRequest();
    }
  }

  // ---- on the way out

  void answered(Response response) {
    head = response;
    log.answered(response.code());
  }

  /** The latest request has failed with this. */
  void failed(IOException reason) {
    failures().leavesProbe(reason);
    if (failures().isOfBody(reason) || deadConnection) {
      return; // it says nothing of the request
    }
    if (OkHttpErrors.connectionShutdown(reason)) {
      log.notSent();
    } else if (OkHttpErrors.refusedStream(reason)) {
      log.refused();
    }
  }

  /** The user's request body has thrown this. It may be the failure of another call. */
  public void leaveBody(IOException reason) {
    failures().leavesBody(reason);
  }

  /** The path of the attempt's exceptions. A call of the user's may throw on several threads. */
  private FailurePath failures() {
    FailurePath known = failures;
    if (known == null) {
      synchronized (log) {
        known = failures;
        if (known == null) {
          known = new FailurePath(operation().plan().environment().ticker());
          failures = known;
        }
      }
    }
    return known;
  }

  /** Whether that very object has last left the probe, and has come back at once. */
  boolean failedAtProbe(Throwable thrown) {
    return failures().isOfProbe(thrown) && !failures().isLate(thrown);
  }

  /** The network half passes on a failure of the user's network interceptors. */
  void comesBackToNetworkHalf(IOException reason) {
    failures().comesBackToNetworkHalf(reason);
  }

  /** The network half throws this on to OkHttp. An interceptor's own exception proves nothing. */
  void leaveNetworkHalf(IOException reason) {
    failures().leavesNetworkHalf(reason);
  }

  /**
   * The call's interceptors have thrown this. Then a call factory of the user's may go on.
   *
   * @param direct whether there are none
   */
  void leaveInterceptors(IOException reason, boolean direct) {
    if (!direct) {
      failures().comesBack(reason);
    }
    if (interceptors().withinUsersCalls()) {
      failures().leaves(reason);
    } else {
      failures().leavesAll(reason);
    }
  }

  /** The call that a factory of the user's has made has thrown this. */
  void leaveUsersCall(Throwable reason) {
    if (interceptors().withinUsersCalls()) {
      failures().comesBack(reason);
      failures().leavesAll(reason);
    }
  }

  /**
   * A call factory of the user's has sent something in a call of its own, which is not that of the
   * attempt.
   */
  void otherCall(Request request) {
    others = true;
    log.otherSent(WireRequests.safety(operation(), request), true);
  }

  /** Whether user code has used the client for calls of its own since the attempt began. */
  boolean othersMade() {
    return others || interceptors().otherCalls() != othersBefore;
  }

  /** OkHttp gave the response to the loop: what breaks now is its body. */
  void handBack() {
    handedBack = true;
  }

  boolean handedBack() {
    return handedBack;
  }

  /**
   * Whether OkHttp may go on after a failure: by another connection if nothing was sent on this
   * one, or if this one was closed under a follow-up that is safe to send again; and by another
   * address of the host if this one has refused the request unprocessed and that one has not. The
   * failure must be the one of the request itself: an interceptor may throw one of the same class
   * after the request was processed.
   */
  boolean mayGoOn(IOException failure, Connection connection) {
    if (isOver() || !failedAtProbe(failure) || failures().isOfBody(failure)) {
      return false;
    }
    if (log.disposition() != Disposition.REFUSED) {
      goesOn = !latestUnsent() && maySendFollowUpAgain() && isFirstLostFollowUp();
      return goesOn || latestUnsent();
    }
    return failures().refusedAddresses.anotherIsLeft(connection.route());
  }

  /**
   * Whether the latest request is that of a redirect, on a connection that was in use: what was
   * sent before it has been answered and may have had its effect, so it alone is sent again. There
   * was no effect after a challenge, and the whole attempt can be made again.
   */
  private boolean maySendFollowUpAgain() {
    return log.isFollowUp()
        && reused
        && log.followsProcessed()
        && log.safety().isByMethod()
        && log.maySendAgain();
  }

  /** Whether OkHttp sends the latest request again, as it may. */
  boolean goesOn() {
    return goesOn;
  }

  // ---- what is known

  /** Whether nothing of the latest request can have reached the server. */
  boolean latestUnsent() {
    return log.disposition() == Disposition.UNSENT;
  }

  boolean reused() {
    return reused;
  }

  /** The answer to the latest request as the server sent it, null without one. */
  @Nullable Response head() {
    return head;
  }

  /** The place that a failure comes from. It says what went wrong, and proves nothing. */
  FailureSource source(Throwable thrown) {
    if (failures().isOfProbe(thrown)) {
      return FailureSource.WIRE;
    }
    Request request = asked;
    boolean own =
        request != null
            && failures().isOfOkHttp(thrown)
            && (log.deliveries() > 0
                || log.latest() != null
                || interceptors().okHttpsOwn(thrown, request.url()));
    return own ? FailureSource.OKHTTP : FailureSource.INTERCEPTOR;
  }

  private boolean isUsers(Throwable thrown) {
    return failures().isLate(thrown) || source(thrown) == FailureSource.INTERCEPTOR;
  }

  /** The evidence of an attempt that ended from outside. Nothing goes out any more. */
  Evidence evidence(boolean bodySpent) {
    log.seal();
    boolean withinOkHttp = inOkHttp && !betweenNetworkHalves && interceptors().none();
    FailurePath path = failures;
    Throwable thrown = path == null ? null : path.leftAll();
    // Only the end of the call tells what code of the user's around OkHttp still does.
    if (passedOn && !withinOkHttp && (thrown == null || isUsers(thrown))) {
      othersUnseen();
    }
    Response answer = head;
    return evidence(handedBack && answer != null ? answer.code() : -1, bodySpent);
  }

  /** The evidence of an attempt that failed. Nothing goes out any more. */
  Evidence evidence(Throwable thrown, boolean bodySpent) {
    if (isOver()) {
      return evidence(bodySpent);
    }
    log.seal();
    if (passedOn && isUsers(thrown)) {
      othersUnseen();
    }
    return evidence(-1, bodySpent);
  }

  /** The evidence of an attempt if an interceptor turned an answer into a failure. */
  Evidence evidenceOfHead(Response seen, boolean bodySpent) {
    log.seal();
    othersUnseen(); // A rule may still say that nothing was done.
    return evidence(seen.code(), bodySpent);
  }

  /** The evidence of an attempt that got an answer. */
  Evidence evidence(Response answer, boolean bodySpent) {
    Response network = answer.networkResponse();
    if (network == null) {
      if (!OkHttpViews.ofCache(answer)) {
        othersUnseen(); // by the interceptor that made the answer, or put it together anew
      }
    } else if (!WireRequests.sameAnswer(head, network)) {
      if (log.deliveries() == 0) {
        interceptors().answeredByOtherMeans();
      }
      log.otherSent(WireRequests.safety(operation(), network.request()), true);
    } else if (!same(network.request(), log.latest())) {
      log.otherSent(WireRequests.safety(operation(), network.request()), false);
    }
    return evidence(answer.code(), bodySpent);
  }

  private Evidence evidence(int status, boolean bodySpent) {
    if (interceptors().otherCalls() != othersBefore) {
      log.otherSent(operation().safety(), true);
    }
    return log.evidence(status, bodySpent);
  }

  /** Unseen requests count like the latest, or like the operation's own if none was sent. */
  private void othersUnseen() {
    log.othersUnseen(latestUnsent() ? operation().safety() : log.safety(), false);
  }

  @SuppressWarnings("ReferenceEquality") // it must be that very object
  static boolean same(@Nullable Object one, @Nullable Object other) {
    return one != null && one == other;
  }
}
