package dev.steadfast.retry.examples;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The books: what the server charged, and what its clients were told. Safe for use by many threads.
 *
 * <p>The first request with a key opens an entry, and only that request charges. All others with
 * the key get the same answer, or are told to wait for it: the unique constraint in the same
 * transaction as the effect.
 */
final class Ledger {
  /** What a request with a key finds. */
  enum Entry {
    /** Nothing; now it is open, and the request is the one to charge. */
    OPENED,
    /** Another request with the key is at work. */
    OPEN,
    /** The charge has been made. */
    CHARGED
  }

  /** What the books say in the end. */
  record Tally(int charges, int duplicates, int lost) {
    boolean clean() {
      return duplicates == 0 && lost == 0;
    }
  }

  private final Lock lock = new ReentrantLock();
  private final Map<String, Entry> byKey = new HashMap<>();
  private final Map<Integer, Integer> chargesByPayment = new HashMap<>();
  private final Set<Integer> toldPaid = new HashSet<>();
  private final Set<String> attemptsSeen = new HashSet<>();
  private int requests;

  /** Opens an entry, or says what is there. A request without a key is always a new one. */
  Entry open(String key) {
    lock.lock();
    try {
      Entry before = key == null ? null : byKey.putIfAbsent(key, Entry.OPEN);
      return before == null ? Entry.OPENED : before;
    } finally {
      lock.unlock();
    }
  }

  /** The effect. */
  void charge(Order order) {
    lock.lock();
    try {
      chargesByPayment.merge(order.payment(), 1, Integer::sum);
      if (order.key() != null) {
        byKey.put(order.key(), Entry.CHARGED);
      }
    } finally {
      lock.unlock();
    }
  }

  /** A request arrived, whatever becomes of it. */
  void arrived(Order order) {
    lock.lock();
    try {
      requests++;
      attemptsSeen.add(order.payment() + "/" + order.attempt());
    } finally {
      lock.unlock();
    }
  }

  /** A client believes that its payment was made. */
  void toldPaid(Payment payment) {
    lock.lock();
    try {
      toldPaid.add(payment.number());
    } finally {
      lock.unlock();
    }
  }

  /** How many requests arrived. */
  int requests() {
    lock.lock();
    try {
      return requests;
    } finally {
      lock.unlock();
    }
  }

  /** How many different attempts arrived: fewer than requests if a client resends on its own. */
  int attemptsSeen() {
    lock.lock();
    try {
      return attemptsSeen.size();
    } finally {
      lock.unlock();
    }
  }

  /** Closes the books on the payments 1 to {@code payments}. */
  Tally tally(int payments) {
    lock.lock();
    try {
      int charges = 0;
      int lost = 0;
      for (int number = 1; number <= payments; number++) {
        int charged = chargesByPayment.getOrDefault(number, 0);
        charges += charged;
        // Never charged, or charged while its client was told that it failed.
        lost += charged == 0 || !toldPaid.contains(number) ? 1 : 0;
      }
      return new Tally(charges, charges - chargesByPayment.size(), lost);
    } finally {
      lock.unlock();
    }
  }
}
