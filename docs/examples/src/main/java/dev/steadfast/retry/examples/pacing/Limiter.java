package dev.steadfast.retry.examples.pacing;

import java.util.ArrayDeque;
import java.util.Deque;

/** How a server limits its clients: {@link #LIMIT} requests in {@link #WINDOW_NANOS}. */
interface Limiter {
  int LIMIT = 100;
  long WINDOW_NANOS = 10_000_000_000L;

  /**
   * Counts a request.
   *
   * @param nowNanos the time since the server began
   * @return what the answer says
   */
  Answer count(long nowNanos);

  /** What an answer says: whether the request was accepted, what is left, and until when. */
  record Answer(boolean accepted, long left, long leftNanos) {}

  /** Accepts the first requests of each window. */
  static Limiter fixedWindow() {
    return new Limiter() {
      private long window;
      private int used;

      @Override
      public Answer count(long nowNanos) {
        long current = nowNanos / WINDOW_NANOS;
        used = current == window ? used + 1 : 1;
        window = current;
        long leftNanos = (current + 1) * WINDOW_NANOS - nowNanos;
        return new Answer(used <= LIMIT, Math.max(0, LIMIT - used), leftNanos);
      }
    };
  }

  /** Accepts what the window before this moment has room for. */
  static Limiter slidingWindow() {
    return new Limiter() {
      private final Deque<Long> accepted = new ArrayDeque<>();

      @Override
      public Answer count(long nowNanos) {
        while (!accepted.isEmpty() && nowNanos - accepted.peek() >= WINDOW_NANOS) {
          accepted.remove();
        }
        boolean accepts = accepted.size() < LIMIT;
        if (accepts) {
          accepted.add(nowNanos);
        }
        long leftNanos = WINDOW_NANOS - (nowNanos - accepted.element());
        return new Answer(accepts, LIMIT - accepted.size(), leftNanos);
      }
    };
  }

  /** Accepts while there are tokens, which come evenly. */
  static Limiter tokenBucket() {
    return new Limiter() {
      private double tokens = LIMIT;
      private long filled;

      @Override
      public Answer count(long nowNanos) {
        double perNano = (double) LIMIT / WINDOW_NANOS;
        tokens = Math.min(LIMIT, tokens + (nowNanos - filled) * perNano);
        filled = nowNanos;
        boolean accepts = tokens >= 1;
        tokens -= accepts ? 1 : 0;
        return new Answer(accepts, (long) tokens, (long) ((LIMIT - tokens) / perNano));
      }
    };
  }
}
