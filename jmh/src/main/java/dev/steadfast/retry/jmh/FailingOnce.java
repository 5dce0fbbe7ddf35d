package dev.steadfast.retry.jmh;

import java.util.concurrent.atomic.AtomicIntegerArray;

/** A server that answers the first request for each path by a 503, and all others by a 200. */
final class FailingOnce implements AutoCloseable {
  private static final int PREFIX = "GET /".length();

  private final AtomicIntegerArray seen;
  private final LoopbackServer server = new LoopbackServer(this::answer);

  FailingOnce(int paths) {
    this.seen = new AtomicIntegerArray(paths);
  }

  private byte[] answer(byte[] head, int length) {
    if (head[PREFIX] < '0' || head[PREFIX] > '9') {
      return LoopbackServer.OK;
    }
    int path = 0;
    for (int i = PREFIX; head[i] != ' '; i++) {
      path = 10 * path + (head[i] - '0');
    }
    return seen.getAndIncrement(path) == 0 ? LoopbackServer.UNAVAILABLE : LoopbackServer.OK;
  }

  String failing(int path) {
    return server.uri("/" + path).toString();
  }

  String healthy() {
    return server.uri("/healthy").toString();
  }

  int connections() {
    return server.connections();
  }

  @Override
  public void close() {
    server.close();
  }
}
