package dev.steadfast.retry.limit;

import org.jspecify.annotations.Nullable;

/**
 * The turns that have not come yet, in the order in which they are due. Not safe for use by several
 * threads.
 *
 * <p>A tree in which each turn knows how many are below it (a treap). So to add a turn, to remove
 * one and to count those before a time takes steps in proportion to the logarithm of their number.
 */
final class TurnQueue {
  private @Nullable Turn root;

  @Nullable Turn root() {
    return root;
  }

  int size() {
    return size(root);
  }

  void add(Turn turn) {
    root = add(root, turn);
  }

  void remove(Turn turn) {
    root = remove(root, turn);
  }

  /** The turn that is due first; null if there is none. */
  @Nullable Turn first() {
    Turn first = root;
    while (first != null && first.left != null) {
      first = first.left;
    }
    return first;
  }

  /** How many turns are due before a time. */
  int before(long nanos) {
    int count = 0;
    Turn at = root;
    while (at != null) {
      if (at.atNanos - nanos < 0) {
        count += size(at.left) + 1;
        at = at.right;
      } else {
        at = at.left;
      }
    }
    return count;
  }

  /**
   * The turns that come before others, and what they cost.
   *
   * @param turns how many
   * @param priced those of which the caller has said what they cost
   * @param units and how much that is
   */
  record Ahead(int turns, int priced, long units) {}

  /** All turns. */
  Ahead all() {
    Turn top = root;
    return top == null ? new Ahead(0, 0, 0) : new Ahead(top.size, top.priced, top.units);
  }

  /** The turns before one that is in the line. */
  Ahead before(Turn turn) {
    int turns = 0;
    int priced = 0;
    long units = 0;
    Turn at = root;
    while (at != null) {
      Turn right = at.right;
      if (at.compare(turn) >= 0) {
        at = at.left;
        continue;
      }
      turns += at.size - size(right);
      priced += at.priced - (right == null ? 0 : right.priced);
      units += at.units - (right == null ? 0 : right.units);
      at = right;
    }
    return new Ahead(turns, priced, units);
  }

  /** When the turn is due that has so many before it; there must be more than that. */
  long nanosOf(int index) {
    int skip = index;
    Turn at = root;
    while (at != null) {
      int before = size(at.left);
      if (skip == before) {
        return at.atNanos;
      }
      if (skip < before) {
        at = at.left;
      } else {
        skip -= before + 1;
        at = at.right;
      }
    }
    throw new IndexOutOfBoundsException("turn " + index + " of " + size());
  }

  private static int size(@Nullable Turn top) {
    return top == null ? 0 : top.size;
  }

  private static Turn add(@Nullable Turn top, Turn turn) {
    if (top == null) {
      return counted(turn);
    }
    if (turn.compare(top) < 0) {
      Turn child = add(top.left, turn);
      top.left = child;
      return child.priority() > top.priority() ? raiseLeft(top, child) : counted(top);
    }
    Turn child = add(top.right, turn);
    top.right = child;
    return child.priority() > top.priority() ? raiseRight(top, child) : counted(top);
  }

  private static Turn raiseLeft(Turn top, Turn child) {
    top.left = child.right;
    child.right = counted(top);
    return counted(child);
  }

  private static Turn raiseRight(Turn top, Turn child) {
    top.right = child.left;
    child.left = counted(top);
    return counted(child);
  }

  private static @Nullable Turn remove(@Nullable Turn top, Turn turn) {
    if (top == null) {
      return null;
    }
    int order = turn.compare(top);
    if (order == 0) {
      Turn rest = joined(top.left, top.right);
      top.left = null;
      top.right = null;
      return rest;
    }
    if (order < 0) {
      top.left = remove(top.left, turn);
    } else {
      top.right = remove(top.right, turn);
    }
    return counted(top);
  }

  private static @Nullable Turn joined(@Nullable Turn first, @Nullable Turn second) {
    if (first == null || second == null) {
      return first == null ? second : first;
    }
    if (first.priority() > second.priority()) {
      first.right = joined(first.right, second);
      return counted(first);
    }
    second.left = joined(first, second.left);
    return counted(second);
  }

  private static Turn counted(Turn top) {
    int cost = top.operation().cost();
    top.size = 1;
    top.priced = cost > 0 ? 1 : 0;
    top.units = cost;
    count(top, top.left);
    count(top, top.right);
    return top;
  }

  private static void count(Turn top, @Nullable Turn below) {
    if (below != null) {
      top.size += below.size;
      top.priced += below.priced;
      top.units += below.units;
    }
  }

  @Override
  public String toString() {
    return size() + " turns";
  }
}
