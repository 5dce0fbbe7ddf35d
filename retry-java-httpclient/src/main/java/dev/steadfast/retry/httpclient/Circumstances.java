package dev.steadfast.retry.httpclient;

import dev.steadfast.retry.SendState;
import java.net.http.HttpClient;
import org.jspecify.annotations.Nullable;

/**
 * What is known about a failed attempt beside its exception, and what an exception proves in the
 * light of it. The request that failed may be the second one of its attempt: the client may have
 * followed a redirect, or answered a challenge, after the first one was processed.
 */
record Circumstances(Progress progress, BodyUse body, Hops hops) {

  /** How far the attempt is known to have got. */
  enum Progress {
    /** The client did not even take the request. */
    NOT_TAKEN,
    TAKEN,
    /** The head of the response came. */
    ANSWERED,
    /** And the user's code got of its body what came. */
    HANDED_ON
  }

  /** Whether the client has asked for the request body. */
  enum BodyUse {
    NONE,
    UNTOUCHED,
    ASKED_FOR
  }

  /** What makes the client send more than one request in an attempt. */
  enum Hops {
    ONE,
    CHALLENGES,
    REDIRECTS
  }

  static Circumstances of(HttpClient client, RequestBody body, @Nullable Delivery<?> delivery) {
    if (delivery == null || delivery.notTaken()) {
      return new Circumstances(Progress.NOT_TAKEN, BodyUse.UNTOUCHED, Hops.ONE);
    }
    BodyUse use = delivery.body().subscribed() ? BodyUse.ASKED_FOR : BodyUse.UNTOUCHED;
    return new Circumstances(progress(delivery), body.present() ? use : BodyUse.NONE, hops(client));
  }

  private static Progress progress(Delivery<?> delivery) {
    if (delivery.handedOn()) {
      return Progress.HANDED_ON;
    }
    return delivery.answered() ? Progress.ANSWERED : Progress.TAKEN;
  }

  private static Hops hops(HttpClient client) {
    if (client.followRedirects() != HttpClient.Redirect.NEVER) {
      return Hops.REDIRECTS;
    }
    return client.authenticator().isPresent() ? Hops.CHALLENGES : Hops.ONE;
  }

  /** How far the request got, as far as nothing but its progress tells. */
  SendState sendState() {
    return switch (progress) {
      case NOT_TAKEN -> SendState.NEVER_SENT;
      case TAKEN -> SendState.MAYBE_PROCESSED;
      case ANSWERED, HANDED_ON -> SendState.ANSWERED;
    };
  }

  /** How far the request got if no connection was made. The body is asked for on a connection. */
  SendState withoutConnection() {
    boolean unsent = body == BodyUse.UNTOUCHED || (body == BodyUse.NONE && hops == Hops.ONE);
    return unsent ? SendState.NEVER_SENT : SendState.MAYBE_PROCESSED;
  }

  /** The same if there was no TLS handshake. The body may be asked for before that. */
  SendState withoutHandshake() {
    boolean unsent = body == BodyUse.UNTOUCHED || hops == Hops.ONE;
    return unsent ? SendState.NEVER_SENT : SendState.MAYBE_PROCESSED;
  }

  /** How far the request got if the peer refused the last one. A challenge is a refusal too. */
  SendState refused() {
    return hops == Hops.REDIRECTS ? SendState.MAYBE_PROCESSED : SendState.REFUSED_UNPROCESSED;
  }
}
