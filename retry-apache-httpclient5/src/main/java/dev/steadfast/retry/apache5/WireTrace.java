package dev.steadfast.retry.apache5;

import dev.steadfast.retry.Disposition;
import dev.steadfast.retry.engine.Attempt;
import dev.steadfast.retry.engine.Evidence;
import dev.steadfast.retry.engine.SentBody;
import dev.steadfast.retry.engine.WireLog;
import dev.steadfast.retry.http.HttpOperation;
import dev.steadfast.retry.http.Journaling.EarlierRequest;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.apache.hc.core5.concurrent.Cancellable;
import org.apache.hc.core5.concurrent.CancellableDependency;
import org.apache.hc.core5.http.EntityDetails;
import org.apache.hc.core5.http.HttpRequest;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.message.BasicHttpResponse;
import org.jspecify.annotations.Nullable;

/**
 * The known facts of one attempt: its requests as they went over the wire, where it is, and where
 * an exception comes from. It also ends the attempt on the wire. Written by the thread of the call,
 * or by several if a handler sends by several; read by whoever settles the attempt.
 */
final class WireTrace implements CancellableDependency {
  /** The place where an attempt is. */
  enum Place {
    /** Not at a connection: in handlers, or not begun. */
    HANDLERS,
    /** It waits for a connection of the pool. */
    LEASE,
    /** It connects, by way of a proxy or not. */
    CONNECT,
    /** It sends its request, or waits for the head of the answer. */
    EXCHANGE,
    /** Its answer was handed over, and its body is read within the attempt. */
    BODY
  }

  private final Apache5Transport<?> transport;
  private final HttpOperation operation;
  private final Attempt<?> attempt;
  private final Thread thread = Thread.currentThread();
  final WireLog<HttpRequest> log;

  private volatile Place place = Place.HANDLERS;
  private volatile @Nullable Throwable left; // the last exception of connection or pool
  private volatile boolean reused;
  private volatile int handedBack = -1; // the status of an answer that the caller may get
  private volatile boolean throughTunnel; // the answer may be that of a proxy to CONNECT
  private volatile int status = -1; // of the latest request
  private volatile @Nullable Apache5Answer<HttpResponse> head; // of the latest answer, from 400 on
  private volatile boolean interrupted;
  private volatile boolean elsewhere;
  private volatile @Nullable HttpRequest first; // whose server a key must not leave
  private volatile EarlierRequest earlier = EarlierRequest.NONE;

  // The ways to end this attempt.
  private volatile boolean cancelled;
  private volatile @Nullable Cancellable underWay;
  private volatile @Nullable Runnable close;

  WireTrace(Apache5Transport<?> transport, Attempt<?> attempt) {
    this.transport = transport;
    this.operation = transport.operation;
    this.attempt = attempt;
    this.log = new WireLog<>(operation.plan(), Apache5Views::text);
  }

  Attempt<?> attempt() {
    return attempt;
  }

  // ---- its end from outside

  /**
   * Takes the function that ends the connection of the attempt at once, in whatever state it is.
   */
  void closing(Runnable connection) {
    close = connection;
  }

  @Override
  public void setDependency(Cancellable now) {
    underWay = now;
    if (isCancelled()) {
      now.cancel();
    }
  }

  @Override
  public boolean isCancelled() {
    return cancelled || transport.isCancelled() || attempt.stopped();
  }

  @Override
  public boolean cancel() {
    cancelled = true;
    Cancellable now = underWay;
    return now != null && now.cancel();
  }

  /**
   * Ends the attempt on the wire, wherever it is. Closes the connection, too: an asynchronous
   * client may have only the cancellable of its lease, which is over, and not that of its exchange.
   */
  void drop() {
    cancel();
    Runnable connection = close;
    if (connection != null) {
      connection.run();
    }
  }

  // ---- what the connection tells

  void at(Place now) {
    place = now;
  }

  Place place() {
    return place;
  }

  /** The rest of the client has returned an answer. */
  void handedBack(int code) {
    handedBack = code;
    place = Place.BODY;
  }

  void leased(boolean connected) {
    reused = connected;
  }

  boolean reused() {
    return reused;
  }

  /** A proxy answered a CONNECT. */
  void tunnelled() {
    throughTunnel = true;
  }

  /** Whether something answered: the server, or a proxy on the way to it. */
  boolean answeredByNetwork() {
    return log.deliveries() > 0 || throughTunnel;
  }

  /**
   * A request goes out now.
   *
   * @return false if nothing may be sent any more, because the attempt is over
   */
  synchronized boolean sends(HttpRequest request) {
    boolean goesOn = (status >= 300 && status < 400) || status == 401 || status == 407;
    if (!goesOn || first == null) { // neither a redirect nor the answer to a challenge
      elsewhere = !Apache5Views.sameTarget(request, transport.request);
      first = request;
    }
    HttpRequest before = log.latest();
    if (before != null && status >= 0) {
      earlier = earlier.and(EarlierRequest.before(status, before.getMethod(), request.getMethod()));
    }
    if (log.deliveries() > 0) {
      operation.adviseOnResend(status, log.disposition());
    }
    withoutHeadersOfOrigin(request);
    log.begins(elsewhere);
    head = null;
    status = -1;
    return log.sends(request, safety(request), operation.carriesKey(name -> lines(request, name)));
  }

  private Evidence.Safety safety(HttpRequest request) {
    return operation.safety(request.getMethod(), name -> lines(request, name));
  }

  private static List<String> lines(HttpRequest request, String name) {
    return Apache5Views.lines(request, name);
  }

  /** Removes the headers that must not go to the server of this request. */
  private void withoutHeadersOfOrigin(HttpRequest request) {
    HttpRequest from = first;
    if (from != null && !from.equals(request)) {
      operation
          .foreignHeaders(Apache5Views.origin(from), Apache5Views.origin(request))
          .forEach(request::removeHeaders);
    }
  }

  /** A request was answered. If a handler has sent another one since, the answer does not count. */
  synchronized void answered(HttpRequest request, HttpResponse response) {
    if (!request.equals(log.latest())) {
      return;
    }
    status = response.getCode();
    head = status < 400 ? null : new Apache5Answer<>(asItCame(response), this);
    log.answered(status);
    place = Place.HANDLERS;
  }

  /** A copy: handlers may change the response, or make an exception of it. */
  private static HttpResponse asItCame(HttpResponse response) {
    HttpResponse copy = new BasicHttpResponse(response.getCode());
    copy.setHeaders(response.getHeaders());
    return copy;
  }

  /** The open question about the requests before the answered one. */
  EarlierRequest earlierRequest() {
    return earlier;
  }

  /** Whether the calling thread is the one that reports. */
  boolean isOnItsThread() {
    return Thread.currentThread().equals(thread);
  }

  /** Another thread sends a request, of which nothing else is seen. */
  void beside(HttpRequest request) {
    log.otherSent(safety(request), false);
  }

  /** Begins to send a body; null if its bytes need not be watched. */
  SentBody.@Nullable Pass pass(EntityDetails onWire) {
    SentBody body = transport.body;
    return body == null ? null : body.pass(onWire, this, onWire.getContentLength());
  }

  /** Whether the operation has not gone on to another attempt. */
  boolean isCurrent() {
    return transport.isCurrent(this);
  }

  /** Produces a part of a body, unless the operation has gone on to another attempt. */
  void produce(BodyTurn.Part part) throws IOException {
    BodyTurn turn = transport.turn;
    if (turn != null) {
      turn.produce(this, part);
    } else if (isCurrent()) { // a handler has added the body
      part.run();
    }
  }

  /** Whether the body is known to have changed. */
  boolean bodyChanged() {
    SentBody body = transport.body;
    return body != null && body.changed() != null;
  }

  /** The evidence of an attempt that ended from outside. Nothing goes out any more. */
  Evidence ended(boolean bodySpent) {
    log.seal();
    if (place == Place.HANDLERS && log.latest() == null) {
      log.othersUnseen(operation.safety(), false); // a handler may have sent by other means
    }
    return log.evidence(handedBack, bodySpent);
  }

  /** The connection or the pool throws this. */
  void leaves(Throwable thrown) {
    left = thrown;
  }

  /**
   * An exchange breaks.
   *
   * @param unanswered its request, if it was sent and not answered
   */
  synchronized void breaks(@Nullable HttpRequest unanswered, Exception cause) {
    boolean latest = unanswered != null && unanswered.equals(log.latest());
    if (latest && Apache5Failures.isRefused(cause)) {
      log.refused();
    }
    left = cause;
  }

  // ---- what the handlers tell

  /** The attempt fails with this. Unless it came from the wire, something may have been sent. */
  void fails(Throwable thrown) {
    interrupted = Thread.currentThread().isInterrupted();
    boolean nothingSeen = log.disposition() == Disposition.UNSENT;
    if (nothingSeen && !ofWire(thrown)) {
      log.othersUnseen(log.latest() == null ? operation.safety() : log.safety(), false);
    }
  }

  /** Whether an exception is the very one that left the wire, or one that HttpClient made of it. */
  boolean ofWire(Throwable thrown) {
    return same(thrown, left) || (left != null && same(thrown.getCause(), left));
  }

  @SuppressWarnings("ReferenceEquality") // an equal one need not come from where this came from
  private static boolean same(@Nullable Throwable one, @Nullable Throwable other) {
    return one == other;
  }

  boolean interrupted() {
    return interrupted;
  }

  boolean cancelledByCaller() {
    return transport.isCancelled();
  }

  @Nullable Apache5Answer<HttpResponse> head() {
    return head;
  }

  Optional<String> origin() {
    HttpRequest latest = log.latest();
    return latest == null ? Optional.empty() : Optional.of(Apache5Views.origin(latest));
  }
}
