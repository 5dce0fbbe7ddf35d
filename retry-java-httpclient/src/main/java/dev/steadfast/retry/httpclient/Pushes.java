package dev.steadfast.retry.httpclient;

import java.net.http.HttpResponse.PushPromiseHandler;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Hands each resource that the server pushes to the user's handler once, although every attempt may
 * bring it again. A push answers a separate request, so it remains valid when its attempt fails.
 */
final class Pushes<T> {
  private final PushPromiseHandler<T> users;
  private final Map<String, Integer> attempts = new ConcurrentHashMap<>(); // by resource

  Pushes(PushPromiseHandler<T> users) {
    this.users = users;
  }

  PushPromiseHandler<T> forAttempt(int attempt) {
    return (initiating, pushed, acceptor) -> {
      Integer first = attempts.putIfAbsent(pushed.method() + " " + pushed.uri(), attempt);
      if (first == null || first == attempt) {
        users.applyPushPromise(initiating, pushed, acceptor);
      } // one that is not accepted is reset by the client
    };
  }
}
