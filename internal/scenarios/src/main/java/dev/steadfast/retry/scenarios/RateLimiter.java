package dev.steadfast.retry.scenarios;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Lets one request through per window of real time, and tells the others to wait that long. */
public final class RateLimiter implements Function<Received, Reply> {
  private final long windowNanos;
  private final Reply refusal;
  private final AtomicReference<@Nullable Long> lastNanos = new AtomicReference<>();

  /**
   * A limiter.
   *
   * @param window the time for one request, whole milliseconds
   */
  public RateLimiter(Duration window) {
    this.windowNanos = window.toNanos();
    this.refusal = Reply.status(429).header("Retry-After-Ms", Long.toString(window.toMillis()));
  }

  @Override
  public Reply apply(Received request) {
    long now = System.nanoTime();
    Long last = lastNanos.get();
    boolean free = last == null || now - last >= windowNanos;
    return free && lastNanos.compareAndSet(last, now) ? Reply.status(200) : refusal;
  }
}
