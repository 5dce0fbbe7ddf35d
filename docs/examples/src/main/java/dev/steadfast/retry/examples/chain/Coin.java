package dev.steadfast.retry.examples.chain;

import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Decides which requests at the bottom fail: each by itself, and in every run and however threads
 * take turns the same, because it is drawn for the n-th one that a request at the top has caused.
 */
final class Coin {
  private final long seed;
  private final double p;
  private final Map<Integer, AtomicInteger> arrivals = new ConcurrentHashMap<>();

  Coin(long seed, double p) {
    this.seed = seed;
    this.p = p;
  }

  boolean fails(int top) {
    int nth = arrivals.computeIfAbsent(top, each -> new AtomicInteger()).getAndIncrement();
    return new SplittableRandom(seed + 1_000_003L * top + nth).nextDouble() < p;
  }
}
