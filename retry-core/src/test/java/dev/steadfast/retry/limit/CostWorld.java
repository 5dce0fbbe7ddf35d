package dev.steadfast.retry.limit;

import dev.steadfast.retry.Guard;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.Quota;
import dev.steadfast.retry.internal.ServerDelayPendingException;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;

/**
 * 32 threads that ask 500 prompts of a server with 60 requests and 40,000 tokens per 6 s, in
 * virtual time. The server counts a request when it comes, and refuses what is beyond its quota.
 */
final class CostWorld {
  private static final long MILLI = 1_000_000;
  private static final long WINDOW = 6_000 * MILLI;
  private static final int TOKENS = 40_000;
  private static final int REQUESTS = 60;
  private static final int PROMPTS = 500;

  private final QuotaPacing pacing = QuotaPacing.perOrigin();
  private final PriorityQueue<Event> events =
      new PriorityQueue<>(Comparator.comparingLong(Event::at).thenComparingLong(Event::order));
  private final Random random;
  private final double estimate; // as a multiple of what a prompt costs; 0: not told
  private final long mostLate;
  private long order;
  private long now;
  private int asked;
  private int answered;
  private int refused;
  private long window = -1;
  private long tokensLeft;
  private long requestsLeft;
  private long used;
  private long lastNanos;

  private record Event(long at, long order, Runnable what) {}

  /**
   * What came of it.
   *
   * @param refused after the first second
   * @param used the share of the tokens that the server would have given
   */
  record Result(int answered, int refused, double used) {}

  CostWorld(long seed, double estimate, long mostLateMillis) {
    this.mostLate = mostLateMillis * MILLI;
    this.random = new Random(seed);
    this.estimate = estimate;
  }

  private void at(long nanos, Runnable what) {
    events.add(new Event(nanos, order++, what));
  }

  Result run() {
    for (int i = 0; i < 32; i++) {
      at(0, this::ask);
    }
    while (!events.isEmpty()) {
      Event next = events.remove();
      now = next.at();
      next.what().run();
    }
    // What is left at the end is too little for a window, so only the time that was used counts.
    return new Result(answered, refused, (double) used / TOKENS * WINDOW / lastNanos);
  }

  private void ask() {
    if (asked++ < PROMPTS) {
      double tokens = 800 * Math.exp(0.8 * random.nextGaussian() - 0.32);
      begin(Math.max(20, Math.min(4_000, (int) tokens)));
    }
  }

  private void begin(int tokens) {
    OperationInfo operation =
        OperationInfo.of("a", "POST").withCost((int) Math.min(TOKENS, tokens * estimate));
    attempt(operation, tokens);
  }

  private void attempt(OperationInfo operation, int tokens) {
    try {
      Guard.Permit permit = pacing.acquire(operation, now);
      long sent = now;
      at(now + onTheWay(), () -> arrive(operation, permit, tokens, sent));
    } catch (ServerDelayPendingException waits) {
      at(now + pacing.admitsInNanos(operation, now), () -> attempt(operation, tokens));
    }
  }

  /**
   * A request takes up to 2 ms; one of ten up to {@code mostLate}, as if its thread had been
   * stopped.
   */
  private long onTheWay() {
    boolean late = random.nextInt(10) == 0;
    return random.nextInt((int) (late ? mostLate : 2 * MILLI));
  }

  private void arrive(OperationInfo operation, Guard.Permit permit, int tokens, long sent) {
    long current = now / WINDOW;
    if (current != window) {
      window = current;
      tokensLeft = TOKENS;
      requestsLeft = REQUESTS;
    }
    boolean fits = tokensLeft >= tokens && requestsLeft > 0;
    if (fits) {
      tokensLeft -= tokens;
      requestsLeft--;
      used += tokens;
      lastNanos = now;
    } else {
      refused += now > 1_000 * MILLI ? 1 : 0;
    }
    long reset = (window + 1) * WINDOW - now;
    List<Quota> told =
        List.of(
            new Quota(policy("tokens", false, TOKENS), tokensLeft, reset, MILLI),
            new Quota(policy("requests", true, REQUESTS), requestsLeft, reset, MILLI));
    long takes = fits ? ((long) (500 + 2_500 * random.nextDouble())) * MILLI : MILLI;
    at(
        now + takes,
        () -> {
          pacing.learn(operation, told, now);
          permit.succeeded(now - sent);
          if (fits) {
            answered++;
            pacing.operationEnded(operation);
            ask();
          } else {
            at(now + reset, () -> attempt(operation, tokens));
          }
        });
  }

  private static Quota.Policy policy(String name, boolean ofRequests, int limit) {
    return new Quota.Policy(name, null, ofRequests, limit, 0);
  }
}
