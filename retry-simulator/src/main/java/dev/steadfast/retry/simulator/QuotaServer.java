package dev.steadfast.retry.simulator;

import dev.steadfast.retry.simulator.HttpViews.Answer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;

/** Accepts what is within its quota, and answers 429 to the rest. Confined to one thread. */
final class QuotaServer {
  private final QuotaSpec.Server spec;
  private final long phaseNanos; // when its first window ends
  private final Deque<Long> accepted = new ArrayDeque<>(); // in the window that counts now
  private long windowBegan;

  QuotaServer(QuotaSpec.Server spec, long phaseNanos) {
    this.spec = spec;
    this.phaseNanos = phaseNanos;
    this.windowBegan = phaseNanos - spec.windowNanos();
  }

  Answer answer(long nowNanos) {
    forget(nowNanos);
    boolean fits = accepted.size() < spec.requests();
    if (fits) {
      accepted.add(nowNanos);
    }
    return new Answer(fits ? 200 : 429, spec.tells() ? headers(nowNanos) : Map.of());
  }

  private void forget(long nowNanos) {
    if (spec.sliding()) {
      while (!accepted.isEmpty() && nowNanos - accepted.peek() >= spec.windowNanos()) {
        accepted.remove();
      }
      return;
    }
    long windows = Math.floorDiv(nowNanos - phaseNanos, spec.windowNanos());
    long began = phaseNanos + windows * spec.windowNanos();
    if (began > windowBegan) {
      windowBegan = began;
      accepted.clear();
    }
  }

  private Map<String, List<String>> headers(long nowNanos) {
    Long oldest = accepted.peek();
    long since = spec.sliding() && oldest != null ? oldest : windowBegan;
    long left = Math.max(0, since + spec.windowNanos() - nowNanos);
    long seconds = (left + Durations.SECOND - 1) / Durations.SECOND;
    long window = spec.windowNanos() / Durations.SECOND;
    int remaining = spec.requests() - accepted.size();
    return Map.of(
        "RateLimit",
        List.of("\"default\";r=" + remaining + ";t=" + seconds),
        "RateLimit-Policy",
        List.of("\"default\";q=" + spec.requests() + ";w=" + window));
  }
}
