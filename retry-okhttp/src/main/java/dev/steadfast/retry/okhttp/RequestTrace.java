package dev.steadfast.retry.okhttp;

import dev.steadfast.retry.Disposition;
import dev.steadfast.retry.engine.Evidence;
import dev.steadfast.retry.engine.Evidence.Requests;
import dev.steadfast.retry.engine.Evidence.Safety;
import dev.steadfast.retry.http.HttpOperation;
import java.io.IOException;
import okhttp3.Connection;
import okhttp3.HttpUrl;
import okhttp3.Interceptor;
import okhttp3.Request;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;

/**
 * What is known of the requests of one attempt: which went out, on what kind of connection, how
 * they failed or were answered, and what was hidden from OkHttp on the way back. A base class and
 * not a part of {@link WireTrace}: every attempt has one, and so it costs one object.
 *
 * <p>Written by the thread of OkHttp's call; read by the thread that settles the attempt, which
 * after a timeout or a cancellation is another one.
 */
abstract class RequestTrace extends DeliveryCount {
  final HttpOperation operation;
  private final ClientInterceptors interceptors;

  // The latest request.
  private volatile @Nullable Request latest;
  private volatile Safety safety = Safety.UNPROCESSED; // why it may be sent again
  private volatile boolean reused;
  private volatile boolean unsent; // its connection was dead
  private volatile @Nullable Response head; // as the server sent it

  private volatile Safety earlier = Safety.UNPROCESSED; // the weakest of those before the latest
  private boolean deadConnection; // the current one
  private @Nullable HttpUrl origin; // of the first request that the client made of the caller's
  private @Nullable RefusedAddresses refusedAddresses;

  // Which part the call's thread is in, and the last exception that each part threw.
  private volatile boolean passedOn; // to the first interceptor, or to OkHttp
  private volatile boolean inOkHttp;
  private volatile @Nullable Request asked; // of OkHttp
  private volatile boolean betweenGuardAndProbe;
  private volatile @Nullable Throwable leftProbe;
  private volatile @Nullable Throwable leftGuard;
  private volatile @Nullable Throwable leftOkHttp;
  private volatile @Nullable Throwable leftAll; // the interceptors of the user's, too

  private volatile boolean handedBack;
  private @Nullable HiddenServerDelay hidden; // of the latest answer

  RequestTrace(HttpOperation operation, ClientInterceptors interceptors) {
    this.operation = operation;
    this.interceptors = interceptors;
  }

  /** Whether the attempt was given up. */
  abstract boolean isOver();

  /** The same; gives it up if its time has passed and no timer has noticed. */
  abstract boolean isOverNow();

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

  /** The call's interceptors have thrown this. */
  void leaveAll(IOException reason) {
    leftAll = reason;
  }

  /**
   * The outer half: passes on to OkHttp, and shows on the way back what the {@link
   * ResendSuppressor} hid from it.
   */
  Response throughOkHttp(Interceptor.Chain chain, Request request) throws IOException {
    asked = request;
    origin = null;
    betweenGuardAndProbe = false;
    inOkHttp = true;
    try {
      Response response = chain.proceed(request);
      return HiddenServerDelay.reveal(hidden, response);
    } catch (NonRecoverableException sealed) {
      IOException opened = sealed.opened();
      leftOkHttp = opened;
      throw opened;
    } catch (Throwable thrown) {
      leftOkHttp = thrown;
      throw thrown;
    } finally {
      inOkHttp = false;
    }
  }

  /** The answer as OkHttp may see it, which must not send the request again by itself. */
  Response hideFollowUp(Response response) {
    HiddenServerDelay made = HiddenServerDelay.of(response);
    hidden = made;
    return made == null ? response : made.shown(response);
  }

  /**
   * A key belongs to one server, a scope to those named: a redirect elsewhere takes neither along.
   * Which server that is, the first request tells: an application interceptor may have rewritten
   * the host of the caller's request.
   */
  Request withoutForeignHeaders(Request request) {
    HttpUrl own = origin;
    if (own == null) {
      origin = request.url();
      return request;
    }
    return WireRequests.withoutHeadersOf(operation, own, request);
  }

  /**
   * The guard was reached; the user's network interceptors are next.
   *
   * @param onReusedConnection whether the connection has carried a request before
   */
  void enterGuard(boolean onReusedConnection) {
    betweenGuardAndProbe = true;
    reused = onReusedConnection;
    deadConnection = false;
  }

  /**
   * Counts a request that goes out now. What is known of it is written first, because the thread
   * that settles the attempt reads the count before the rest.
   *
   * @throws IOException if the attempt was given up; then nothing may follow
   */
  void sending(Request request) throws IOException {
    if (isOverNow()) {
      throw new IOException("Canceled");
    }
    startRequest();
    betweenGuardAndProbe = false;
    safety = WireRequests.safety(operation, request);
    latest = request;
    if (!count()) {
      throw new IOException("Canceled");
    }
  }

  /** The latest request becomes an earlier one. */
  private void startRequest() {
    earlier = earlier.and(settledSafety());
    safety = Safety.UNPROCESSED;
    unsent = false;
    head = null;
    leftProbe = null; // how an earlier request failed says nothing of this one
  }

  private Safety settledSafety() {
    return disposition().mayHaveActed() ? safety : Safety.UNPROCESSED;
  }

  /** What became of the latest request. */
  Disposition disposition() {
    Response answer = head;
    if (answer != null) {
      return HttpOperation.refuses(answer.code()) ? Disposition.REFUSED : Disposition.ANSWERED;
    }
    if (unsent || latest == null) {
      return Disposition.UNSENT;
    }
    return leftProbe instanceof IOException failure && OkHttpErrors.refusedStream(failure)
        ? Disposition.REFUSED
        : Disposition.UNKNOWN;
  }

  void answered(Response response) {
    head = response;
  }

  /** The latest request failed. */
  void failed(IOException reason) {
    leftProbe = reason;
  }

  /** A request that was counted did not go out after all. */
  void notSent(IOException reason) {
    uncount();
    leftProbe = reason;
    unsent = true;
  }

  /** A pooled connection is dead, and closed: what is written to it goes nowhere. */
  void onDeadConnection() {
    startRequest();
    unsent = true;
    deadConnection = true;
  }

  boolean isOnDeadConnection() {
    return deadConnection;
  }

  /** The guard passes on what failed within it. */
  void leaveGuard(IOException reason) {
    leftGuard = reason;
  }

  /**
   * Whether OkHttp may try another address of the host. It may if this address has refused the
   * request unprocessed, and another address of the host has not.
   */
  boolean mayGoOn(IOException failure, Connection connection) {
    if (isOver() || !same(failure, leftProbe) || !OkHttpErrors.refusedStream(failure)) {
      return false;
    }
    RefusedAddresses known = refusedAddresses == null ? new RefusedAddresses() : refusedAddresses;
    refusedAddresses = known;
    return known.anotherIsLeft(connection.route());
  }

  /** Whether nothing of the latest request can have reached the server. */
  boolean latestUnsent() {
    return unsent;
  }

  /** OkHttp gave the response to the loop: what breaks now is its body. */
  void handBack() {
    handedBack = true;
  }

  boolean handedBack() {
    return handedBack;
  }

  boolean reused() {
    return reused;
  }

  /** Whether nothing protects the latest request from having an effect twice. */
  boolean unsafe() {
    return safety == Safety.UNSAFE;
  }

  /** The answer to the latest request as the server sent it, null without one. */
  @Nullable Response head() {
    return head;
  }

  FailureSource source(Throwable thrown) {
    if (same(thrown, leftProbe)) {
      return FailureSource.WIRE;
    }
    Request request = asked;
    boolean own =
        request != null
            && same(thrown, leftOkHttp)
            && !same(thrown, leftGuard)
            && (latest != null || interceptors.okHttpsOwn(thrown, request.url()));
    return own ? FailureSource.OKHTTP : FailureSource.INTERCEPTOR;
  }

  @SuppressWarnings("ReferenceEquality") // it must be that very object
  private static boolean same(@Nullable Object one, @Nullable Object other) {
    return one != null && one == other;
  }

  /** What is known of an attempt that ended from outside. Nothing goes out any more. */
  Evidence evidence(boolean bodySpent) {
    seal();
    boolean nothingElseRan =
        !passedOn
            || (inOkHttp && !betweenGuardAndProbe && interceptors.probeSeesAll())
            || endedWithin();
    Response answer = head;
    int status = handedBack && answer != null ? answer.code() : -1;
    return evidence(requests(nothingElseRan), status, bodySpent);
  }

  /** What is known of an attempt that failed. Nothing goes out any more. */
  Evidence evidence(Throwable thrown, boolean bodySpent) {
    if (isOver()) {
      return evidence(bodySpent);
    }
    seal();
    boolean known = !passedOn || source(thrown) != FailureSource.INTERCEPTOR;
    return evidence(requests(known), -1, bodySpent);
  }

  /** Whether the call is over, and what it failed with is no interceptor's. */
  private boolean endedWithin() {
    Throwable thrown = leftAll;
    return thrown != null && source(thrown) != FailureSource.INTERCEPTOR;
  }

  /** What is known of an attempt if an interceptor turned an answer into a failure. */
  Evidence evidenceOfHead(Response seen, boolean bodySpent) {
    seal();
    // It is unknown what else the interceptor sent. A rule may still say that nothing was done.
    return evidence(requests(false), seen.code(), bodySpent);
  }

  /** What is known of an attempt that got an answer. */
  Evidence evidence(Response answer, boolean bodySpent) {
    Response network = answer.networkResponse();
    Requests requests = network == null ? unanswered(answer) : requests(network);
    return evidence(requests, answer.code(), bodySpent);
  }

  private Evidence evidence(Requests requests, int status, boolean bodySpent) {
    return new Evidence(requests, status, deliveries(), false, bodySpent);
  }

  /**
   * The requests of the attempt.
   *
   * @param seen whether nothing can have gone out that the probe did not see
   */
  private Requests requests(boolean seen) {
    Disposition last = disposition();
    if (seen || last.mayHaveActed()) {
      return Requests.of(last, safety, earlier);
    }
    Safety unseen = latest == null || unsent ? operation.safety() : safety;
    return Requests.of(Disposition.UNKNOWN, unseen, earlier);
  }

  // An answer that an interceptor made says nothing about a request without an answer, and it is
  // unknown what else the interceptor did.
  private Requests unanswered(Response answer) {
    if (head != null) {
      return requests(true);
    }
    Requests sent = requests(OkHttpViews.ofCache(answer));
    return Requests.of(sent.last(), safety, earlier.and(sent.safety()));
  }

  private Requests requests(Response network) {
    if (WireRequests.sameAnswer(head, network)) {
      Request request = network.request();
      Safety also = same(request, latest) ? safety : WireRequests.safety(operation, request);
      return Requests.of(disposition(), safety.and(also), earlier);
    }
    if (deliveries() == 0) {
      interceptors.answeredByOtherMeans();
    }
    return Requests.of(
        Disposition.ANSWERED,
        WireRequests.safety(operation, network.request()),
        earlier.and(settledSafety()));
  }
}
