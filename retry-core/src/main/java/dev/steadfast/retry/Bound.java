package dev.steadfast.retry;

import org.jspecify.annotations.Nullable;

/**
 * What a thread is in.
 *
 * <p>The slots are an array, so that entering and leaving look up the thread's entry once each, and
 * of a class of the JDK's, so that a pooled thread of a server does not keep the class loader of an
 * application that was undeployed.
 */
final class Bound {
  private static final ThreadLocal<@Nullable Object[]> SLOTS = new ThreadLocal<>();
  private static final int SURROUNDINGS = 0;

  private Bound() {}

  static @Nullable Object[] slots() {
    @Nullable Object[] slots = SLOTS.get();
    return slots == null ? newSlots() : slots;
  }

  private static @Nullable Object[] newSlots() {
    @Nullable Object[] slots = new Object[1];
    SLOTS.set(slots);
    return slots;
  }

  static @Nullable Surroundings surroundings(@Nullable Object[] slots) {
    return (Surroundings) slots[SURROUNDINGS];
  }

  static void surroundings(@Nullable Object[] slots, @Nullable Surroundings next) {
    slots[SURROUNDINGS] = next;
  }
}
