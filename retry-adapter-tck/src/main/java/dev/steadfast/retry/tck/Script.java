package dev.steadfast.retry.tck;

import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Chooses the reply to each request. Thread-safe; may be changed while the server runs. */
final class Script {
  private final Queue<Reply> queue = new ConcurrentLinkedQueue<>();
  private volatile Reply fallback = Reply.status(200).body("ok");
  private volatile Function<Received, @Nullable Reply> route = request -> null;
  private volatile Function<Received, @Nullable Reply> routeByHead = head -> null;
  private volatile Consumer<Received> hook = request -> {};
  private volatile boolean routed;

  void enqueue(List<Reply> replies) {
    queue.addAll(replies);
  }

  void fallback(Reply reply) {
    fallback = reply;
  }

  void route(Function<Received, @Nullable Reply> decide) {
    route = decide;
    routed = true;
  }

  void routeByHead(Function<Received, @Nullable Reply> decide) {
    routeByHead = decide;
  }

  void hook(Consumer<Received> action) {
    hook = action;
  }

  void received(Received request) {
    hook.accept(request);
  }

  /** The reply if the head is enough to choose it; empty if the route wants the whole request. */
  Optional<Reply> atHead(Received head) {
    Reply reply = routeByHead.apply(head);
    if (reply == null && !routed) {
      reply = next();
    }
    return Optional.ofNullable(reply);
  }

  /** The reply to a request for which {@link #atHead} had none. */
  Reply atEnd(Received request) {
    Reply reply = route.apply(request);
    if (reply == null) {
      reply = next();
    }
    if (reply.parts().onHead || reply.parts().withoutContinue) {
      throw new IllegalStateException(
          "too late for " + reply + " to " + request + ": use routeByHead");
    }
    return reply;
  }

  private Reply next() {
    Reply scripted = queue.poll();
    return scripted != null ? scripted : fallback;
  }
}
