package dev.steadfast.retry.okhttp;

import dev.steadfast.retry.http.RetryOptions;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.LongSupplier;
import okhttp3.Call;
import okhttp3.Request;
import org.jspecify.annotations.Nullable;

/**
 * The operations of one call. Interceptors before ours may proceed more than once: the same request
 * goes on with its operation, and another one begins an operation of its own. They share the time
 * of the call.
 */
final class CallOperations implements AutoCloseable {
  // Why it is like this: docs/decisions/nesting.md
  // A call that makes more requests, such as one for each page, forgets the first ones.
  private static final int MOST = 16;

  private final LongSupplier ticker;
  private final boolean timed; // the call has a timeout
  private final long startNanos; // when the call began; 0 without a timeout

  // Guarded by this.
  private boolean begun;
  private long firstNanos; // when the first operation began
  private @Nullable Deque<OpenOperation> open; // null for none; those that run now are not in it

  CallOperations(LongSupplier ticker, Call call) {
    this.ticker = ticker;
    this.timed = call.timeout().timeoutNanos() != 0;
    this.startNanos = timed ? ticker.getAsLong() : 0;
  }

  /** How long the call has been running, in nanoseconds; 0 if it began without a timeout. */
  long sinceStartNanos() {
    return timed ? ticker.getAsLong() - startNanos : 0;
  }

  /** How long ago the first operation began, in nanoseconds; 0 for the first. */
  synchronized long sinceFirstNanos() {
    long now = ticker.getAsLong();
    if (!begun) {
      begun = true;
      firstNanos = now;
    }
    return now - firstNanos;
  }

  /**
   * Takes the operation of a request that has come by before.
   *
   * @return the operation, to be given back with {@link #ended}; null if there is none
   */
  synchronized @Nullable OpenOperation take(Request request, RetryOptions options) {
    Deque<OpenOperation> known = open;
    if (known == null) {
      return null;
    }
    for (OpenOperation each : known) {
      OpenOperation again = each.again(request, options);
      if (again != null) {
        known.remove(each);
        return again;
      }
    }
    return null;
  }

  /** A run of an operation is over. Its request may come by again. */
  void ended(OpenOperation operation) {
    OpenOperation forgotten = add(operation);
    if (forgotten != null) {
      forgotten.close();
    }
  }

  private synchronized @Nullable OpenOperation add(OpenOperation operation) {
    Deque<OpenOperation> known = open;
    if (known == null) {
      known = new ArrayDeque<>(1);
      open = known;
    }
    known.add(operation);
    return known.size() > MOST ? known.remove() : null;
  }

  synchronized boolean none() {
    return open == null;
  }

  /** The call is over. */
  @Override
  public void close() {
    Deque<OpenOperation> known;
    synchronized (this) {
      known = open;
      open = null;
    }
    if (known != null) {
      known.forEach(OpenOperation::close);
    }
  }
}
