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
 * <p>Written and read by the threads that write and read what is in its base class.
 */
abstract class RequestTrace extends CallProgress {
  final HttpOperation operation;

  // The latest request.
  private volatile @Nullable Request latest;
  private volatile Safety safety = Safety.UNPROCESSED; // why it may be sent again
  private volatile boolean reused;
  private volatile boolean unsent; // its connection was dead
  private volatile @Nullable Response head; // as the server sent it

  private volatile Safety earlier = Safety.UNPROCESSED; // the weakest of those before the latest
  private volatile boolean afterEffect; // one before the latest may have had an effect
  private boolean deadConnection; // the current one
  private @Nullable HttpUrl origin; // which a key must not leave; null: that of the next request
  private @Nullable RefusedAddresses refusedAddresses;

  private volatile boolean handedBack;
  private @Nullable HiddenServerDelay hidden; // of the latest answer

  RequestTrace(HttpOperation operation, ClientInterceptors interceptors) {
    super(interceptors);
    this.operation = operation;
  }

  /** Whether the attempt was given up. */
  abstract boolean isOver();

  /** The same; gives it up if its time has passed and no timer has noticed. */
  abstract boolean isOverNow();

  @Override
  boolean anySent() {
    return latest != null;
  }

  /**
   * The outer half: passes on to OkHttp, and shows on the way back what the {@link
   * ResendSuppressor} hid from it.
   */
  Response throughOkHttp(Interceptor.Chain chain, Request request) throws IOException {
    origin = keyedRead(request) ? request.url() : null;
    enterOkHttp(request);
    try {
      Response response = chain.proceed(request);
      return HiddenServerDelay.reveal(hidden, response);
    } catch (NonRecoverableException sealed) {
      IOException opened = sealed.opened();
      leaveOkHttp(opened);
      throw opened;
    } catch (Throwable thrown) {
      leaveOkHttp(thrown);
      throw thrown;
    } finally {
      outOfOkHttp();
    }
  }

  /**
   * Whether the first request on the wire may follow a redirect that OkHttp's cache has kept: then
   * it goes to another origin, and a key that we added must not go along. Such a request needs no
   * key to be repeated.
   */
  private boolean keyedRead(Request request) {
    String method = request.method();
    return (method.equals("GET") || method.equals("QUERY"))
        && operation.keyHeader().filter(operation::adds).isPresent();
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
   * the host of the caller's request. For one that the cache may answer it is the caller's own.
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
   * As {@link #enterGuard()}.
   *
   * @param onReusedConnection whether the connection has carried a request before
   */
  boolean enterGuard(boolean onReusedConnection) {
    reused = onReusedConnection;
    deadConnection = false;
    return enterGuard();
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
    passUsersInterceptors();
    safety = WireRequests.safety(operation, request);
    latest = request;
    if (!count()) {
      throw new IOException("Canceled");
    }
  }

  /** The latest request becomes an earlier one. */
  private void startRequest() {
    earlier = earlier.and(settledSafety());
    afterEffect |= mayHaveHadEffect();
    safety = Safety.UNPROCESSED;
    unsent = false;
    head = null;
    leaveProbe(null); // how an earlier request failed says nothing of this one
  }

  private Safety settledSafety() {
    return disposition().mayHaveActed() ? safety : Safety.UNPROCESSED;
  }

  private boolean mayHaveHadEffect() {
    Request request = latest;
    Response answer = head;
    return request != null
        && disposition().mayHaveActed()
        && HttpOperation.mayHaveHadEffect(request.method(), answer == null ? -1 : answer.code());
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
    return streamRefused() ? Disposition.REFUSED : Disposition.UNKNOWN;
  }

  void answered(Response response) {
    head = response;
  }

  /** A request that was counted did not go out after all. */
  void notSent(IOException reason) {
    uncount();
    leaveProbe(reason);
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

  /**
   * Whether OkHttp may go on after a failure: by another connection if nothing was sent on this
   * one, and by another address of the host if this one has refused the request unprocessed and
   * that one has not. The failure must be the one of the request itself: an interceptor may throw
   * one of the same class after the request was processed.
   */
  boolean mayGoOn(IOException failure, Connection connection) {
    if (isOver() || !failedAtProbe(failure)) {
      return false;
    }
    if (unsent || !streamRefused()) {
      return unsent;
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

  /** What is known of an attempt that ended from outside. Nothing goes out any more. */
  Evidence evidence(boolean bodySpent) {
    seal();
    boolean known = nothingElseRuns();
    Response answer = head;
    int status = handedBack && answer != null ? answer.code() : -1;
    return evidence(requests(known), status, bodySpent);
  }

  /** What is known of an attempt that failed. Nothing goes out any more. */
  Evidence evidence(Throwable thrown, boolean bodySpent) {
    if (isOver()) {
      return evidence(bodySpent);
    }
    seal();
    boolean known = !passedOn() || source(thrown) != FailureSource.INTERCEPTOR;
    return evidence(requests(known), -1, bodySpent);
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
    Evidence evidence = evidence(requests, answer.code(), bodySpent);
    Response seen = head;
    boolean own = seen != null && seen.code() == answer.code(); // else an interceptor made it
    return !own && mayHaveHadEffect() ? evidence.afterEffect() : evidence;
  }

  private Evidence evidence(Requests requests, int status, boolean bodySpent) {
    Evidence evidence = new Evidence(requests, status, deliveries(), false, bodySpent);
    return afterEffect ? evidence.afterEffect() : evidence;
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

  // An answer that an interceptor made says nothing about a request whose answer is lost or was
  // another one. It is unknown what else the interceptor did.
  private Requests unanswered(Response answer) {
    Response seen = head;
    if (seen != null && seen.code() == answer.code()) {
      return requests(false); // the same answer, put together anew
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
