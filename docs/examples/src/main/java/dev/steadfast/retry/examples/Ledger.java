package dev.steadfast.retry.examples;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * What the server charged, and which result its clients got. Safe for use by many threads.
 *
 * <p>The first request with a key opens an entry, and only that request charges; all others with
 * the key wait for it or get the same answer. A real server does this with a unique constraint, in
 * the transaction that makes the charge, and keeps its entries for a retention window.
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

  /**
   * What the books say in the end.
   *
   * @param charges how many charges were made
   * @param duplicates how many of them were one too many
   * @param lost the payments that were never charged, or charged although the client got a failure
   */
  record Tally(int charges, int duplicates, List<Integer> lost) {
    boolean clean() {
      return duplicates == 0 && lost.isEmpty();
    }
  }

  private final Map<String, Entry> byKey = new HashMap<>();
  private final Map<Integer, Integer> charges = new HashMap<>();
  private final Set<Integer> toldPaid = new HashSet<>();

  /** Opens an entry, or says what is there. A request without a key is always a new one. */
  synchronized Entry open(String key) {
    Entry before = key == null ? null : byKey.putIfAbsent(key, Entry.OPEN);
    return before == null ? Entry.OPENED : before;
  }

  /** The effect. */
  synchronized void charge(Order order) {
    charges.merge(order.payment(), 1, Integer::sum);
    if (order.key() != null) {
      byKey.put(order.key(), Entry.CHARGED);
    }
  }

  /** What a client believes in the end. */
  synchronized void told(Payment payment, boolean paid) {
    if (paid) {
      toldPaid.add(payment.number());
    }
  }

  /** Closes the books on the payments 1 to {@code payments}. */
  synchronized Tally tally(int payments) {
    int made = charges.values().stream().mapToInt(Integer::intValue).sum();
    List<Integer> lost =
        IntStream.rangeClosed(1, payments)
            .filter(number -> !charges.containsKey(number) || !toldPaid.contains(number))
            .boxed()
            .toList();
    return new Tally(made, made - charges.size(), lost);
  }
}
