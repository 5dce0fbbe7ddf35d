package dev.steadfast.retry.spring.boot;

import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.RetryListener;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.StopReason;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Watches one client, for the endpoint, and for an orderly end. Thread-safe. */
final class ClientWatch implements RetryListener {
  /**
   * An operation that gave up.
   *
   * @param at when
   * @param operation method, origin and path
   * @param reason why
   * @param attempts how many there were
   */
  record GiveUp(Instant at, String operation, String reason, int attempts) {}

  private static final int KEPT = 10;
  private static final int MOST_ORIGINS = 100;

  private final String client;
  private final LayeredRetries layers;
  private final Set<String> origins = ConcurrentHashMap.newKeySet();
  private final AtomicInteger underWay = new AtomicInteger();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition idle = lock.newCondition();
  private final Deque<GiveUp> givenUp = new ArrayDeque<>(); // guarded by the lock

  ClientWatch(String client, LayeredRetries layers) {
    this.client = client;
    this.layers = layers;
  }

  @Override
  public void operationStarted(OperationInfo operation) {
    underWay.incrementAndGet();
    if (!origins.contains(operation.origin()) && origins.size() < MOST_ORIGINS) {
      origins.add(operation.origin());
    }
  }

  @Override
  public void ended(OperationInfo operation, RetryReport report) {
    if (report.reason().gaveUp()) {
      keep(operation, report);
    }
    if (underWay.decrementAndGet() == 0) {
      tellIdle();
    }
    if (report.reason() != StopReason.ACCEPTED && report.attempts() > 1) {
      layers.look(client, operation);
    }
  }

  private void keep(OperationInfo operation, RetryReport report) {
    GiveUp last =
        new GiveUp(
            Instant.now(), operation.toString(), report.reason().toString(), report.attempts());
    lock.lock();
    try {
      givenUp.addFirst(last);
      if (givenUp.size() > KEPT) {
        givenUp.removeLast();
      }
    } finally {
      lock.unlock();
    }
  }

  private void tellIdle() {
    lock.lock();
    try {
      idle.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** The last operations that gave up, the latest first. */
  List<GiveUp> givenUp() {
    lock.lock();
    try {
      return List.copyOf(givenUp);
    } finally {
      lock.unlock();
    }
  }

  /** The origins that were called, the first hundred. */
  Set<String> origins() {
    return new TreeSet<>(origins);
  }

  /** Waits until no operation is under way; false if the time is up before. */
  boolean awaitIdle(Duration most) throws InterruptedException {
    long left = most.toNanos();
    lock.lock();
    try {
      while (underWay.get() > 0 && left > 0) {
        left = idle.awaitNanos(left);
      }
      return underWay.get() == 0;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public String toString() {
    return "ClientWatch(" + client + ", " + underWay + " under way)";
  }
}
