package dev.steadfast.retry.engine;

import org.jspecify.annotations.Nullable;

/**
 * The context that a thread is in.
 *
 * <p>The slots are an array, so that entering and leaving look up the thread's entry once each, and
 * of a class of the JDK's, so that a pooled thread of a server does not keep the class loader of an
 * application that was undeployed.
 */
final class ThreadContext {
  private static final ThreadLocal<@Nullable Object[]> SLOTS = new ThreadLocal<>();
  private static final int CALL_CONTEXT = 0;

  private ThreadContext() {}

  static @Nullable Object[] slots() {
    @Nullable Object[] slots = SLOTS.get();
    return slots == null ? newSlots() : slots;
  }

  private static @Nullable Object[] newSlots() {
    @Nullable Object[] slots = new Object[1];
    SLOTS.set(slots);
    return slots;
  }

  static @Nullable CallContext callContext(@Nullable Object[] slots) {
    return (CallContext) slots[CALL_CONTEXT];
  }

  static void callContext(@Nullable Object[] slots, @Nullable CallContext next) {
    slots[CALL_CONTEXT] = next;
  }
}
