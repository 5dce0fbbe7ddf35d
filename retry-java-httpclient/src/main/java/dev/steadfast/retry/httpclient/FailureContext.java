package dev.steadfast.retry.httpclient;

import dev.steadfast.retry.Disposition;
import dev.steadfast.retry.engine.Evidence;
import dev.steadfast.retry.engine.Evidence.Safety;
import java.net.CookieHandler;
import java.net.CookieManager;
import java.net.http.HttpClient;
import org.jspecify.annotations.Nullable;

/**
 * The known facts about an attempt apart from its answer or exception. They decide what an
 * exception proves. The request that failed may be the second one of its attempt: the client may
 * have followed a redirect, answered a challenge, or sent a GET again, after the first one was
 * processed.
 *
 * @param progress how far the attempt is known to have got
 * @param body whether the client has asked for the request body
 * @param hops the features that make the client send more than one request
 * @param resends whether the client sends the request again by itself when a connection breaks
 */
record FailureContext(Progress progress, BodyUse body, Hops hops, boolean resends) {

  /** How far the attempt is known to have got. */
  enum Progress {
    /** The client did not even take the request. */
    NOT_TAKEN,
    TAKEN,
    /** Taken, and a cookie handler of the user's may have got a head, and thrown the failure. */
    PERHAPS_ANSWERED,
    /** The head of the response came. */
    ANSWERED,
    /** The head came, and the user's code got a part of the body. */
    HANDED_ON
  }

  /** Whether the client has asked for the request body. */
  enum BodyUse {
    /** There is none, or the client may get an answer before it asks for it. */
    NONE,
    UNTOUCHED,
    ASKED_FOR
  }

  /** The features that make the client send more than one request in an attempt. */
  enum Hops {
    ONE,
    CHALLENGES,
    REDIRECTS
  }

  static FailureContext of(
      HttpClient client, JdkRequest original, @Nullable AttemptBodyHandler<?> delivery) {
    // As in the JDK's MultiExchange. enableAllMethodRetry would extend this to all methods.
    boolean resends = original.method().equals("GET") || original.method().equals("HEAD");
    if (delivery == null || delivery.notTaken()) {
      return new FailureContext(Progress.NOT_TAKEN, BodyUse.UNTOUCHED, Hops.ONE, resends);
    }
    BodyUse body = bodyUse(original, delivery);
    return new FailureContext(progress(client, body, delivery), body, hops(client), resends);
  }

  private static BodyUse bodyUse(JdkRequest original, AttemptBodyHandler<?> delivery) {
    if (delivery.body().subscribed()) {
      return BodyUse.ASKED_FOR;
    }
    boolean first = original.body().present() && !original.request().expectContinue();
    return first ? BodyUse.UNTOUCHED : BodyUse.NONE;
  }

  private static Progress progress(
      HttpClient client, BodyUse body, AttemptBodyHandler<?> delivery) {
    if (delivery.handedOn()) {
      return Progress.HANDED_ON;
    }
    if (delivery.answered()) {
      return Progress.ANSWERED;
    }
    boolean seen =
        body != BodyUse.UNTOUCHED
            && client.cookieHandler().filter(FailureContext::isUsers).isPresent();
    return seen ? Progress.PERHAPS_ANSWERED : Progress.TAKEN;
  }

  private static boolean isUsers(CookieHandler cookies) {
    return cookies.getClass() != CookieManager.class;
  }

  private static Hops hops(HttpClient client) {
    if (client.followRedirects() != HttpClient.Redirect.NEVER) {
      return Hops.REDIRECTS;
    }
    return client.authenticator().isPresent() ? Hops.CHALLENGES : Hops.ONE;
  }

  /** The disposition of the last request, as far as its progress alone shows. */
  Disposition disposition() {
    return switch (progress) {
      case NOT_TAKEN -> Disposition.UNSENT;
      case TAKEN, PERHAPS_ANSWERED -> Disposition.UNKNOWN;
      case ANSWERED, HANDED_ON -> Disposition.ANSWERED;
    };
  }

  /**
   * The disposition of the attempt if no connection was made. The client asks for the body on a
   * connection only.
   */
  Disposition withoutConnection() {
    boolean one = hops == Hops.ONE && !resends;
    boolean unsent = body == BodyUse.UNTOUCHED || (body == BodyUse.NONE && one);
    return unsent ? Disposition.UNSENT : Disposition.UNKNOWN;
  }

  /** The disposition if there was no TLS handshake. The body may be asked for before that. */
  Disposition withoutHandshake() {
    boolean one = hops == Hops.ONE && !resends;
    return body == BodyUse.UNTOUCHED || one ? Disposition.UNSENT : Disposition.UNKNOWN;
  }

  /**
   * How many requests were sent, if the client's contract tells. It tells no number where it may
   * follow a redirect, answer a challenge, or send a request again: the head of an answer does not
   * show what came before it. A request that an HTTP/2 server refused unprocessed does not count.
   *
   * @param last the disposition of the last one
   * @return -1 if it is not known
   */
  int deliveries(Disposition last) {
    if (last == Disposition.UNSENT) {
      return 0;
    }
    boolean one = hops == Hops.ONE && !resends;
    return one && answered() ? 1 : -1;
  }

  private boolean answered() {
    return progress == Progress.ANSWERED || progress == Progress.HANDED_ON;
  }

  /**
   * The evidence of the attempt. The client sends the method and the headers that it was handed,
   * and takes the key along on a redirect: what holds for the last request holds for those before
   * it. Those before a challenge were refused.
   *
   * @param last the disposition of the last one; {@link Disposition#UNSENT} proves that none was
   *     sent
   * @param safety why the request that was handed over may be sent again
   */
  Evidence evidence(Disposition last, Safety safety, int status, int deliveries) {
    boolean resent = resends && !answered(); // after an answer nothing is resent
    boolean noneEarlier = last == Disposition.UNSENT || (hops != Hops.REDIRECTS && !resent);
    return Evidence.of(last, safety, status, deliveries)
        .withEarlier(noneEarlier ? Safety.UNPROCESSED : safety);
  }
}
