package dev.steadfast.retry.torture;

import java.time.Duration;
import java.time.Instant;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/** A wall clock that can jump. Safe for use by many threads. */
final class JumpingClock implements Supplier<Instant> {
  private static final int MOST_SECONDS = 172_800; // two days

  private final Random random;
  private final AtomicReference<Duration> offset = new AtomicReference<>(Duration.ZERO);

  JumpingClock(long seed) {
    random = new Random(seed);
  }

  /** Jumps to a time within two days before or after the true one. */
  void jump() {
    offset.set(Duration.ofSeconds(random.nextInt(2 * MOST_SECONDS) - MOST_SECONDS));
  }

  @Override
  public Instant get() {
    return Instant.now().plus(offset.get());
  }
}
