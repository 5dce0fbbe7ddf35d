package dev.steadfast.retry.engine;

import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The callback of an operation that holds no thread; it is called once, at the end. A thread that
 * waits for the end may call it before the library's own threads do. Safe for use by many threads.
 *
 * @param <R> the response
 */
final class EndCallback<R> {
  @SuppressWarnings("rawtypes") // an updater knows the class of the field and no more
  private static final AtomicReferenceFieldUpdater<EndCallback, @Nullable BiConsumer> CALLBACK =
      AtomicReferenceFieldUpdater.newUpdater(EndCallback.class, BiConsumer.class, "callback");

  @SuppressWarnings("rawtypes") // as above
  private static final AtomicReferenceFieldUpdater<EndCallback, @Nullable Thread> HELPER =
      AtomicReferenceFieldUpdater.newUpdater(EndCallback.class, Thread.class, "helper");

  private volatile @Nullable BiConsumer<@Nullable R, @Nullable Throwable> callback; // null: called
  private volatile @Nullable Thread helper; // goes on with the operation, and waits for its end

  private @Nullable R result;
  private @Nullable Throwable failure;
  private volatile boolean over; // written after both

  EndCallback(BiConsumer<@Nullable R, @Nullable Throwable> callback) {
    this.callback = callback;
  }

  /** Ends the operation: has the callback called where the client runs its callbacks. */
  void tell(
      Operation<R> operation,
      @Nullable CallerContext callers,
      @Nullable R result,
      @Nullable Throwable failure) {
    this.result = result;
    this.failure = failure;
    over = true;
    try {
      Runnable callBack = () -> Callbacks.run(operation, callers, this::callBack);
      if (Thread.currentThread().equals(helper)) {
        // The callback's code must not hold a thread that waits for nothing but the end.
        Callbacks.afterCancel(operation, () -> Callbacks.within(callers, callBack));
      } else {
        callBack.run();
      }
    } catch (OutOfMemoryError full) {
      callBack(); // here, rather than never
      throw full;
    }
  }

  /** Calls the callback on the calling thread, unless another thread has. */
  void callBack() {
    BiConsumer<@Nullable R, @Nullable Throwable> first = callback;
    if (first != null && CALLBACK.compareAndSet(this, first, null)) {
      first.accept(result, failure);
    }
  }

  /** Whether the operation is over. */
  static boolean isOver(@Nullable EndCallback<?> told) {
    return told != null && told.over;
  }

  /** Lets the calling thread, which waits for the end, run the operation if no other does. */
  void help(CancellableStep underWay) {
    if (!over && HELPER.compareAndSet(this, null, Thread.currentThread())) {
      try {
        underWay.help();
      } finally {
        helper = null;
      }
    }
  }

  /** Tells somebody else of the end. */
  void pass(BiConsumer<@Nullable R, @Nullable Throwable> other) {
    other.accept(result, failure);
  }
}
