package dev.steadfast.retry.okhttp;

import dev.steadfast.retry.Disposition;
import dev.steadfast.retry.engine.Attempt;
import dev.steadfast.retry.engine.Evidence;
import dev.steadfast.retry.engine.Evidence.Requests;
import dev.steadfast.retry.engine.Evidence.Safety;
import dev.steadfast.retry.http.HttpOperation;
import dev.steadfast.retry.internal.Advice;
import dev.steadfast.retry.internal.CallContext;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.regex.Pattern;
import okhttp3.Call;
import okhttp3.Connection;
import okhttp3.Headers;
import okhttp3.HttpUrl;
import okhttp3.Interceptor;
import okhttp3.Request;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;

/**
 * What one attempt did on the wire, as the interceptors saw it: which requests went out, on what
 * kind of connection, how they failed or were answered, and what was hidden from OkHttp on the way
 * back.
 *
 * <p>Written by the thread of OkHttp's call; read by whoever settles the attempt, which after a
 * timeout or a cancellation is another one.
 */
final class WireTrace implements Runnable {
  private static final AtomicIntegerFieldUpdater<WireTrace> SENT =
      AtomicIntegerFieldUpdater.newUpdater(WireTrace.class, "sent");

  private static final String RETRY_AFTER = "Retry-After";
  private static final Pattern SECONDS = Pattern.compile("[1-9][0-9]{0,8}");

  private final OkHttpTransport exchange;
  private final AttemptRegistry wires;
  private final Attempt<Answer> attempt;
  private final Call call;

  // Requests sent; sealed, it is -1 - requests, so that sending and sealing exclude each other.
  private volatile int sent;

  // The latest request.
  private volatile @Nullable Request latest;
  private volatile Safety safety = Safety.UNPROCESSED; // why it may be sent again
  private volatile boolean reused;
  private volatile boolean unsent; // its connection was dead
  private volatile @Nullable Response head; // as the server sent it

  private volatile Safety earlier = Safety.UNPROCESSED; // the weakest of those before the latest
  private boolean deadConnection; // the current one
  private @Nullable HttpUrl origin; // of the first request that the client made of the caller's

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
  private volatile boolean dropped;
  private volatile boolean held;
  private volatile boolean timeoutLifted;
  private volatile boolean timeIsUp; // that of the operation
  private volatile @Nullable InterceptorBounds bounds; // of an interceptor alone
  private volatile boolean interrupted;
  private volatile boolean broken;
  private @Nullable RefusedAddresses refusedAddresses;
  private @Nullable Shown shown; // the latest answer, if it was shown to OkHttp with another delay

  WireTrace(OkHttpTransport exchange, AttemptRegistry wires, Attempt<Answer> attempt, Call call) {
    this.exchange = exchange;
    this.wires = wires;
    this.attempt = attempt;
    this.call = call;
  }

  Attempt<Answer> attempt() {
    return attempt;
  }

  Call call() {
    return call;
  }

  /** Stops the attempt on the wire: its canceller. */
  @Override
  public void run() {
    if (!passedOn) {
      wires.remove(call); // it may never leave the dispatcher's queue
    }
    call.cancel();
  }

  /** OkHttp did not take the call, or said so after it had. */
  void neverMind() {
    run();
  }

  OkHttpTransport exchange() {
    return exchange;
  }

  private HttpOperation operation() {
    return exchange.operation();
  }

  /**
   * Takes back the timeout of the caller's call, from the operation and from OkHttp's call. The
   * latter has an effect only while that runs, so it is done again when it leaves the queue.
   */
  void liftTimeout() {
    timeoutLifted = true;
    attempt.extendBound(exchange.boundNanos());
    call.timeout().clearTimeout().clearDeadline().cancel();
  }

  /**
   * Whether the time of an operation is up, before a timer has noticed. OkHttp itself ends an
   * interceptor's call by its timeout; where that has passed and the call goes on, somebody took it
   * back.
   */
  boolean outOfTime() {
    if (bounds != null && attempt.remainingNanos() == 0 && !call.isCanceled()) {
      attempt.extendBound(exchange.boundNanos());
    }
    return attempt.remainingNanos() == 0;
  }

  /**
   * Makes the attempt, unless it is over before it began.
   *
   * @param direct whether nothing of the user's comes before OkHttp
   */
  Response attempted(Interceptor.Chain chain, Request request, boolean direct) throws IOException {
    if (call.isCanceled() || held || !attempt.begin(request)) {
      throw new IOException("Canceled");
    }
    if (call.isCanceled()) {
      throw new IOException("Canceled"); // by a listener, just now
    }
    if (timeoutLifted) {
      call.timeout().cancel();
    }
    passedOn = true;
    if (sent < 0) {
      throw new IOException("Canceled"); // it was settled, perhaps as an attempt that never began
    }
    try {
      return direct ? throughOkHttp(chain, request) : chain.proceed(request);
    } catch (IOException thrown) {
      leftAll = thrown;
      if (timeIsUp) {
        throw timeout(thrown);
      }
      interrupted = Thread.currentThread().isInterrupted(); // who judges may be another thread
      if (interrupted && !(thrown instanceof InterruptedIOException)) {
        throw interruption(thrown); // the socket of a virtual thread says that it was closed
      }
      throw canceled(thrown) ? new IOException("Canceled", thrown) : thrown;
    } catch (RuntimeException | Error bug) {
      broken = true; // OkHttp may make an IOException of it
      throw bug;
    } catch (Throwable undeclared) {
      throw declared(undeclared);
    }
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
      return reveal(chain.proceed(request));
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

  /** What applies to other operations that the attempt begins, an authenticator's for one. */
  @Nullable CallContext forOthers(@Nullable CallContext here) {
    CallContext own = operation().plan().callContext();
    return own == null ? here : own.beyond();
  }

  /** The same where an interceptor may send through another client that retries. */
  CallContext within(@Nullable CallContext others) {
    return operation().withinAttempt(others);
  }

  /** The request with the time that is left now: some went by in the dispatcher's queue. */
  Request withTimeLeft(Request request) {
    if (!operation().tellsTimeLeft()) {
      return request;
    }
    Request.Builder late = request.newBuilder();
    operation().headers(attempt.number(), attempt.timeoutNanos(), late::header);
    return late.build();
  }

  // A cancelled call fails with whatever its closed socket says; the caller knows one word for it.
  private boolean canceled(IOException thrown) {
    return cancelledByOthers()
        && !(thrown instanceof InterruptedIOException)
        && !"Canceled".equals(thrown.getMessage());
  }

  // OkHttp 5 lets an InterruptedException through while it connects.
  private IOException declared(Throwable undeclared) {
    if (!(undeclared instanceof InterruptedException)) {
      broken = true;
      return new IOException(undeclared);
    }
    interrupted = true;
    Thread.currentThread().interrupt();
    return interruption(undeclared);
  }

  private static IOException interruption(Throwable cause) {
    IOException interruption = new InterruptedIOException("interrupted");
    interruption.initCause(cause);
    return interruption;
  }

  /**
   * Whether it is worth a millisecond to ask if a pooled connection is still alive: the request
   * could not be sent again, or a retry must not meet the next dead connection.
   */
  boolean asksFirst(Request request) {
    return attempt.number() > 1 || !operation().survivesDeadConnection(safety(request));
  }

  /** Whether a response has a body that is still to be read from its connection. */
  static boolean hasBodyOfNetwork(Response response) {
    boolean none =
        response.body() == null
            || response.body().contentLength() == 0
            || response.code() == 204
            || response.code() == 304
            || response.request().method().equals("HEAD");
    return !none && response.networkResponse() != null;
  }

  // Time.

  /** For an interceptor, whose attempts the loop cannot end. */
  InterceptorBounds bounded() {
    InterceptorBounds made =
        new InterceptorBounds(this, operation().plan().environment().scheduler());
    bounds = made;
    made.setTimer();
    return made;
  }

  /** The operation's time is up: its call ends, and nothing goes out any more. */
  void endAtDeadline() {
    timeIsUp = true;
    call.cancel();
  }

  /**
   * The attempt has its answer.
   *
   * @throws IOException if the time was up before
   */
  void endInTime() throws IOException {
    InterceptorBounds running = bounds;
    if (running != null && !running.end()) {
      throw timeout(null);
    }
  }

  /** What the caller gets of a failure that is not OkHttp's. */
  Throwable failure(Throwable thrown) {
    return timeIsUp && !(thrown instanceof InterruptedIOException) ? timeout(thrown) : thrown;
  }

  boolean timeIsUp() {
    return timeIsUp;
  }

  private static IOException timeout(@Nullable Throwable cause) {
    IOException timeout = new InterruptedIOException("timeout");
    if (cause != null) {
      timeout.initCause(cause);
    }
    return timeout;
  }

  /** The request body begins to be written. */
  void bodyStarted() {
    attempt.bodyStarted();
  }

  void bodyEnded() {
    attempt.bodyEnded();
    InterceptorBounds running = bounds;
    if (running != null) {
      running.setTimer();
    }
  }

  /** The connection that the latest request goes out on. */
  void on(Connection connection) {
    InterceptorBounds running = bounds;
    if (running != null) {
      running.on(connection);
    }
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
    if (sameOrigin(own, request.url())) {
      return request;
    }
    List<String> bound = operation().headersOfOrigin();
    if (bound.stream().allMatch(name -> request.header(name) == null)) {
      return request;
    }
    Request.Builder foreign = request.newBuilder();
    bound.forEach(foreign::removeHeader);
    return foreign.build();
  }

  private static boolean sameOrigin(HttpUrl one, HttpUrl other) {
    return one.scheme().equals(other.scheme())
        && one.host().equals(other.host())
        && one.port() == other.port();
  }

  /** Why a request may be sent again, by its method and key as they go over the wire. */
  private Safety safety(Request request) {
    String header = operation().keyHeader().orElse(null);
    List<String> keyLines = header == null ? List.of() : lines(request.headers(), header);
    return operation().safety(request.method(), keyLines);
  }

  // As Headers.values, which copies more than it gives.
  private static List<String> lines(Headers headers, String name) {
    String last = headers.get(name);
    if (last == null) {
      return List.of();
    }
    int count = 0;
    for (int i = 0; i < headers.size(); i++) {
      count += headers.name(i).equalsIgnoreCase(name) ? 1 : 0;
    }
    return count == 1 ? List.of(last) : headers.values(name);
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
   * Counts a request that goes out now. What is known of it is written first: whoever settles the
   * attempt reads the count before the rest.
   *
   * @throws IOException if the attempt was given up; then nothing may follow
   */
  void sending(Request request) throws IOException {
    if (outOfTime()) {
      endAtDeadline();
    }
    if (timeIsUp || attempt.stopped()) {
      throw new IOException("Canceled");
    }
    adviseOnResendBeneath();
    startRequest();
    betweenGuardAndProbe = false;
    safety = safety(request);
    latest = request;
    int before = sent;
    while (before >= 0 && !SENT.compareAndSet(this, before, before + 1)) {
      before = sent;
    }
    if (before < 0) {
      throw new IOException("Canceled");
    }
  }

  /**
   * A request goes out after one that failed. OkHttp is kept from that, but for the next address of
   * a host that refused the stream, so an interceptor retries by itself.
   */
  private void adviseOnResendBeneath() {
    Response answer = head;
    int status = answer == null ? 0 : answer.code();
    boolean failed = status >= 500 || status == 408 || status == 429;
    if (failed || disposition() == Disposition.UNKNOWN) {
      operation().plan().advise(Advice.RESENT_BENEATH, operation());
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
  private Disposition disposition() {
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

  /**
   * Lets nothing out any more, so that what {@link #deliveries} says stays true. Otherwise a timer
   * could give up an attempt as never sent while its thread is about to send.
   */
  void seal() {
    int before = sent;
    while (before >= 0 && !SENT.compareAndSet(this, before, -1 - before)) {
      before = sent;
    }
  }

  void answered(Response response) {
    head = response;
  }

  /** A request that was counted failed. */
  void failed(IOException reason) {
    leftProbe = reason;
  }

  /** A request that was counted did not go out after all. */
  void notSent(IOException reason) {
    int before = sent;
    while (!SENT.compareAndSet(this, before, before < 0 ? before + 1 : before - 1)) {
      before = sent;
    }
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

  /** What came of writing to a dead connection. */
  void foundDead(IOException reason) {
    leftProbe = reason;
  }

  /** The guard passes on what failed within it. */
  void leaveGuard(IOException reason) {
    leftGuard = reason;
  }

  /**
   * Whether OkHttp may try another address of the host: the server has refused the request
   * unprocessed, and the host has an address that has not.
   */
  boolean mayGoOn(IOException failure, @Nullable Connection connection) {
    if (connection == null
        || !same(failure, leftProbe)
        || !OkHttpErrors.refusedStream(failure)
        || attempt.stopped()) {
      return false;
    }
    RefusedAddresses known = refusedAddresses;
    if (known == null) {
      known = new RefusedAddresses();
      refusedAddresses = known;
    }
    return known.anotherIsLeft(connection.route());
  }

  /** Whether nothing of the latest request can have reached the server. */
  boolean latestUnsent() {
    return unsent;
  }

  int deliveries() {
    int count = sent;
    return count < 0 ? -1 - count : count;
  }

  /** OkHttp gave the response to the loop: what breaks now is its body. */
  void handBack() {
    handedBack = true;
  }

  boolean handedBack() {
    return handedBack;
  }

  /** OkHttp's call is cancelled to get rid of its response. */
  void drop() {
    dropped = true;
    call.cancel();
  }

  /** Does not begin any more; unlike a cancellation it ends nothing that has begun. */
  void hold() {
    held = true;
  }

  /** Whether our timer, our canceller or nobody's need of the response ended OkHttp's call. */
  boolean stopped() {
    return attempt.stopped() || dropped;
  }

  /** Whether somebody cancelled OkHttp's call who is neither our timer nor our canceller. */
  boolean cancelledByOthers() {
    return (held || call.isCanceled()) && !stopped();
  }

  /** Whether the thread of the call was interrupted when the attempt failed. */
  boolean interrupted() {
    return interrupted;
  }

  /** Whether an interceptor threw what no interceptor may throw. */
  boolean broken() {
    return broken;
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

  /** Where a failure comes from. */
  enum Source {
    /** From beyond the probe: the wire. */
    WIRE,
    /** From OkHttp itself: no route, no connection, a redirect that cannot be followed. */
    OKHTTP,
    /** From an interceptor, or from whatever it calls. */
    INTERCEPTOR
  }

  Source source(Throwable thrown) {
    if (same(thrown, leftProbe)) {
      return Source.WIRE;
    }
    Request request = asked;
    boolean own =
        request != null
            && same(thrown, leftOkHttp)
            && !same(thrown, leftGuard)
            && (latest != null || wires.okHttpsOwn(thrown, request.url()));
    return own ? Source.OKHTTP : Source.INTERCEPTOR;
  }

  @SuppressWarnings("ReferenceEquality") // it must be that very object
  private static boolean same(@Nullable Object one, @Nullable Object other) {
    return one != null && one == other;
  }

  /** What is known of an attempt that ended from outside. Nothing goes out any more. */
  Evidence evidence(boolean bodySpent) {
    seal();
    boolean nothingElseRan =
        !passedOn || (inOkHttp && !betweenGuardAndProbe && wires.probeSeesAll()) || endedWithin();
    Response answer = head;
    int status = handedBack && answer != null ? answer.code() : -1;
    return evidence(requests(nothingElseRan), status, bodySpent);
  }

  /** What is known of an attempt that failed. Nothing goes out any more. */
  Evidence evidence(Throwable thrown, boolean bodySpent) {
    if (attempt.stopped() || timeIsUp) {
      return evidence(bodySpent);
    }
    seal();
    boolean known = !passedOn || source(thrown) != Source.INTERCEPTOR;
    return evidence(requests(known), -1, bodySpent);
  }

  /** Whether the call is over, and what it failed with is no interceptor's. */
  private boolean endedWithin() {
    Throwable thrown = leftAll;
    return thrown != null && source(thrown) != Source.INTERCEPTOR;
  }

  /** What is known of an attempt whose failure an interceptor made of an answer. */
  Evidence evidenceOfHead(Response seen, boolean bodySpent) {
    seal();
    // What else the interceptor sent, nobody knows; a rule may still claim that nothing was done.
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
    Safety unseen = latest == null || unsent ? operation().safety() : safety;
    return Requests.of(Disposition.UNKNOWN, unseen, earlier);
  }

  // What an interceptor says in an answer of its own is not said of a request whose answer is lost,
  // and nobody knows what else the interceptor did.
  private Requests unanswered(Response answer) {
    if (head != null) {
      return requests(true);
    }
    Requests sent = requests(ofCache(answer));
    return Requests.of(sent.last(), safety, earlier.and(sent.safety()));
  }

  /** Whether it was kept in the cache, or says that there is nothing in it. */
  private static boolean ofCache(Response answer) {
    return answer.cacheResponse() != null
        || (answer.code() == 504 && answer.request().cacheControl().onlyIfCached());
  }

  private Requests requests(Response network) {
    if (passedProbe(network)) {
      Safety also = same(network.request(), latest) ? safety : safety(network.request());
      return Requests.of(disposition(), safety.and(also), earlier);
    }
    if (deliveries() == 0) {
      wires.answeredByOtherMeans();
    }
    return Requests.of(
        Disposition.ANSWERED, safety(network.request()), earlier.and(settledSafety()));
  }

  // Not the same object: OkHttp strips the body, and interceptors may copy.
  private boolean passedProbe(Response network) {
    Response seen = head;
    return seen != null
        && seen.code() == network.code()
        && seen.sentRequestAtMillis() == network.sentRequestAtMillis()
        && seen.receivedResponseAtMillis() == network.receivedResponseAtMillis();
  }

  /**
   * The headers of an answer as the server sent them, and as OkHttp saw them: with one line more.
   */
  private record Shown(Headers sent, Headers seen) {
    // Removing a line moves all that follow it, so many lines are not removed: then the added one
    // stays, on an answer that nobody can make sense of.
    private static final int MOST_LINES = 16;

    Headers revealed(Headers returned) {
      if (returned.equals(seen)) {
        return sent;
      }
      // OkHttp unpacked the body and dropped its encoding and length, or an interceptor was at
      // work.
      List<String> values = sent.values(RETRY_AFTER);
      if (values.size() > MOST_LINES) {
        return returned;
      }
      Headers.Builder headers = returned.newBuilder().removeAll(RETRY_AFTER);
      // As OkHttp takes what a server sends: other methods throw at what is not ASCII.
      values.forEach(value -> headers.addUnsafeNonAscii(RETRY_AFTER, value));
      return headers.build();
    }
  }

  /**
   * Keeps OkHttp from sending the request again by itself: it repeats a 503 that says {@code
   * Retry-After: 0} and a 408 without delay, and crashes on a delay of eleven digits. The last line
   * holds for it, so one is added; other answers pass as they are.
   */
  Response hideFollowUp(Response response) {
    shown = null;
    int code = response.code();
    if (code != 503 && code != 408) {
      return response;
    }
    String delay = response.header(RETRY_AFTER);
    if (delay == null ? code == 503 : isNoReasonToFollowUp(delay)) {
      return response;
    }
    Response longer = response.newBuilder().addHeader(RETRY_AFTER, "1").build();
    shown = new Shown(response.headers(), longer.headers());
    return longer;
  }

  // Seconds that are more than none and fit an int, or what OkHttp does not take for a number.
  private static boolean isNoReasonToFollowUp(String delay) {
    boolean number = delay.chars().allMatch(Character::isDigit);
    return !number || SECONDS.matcher(delay).matches();
  }

  private Response reveal(Response response) {
    Shown last = shown;
    if (last == null || (response.code() != 503 && response.code() != 408)) {
      return response;
    }
    Response network = response.networkResponse();
    return response
        .newBuilder()
        .headers(last.revealed(response.headers()))
        .networkResponse(
            network == null
                ? null
                : network.newBuilder().headers(last.revealed(network.headers())).build())
        .build();
  }
}
