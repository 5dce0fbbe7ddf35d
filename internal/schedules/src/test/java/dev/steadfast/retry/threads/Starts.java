package dev.steadfast.retry.threads;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Threads that were started. A thread of the test takes one and runs what it would run. */
final class Starts implements ThreadStarter {
  private final Queue<Runnable> started = new ConcurrentLinkedQueue<>();

  @Override
  public Thread start(String name, Runnable body) {
    if (name.equals("steadfast-starter")) {
      throw new OutOfMemoryError("the test starts no such thread");
    }
    started.add(body);
    return Thread.currentThread();
  }

  /** Runs one to its end, if there is one. */
  void runNext() {
    Runnable body = started.poll();
    if (body != null) {
      body.run();
    }
  }

  int waiting() {
    return started.size();
  }
}
