package dev.steadfast.retry;

import org.jspecify.annotations.Nullable;

/** What a thread is in; one object per thread, so that entering and leaving look up once each. */
final class Bound {
  private static final ThreadLocal<Bound> THREAD = ThreadLocal.withInitial(Bound::new);

  @Nullable Surroundings surroundings;

  private Bound() {}

  static Bound toThread() {
    return THREAD.get();
  }
}
