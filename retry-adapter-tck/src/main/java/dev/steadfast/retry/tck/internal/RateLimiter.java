package dev.steadfast.retry.tck.internal;

import dev.steadfast.retry.tck.Received;
import dev.steadfast.retry.tck.Reply;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/** Lets one request through per window of real time, and tells the others to wait that long. */
public final class RateLimiter implements Function<Received, Reply> {
  private final long windowNanos;
  private final Reply refusal;
  private final AtomicLong freeFromNanos = new AtomicLong(System.nanoTime());

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
    long freeFrom = freeFromNanos.get();
    boolean free = now - freeFrom >= 0;
    return free && freeFromNanos.compareAndSet(freeFrom, now + windowNanos)
        ? Reply.status(200)
        : refusal;
  }
}
