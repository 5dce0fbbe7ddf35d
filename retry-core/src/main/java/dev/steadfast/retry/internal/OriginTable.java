package dev.steadfast.retry.internal;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A bounded table of what is kept per origin. Budgets and guards use it; safe for use by many
 * threads, and without a lock for keys that are known.
 *
 * <p>When it is full, a key that may be forgotten is removed: by default one that was not asked for
 * in the last rounds. If there is none, new keys share one value. So made-up host names replace
 * each other, and not the names in use.
 *
 * @param <V> what is kept
 */
public final class OriginTable<V> {
  /** The most keys that a table remembers by default. */
  public static final int MOST = 1024;

  /** The key of the value that is shared when there is no room. */
  public static final String OVERFLOW = "(others)";

  // A miss on a full table looks at this many entries, so an entry stays if it is asked for once in
  // most / STEPS misses.
  private static final int STEPS = 8;

  /**
   * Makes and forgets values.
   *
   * @param <V> what is kept
   */
  @FunctionalInterface
  public interface Values<V> {
    /**
     * Makes the value of a key.
     *
     * @param key the key
     * @param fresh false once the table has been full: the key may have been forgotten before, so
     *     it gets no initial credit
     * @return the value
     */
    V create(String key, boolean fresh);

    /**
     * Whether a value may be forgotten to make room.
     *
     * @param value the value
     * @param used whether its key was asked for in the last rounds
     * @return by default, if it was not used
     */
    default boolean forgettable(V value, boolean used) {
      return !used;
    }

    /**
     * Told that a value was forgotten.
     *
     * @param key its key
     * @param value the value
     */
    default void forgotten(String key, V value) {}
  }

  private static final class Entry<V> {
    private final String key;
    private final V value;
    private volatile boolean used = true; // since the hand last passed

    Entry(String key, V value) {
      this.key = key;
      this.value = value;
    }
  }

  private final Values<V> values;
  private final int most;
  private final Map<String, Entry<V>> table = new ConcurrentHashMap<>();

  // The clock algorithm (as for page replacement), under the lock.
  private final ReentrantLock lock = new ReentrantLock();
  private final List<Entry<V>> ring = new ArrayList<>();
  private int hand;
  private @Nullable V overflow;

  /**
   * An empty table of the default size.
   *
   * @param values makes the values
   */
  public OriginTable(Values<V> values) {
    this(MOST, values);
  }

  /**
   * An empty table.
   *
   * @param most the most keys that are remembered
   * @param values makes the values
   */
  public OriginTable(int most, Values<V> values) {
    this.most = most;
    this.values = Checks.notNull("values", values);
  }

  /**
   * The value of a key; made if it is new.
   *
   * @param key an origin, or what the user keys by
   * @return its value, or the shared one
   */
  public V get(String key) {
    Entry<V> known = table.get(Checks.notNull("key", key));
    if (known == null) {
      return add(key);
    }
    if (!known.used) {
      known.used = true;
    }
    return known.value;
  }

  /**
   * The value of a key, if it is remembered. Asking so is no use of the key.
   *
   * @param key an origin, or what the user keys by
   * @return its value, null if it has none of its own
   */
  public @Nullable V find(String key) {
    Entry<V> known = table.get(Checks.notNull("key", key));
    return known == null ? null : known.value;
  }

  private V add(String key) {
    lock.lock();
    try {
      Entry<V> known = table.get(key);
      if (known != null) {
        return known.value;
      }
      if (ring.size() < most) {
        Entry<V> added = new Entry<>(key, values.create(key, true));
        ring.add(added);
        table.put(key, added);
        return added.value;
      }
      int slot = idleSlot();
      return slot < 0 ? overflow() : replace(slot, key);
    } finally {
      lock.unlock();
    }
  }

  private int idleSlot() {
    for (int step = 0; step < STEPS; step++) {
      int slot = hand;
      hand = (hand + 1) % most;
      Entry<V> entry = ring.get(slot);
      if (values.forgettable(entry.value, entry.used)) {
        return slot;
      }
      entry.used = false;
    }
    return -1;
  }

  private V replace(int slot, String key) {
    Entry<V> added = new Entry<>(key, values.create(key, false));
    Entry<V> idle = ring.set(slot, added);
    table.remove(idle.key);
    table.put(key, added);
    values.forgotten(idle.key, idle.value);
    return added.value;
  }

  private V overflow() {
    V shared = overflow;
    if (shared == null) {
      shared = values.create(OVERFLOW, false);
      overflow = shared;
    }
    return shared;
  }

  /** Forgets all values, the shared one too. */
  public void clear() {
    lock.lock();
    try {
      ring.forEach(entry -> values.forgotten(entry.key, entry.value));
      if (overflow != null) {
        values.forgotten(OVERFLOW, overflow);
      }
      ring.clear();
      table.clear();
      overflow = null;
      hand = 0;
    } finally {
      lock.unlock();
    }
  }

  /** {@return how many keys are remembered, without the shared value} */
  public int size() {
    return table.size();
  }

  @Override
  public String toString() {
    return size() + " origins";
  }
}
