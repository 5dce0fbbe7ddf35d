package dev.steadfast.retry;

import java.lang.ref.WeakReference;
import org.jspecify.annotations.Nullable;

/**
 * What a thread is in, and its idle {@link WorkLoop}.
 *
 * <p>The slots are an array, so that entering and leaving look up the thread's entry once each, and
 * of a class of the JDK's, so that a pooled thread of a server does not keep the class loader of an
 * application that was undeployed.
 */
final class Bound {
  private static final ThreadLocal<@Nullable Object[]> SLOTS = new ThreadLocal<>();
  private static final int SURROUNDINGS = 0;
  private static final int IDLE_LOOP = 1;

  private Bound() {}

  static @Nullable Object[] slots() {
    @Nullable Object[] slots = SLOTS.get();
    return slots == null ? newSlots() : slots;
  }

  private static @Nullable Object[] newSlots() {
    @Nullable Object[] slots = new Object[2];
    SLOTS.set(slots);
    return slots;
  }

  static @Nullable Surroundings surroundings(@Nullable Object[] slots) {
    return (Surroundings) slots[SURROUNDINGS];
  }

  static void surroundings(@Nullable Object[] slots, @Nullable Surroundings next) {
    slots[SURROUNDINGS] = next;
  }

  /** The thread's loop for a retrier, which is not idle any more; a new one if it has none. */
  static WorkLoop takeLoop(Work work) {
    @Nullable Object[] slots = slots();
    Object kept = slots[IDLE_LOOP];
    slots[IDLE_LOOP] = null;
    if (kept instanceof WeakReference<?> weak
        && weak.get() instanceof WorkLoop loop
        && loop.isOf(work)) {
      return loop;
    }
    return new WorkLoop(work);
  }

  static void giveBack(WorkLoop loop) {
    slots()[IDLE_LOOP] = loop.self();
  }
}
