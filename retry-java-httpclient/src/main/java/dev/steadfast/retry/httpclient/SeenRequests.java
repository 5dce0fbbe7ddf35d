package dev.steadfast.retry.httpclient;

import dev.steadfast.retry.engine.Evidence;
import dev.steadfast.retry.engine.WireLog;
import dev.steadfast.retry.http.HttpOperation;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * The requests of one attempt through a client that may send several, and shows the answers to
 * some: a client of the user's own making that sends again within a call, or one that follows
 * redirects and shows them when its call is over. One thread at a time reports.
 */
final class SeenRequests {
  private static final int NONE = -1;

  private final HttpOperation operation;
  private final HttpRequest request;
  private final boolean redirects; // the client follows some
  private final WireLog<HttpRequest> wire;
  private volatile int hidden = NONE; // status of a head that may have come after redirects
  private final AtomicInteger heads = new AtomicInteger();
  private int passes; // of the request body, up to the latest head
  private int newPasses; // up to the latest head, since the one before

  SeenRequests(HttpOperation operation, HttpRequest request, boolean redirects) {
    this.operation = operation;
    this.request = request;
    this.redirects = redirects;
    this.wire =
        new WireLog<>(operation.plan(), each -> each.method() + " " + each.uri().getRawPath());
  }

  /** How many answers the client has shown. */
  int heads() {
    return heads.get();
  }

  /**
   * The client shows the head of an answer.
   *
   * @param bodyPasses how often the client has asked for the request body
   */
  void head(int status, int bodyPasses) {
    settle(false);
    newPasses = bodyPasses - passes;
    passes = bodyPasses;
    heads.incrementAndGet();
    if (redirects) {
      hidden = status;
      sentAsGiven();
      return;
    }
    lostBefore(newPasses - 1);
    sentAsGiven();
    wire.answered(status);
  }

  // The client has asked for the request body more often than it has shown answers: so requests
  // were lost, and the client has sent again by itself.
  private void lostBefore(int requests) {
    for (int each = 0; each < requests; each++) {
      sentAsGiven();
    }
  }

  private void sentAsGiven() {
    wire.sends(request, operation.safety(), true);
  }

  private void sent(HttpRequest each) {
    Function<String, List<String>> headers = name -> each.headers().allValues(name);
    wire.sends(each, operation.safety(each.method(), headers), operation.carriesKey(headers));
  }

  /**
   * Reports the latest answer, of which no more is known.
   *
   * @param last whether it is the answer of the attempt
   */
  private void settle(boolean last) {
    int status = hidden;
    if (status != NONE) {
      hidden = NONE;
      wire.othersUnseen(operation.safety(), last);
      wire.answered(status);
    }
  }

  /** The client's call is over: the response tells of the redirects before it. */
  void over(HttpResponse<?> response) {
    int status = hidden;
    if (status != response.statusCode()) {
      settle(false);
      return;
    }
    hidden = NONE;
    Deque<HttpResponse<?>> chain = new ArrayDeque<>();
    for (HttpResponse<?> each = response;
        each != null;
        each = each.previousResponse().orElse(null)) {
      chain.addFirst(each);
    }
    lostBefore(newPasses - withBody(chain));
    wire.answered(chain.removeFirst().statusCode()); // the request that was handed over
    for (HttpResponse<?> next : chain) {
      sent(next.request());
      wire.answered(next.statusCode());
    }
  }

  private static int withBody(Deque<HttpResponse<?>> chain) {
    int count = 0;
    for (HttpResponse<?> each : chain) {
      count += each.request().bodyPublisher().isPresent() ? 1 : 0;
    }
    return count;
  }

  /** The answer is judged before the client's call is over. */
  void decidesEarly() {
    settle(true);
  }

  /** The client may have sent another request after an answer; nothing is known of it. */
  void lost() {
    settle(false);
    wire.othersUnseen(operation.safety(), false);
  }

  /** The evidence of the attempt, with the status of its answer, -1 without one. */
  Evidence evidence(int status, boolean bodySpent) {
    // The client may have sent others that it showed nothing of.
    return wire.evidence(status, bodySpent).withUnknownDeliveries();
  }
}
