package dev.steadfast.retry.httpclient;

import dev.steadfast.retry.RetryScheduler;
import dev.steadfast.retry.engine.UnwantedBody;
import dev.steadfast.retry.internal.FirstEvent;
import java.io.ByteArrayOutputStream;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Takes a body before it is known who reads it. A body that the client's call waits for is kept as
 * a whole; if it is long or slow, its reader is chosen at once. The reader of an event stream is
 * chosen when its first event is known, however long that takes. A body that is read after the
 * client's call cannot fail that call: the reader of one that breaks is chosen, too.
 */
final class HeldBody<T extends @Nullable Object> implements BodySubscriber<T>, Flow.Subscription {
  // The limit of a discarded body, almost: not a round number for the same reason.
  private static final long MOST_NANOS = UnwantedBody.MOST_NANOS - 2;

  private final RetryScheduler scheduler;
  private final long mostNanos;
  private final @Nullable FirstEvent event; // null: the body is kept as a whole
  // It returns null if nobody gets the body. This field is cleared after it was asked: it leads to
  // the operation, which the client would otherwise hold for as long as the body is on its way.
  private volatile @Nullable Supplier<@Nullable BodySubscriber<T>> decision;
  private boolean afterCall; // the client's call does not wait; written before the client gets this
  private final CompletableFuture<T> body = new CompletableFuture<>();
  private final AtomicBoolean decided = new AtomicBoolean();
  private final AtomicBoolean timing = new AtomicBoolean();
  private final Queue<List<ByteBuffer>> held = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean asked = new AtomicBoolean(); // the client was, for the next buffers
  private final AtomicLong demand = new AtomicLong(); // of the user's subscriber
  private final AtomicInteger passing = new AtomicInteger(); // threads that want to pass buffers on
  private long bytes; // confined to the client's signals
  private volatile Flow.@Nullable Subscription source;
  private volatile RetryScheduler.@Nullable Task timer;
  private volatile @Nullable BodySubscriber<T> users; // null: the body is kept
  private volatile boolean begun = true; // reading may begin
  private volatile boolean complete;
  private volatile @Nullable Throwable failure;
  private volatile byte @Nullable [] whole;

  /**
   * A body of which the beginning is kept.
   *
   * @param mostNanos how long the beginning may take
   * @param event the beginning is known with this event; null for the whole body
   * @param decision asked once, unless the body is kept as a whole: decides what follows the
   *     attempt, and makes the user's subscriber if the user gets the answer
   */
  HeldBody(
      RetryScheduler scheduler,
      long mostNanos,
      @Nullable FirstEvent event,
      Supplier<@Nullable BodySubscriber<T>> decision) {
    this.scheduler = scheduler;
    this.mostNanos = mostNanos;
    this.event = event;
    this.decision = decision;
  }

  /**
   * A body that is kept until the client's call is over.
   *
   * @param decision asked once, if the body is too long or too slow
   */
  HeldBody(RetryScheduler scheduler, Supplier<@Nullable BodySubscriber<T>> decision) {
    this(scheduler, MOST_NANOS, null, decision);
  }

  /**
   * A body that is read after the client's call, from {@link #begin} on.
   *
   * @param mostNanos how long the body may take; 0 to choose its reader without waiting for it
   * @param decision asked once, unless the body is kept as a whole
   */
  static <T extends @Nullable Object> HeldBody<T> afterCall(
      RetryScheduler scheduler, long mostNanos, Supplier<@Nullable BodySubscriber<T>> decision) {
    HeldBody<T> held = new HeldBody<>(scheduler, mostNanos, null, decision);
    held.afterCall = true;
    held.begun = false;
    return held;
  }

  /** The body if it was kept; null if it is not whole, or if its reader was chosen. */
  byte @Nullable [] whole() {
    return whole;
  }

  /** The result of the reader; its value is null if the body was kept, or nobody gets it. */
  CompletableFuture<T> body() {
    return body;
  }

  /** The client's call is over: the body is read now. */
  void begin() {
    begun = true;
    if (mostNanos == 0) {
      decide();
    } else if (complete) {
      ended();
    } else if (source != null) {
      startReading(); // else the client's subscription does
    }
  }

  /** Ends a body for which nobody waits any more. */
  void giveUp() {
    CancellationException cancelled = new CancellationException("Request cancelled");
    cancel();
    onError(cancelled);
    body.completeExceptionally(cancelled);
  }

  @Override
  @SuppressWarnings("NullAway") // this body is never used
  public CompletionStage<T> getBody() {
    return afterCall ? CompletableFuture.completedFuture(null) : body;
  }

  // Calls of the client.

  @Override
  public void onSubscribe(Flow.Subscription subscription) {
    source = subscription;
    if (begun) {
      startReading();
    }
  }

  private void startReading() {
    boolean timed = event == null && mostNanos != 0;
    if (timed && !timing.compareAndSet(false, true)) {
      return;
    }
    try {
      timer = timed ? scheduler.schedule(mostNanos, this::decide) : null;
    } catch (Throwable noTimer) {
      decide();
      return;
    }
    askClient();
  }

  @Override
  public void onNext(List<ByteBuffer> buffers) {
    boolean known = decided.get() || seesEvent(buffers);
    held.add(buffers);
    asked.set(false);
    if (decided.get()) {
      passOn();
    } else if (known || bytes > UnwantedBody.MOST_BYTES) {
      decide();
    } else {
      askClient();
    }
  }

  private boolean seesEvent(List<ByteBuffer> buffers) {
    boolean known = false;
    for (ByteBuffer buffer : buffers) {
      bytes += buffer.remaining();
      known |= event != null && event.take(buffer);
    }
    return known;
  }

  @Override
  public void onError(Throwable broken) {
    failure = broken;
    ended();
  }

  @Override
  public void onComplete() {
    if (event != null && !decided.get()) {
      event.end();
      decide();
    }
    ended();
  }

  @SuppressWarnings("NullAway") // this body is never used
  private void ended() {
    complete = true;
    if (!begun) {
      return;
    }
    stopTimer();
    if (afterCall && (failure != null || mostNanos == 0)) {
      decide();
    }
    if (!decided.compareAndSet(false, true)) {
      passOn();
      return;
    }
    Throwable broken = failure;
    if (broken != null) {
      body.completeExceptionally(broken);
      return;
    }
    decision = null;
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    held.forEach(buffers -> buffers.forEach(buffer -> write(buffer, all)));
    held.clear();
    whole = all.toByteArray();
    body.complete(null);
  }

  private static void write(ByteBuffer buffer, ByteArrayOutputStream all) {
    byte[] copy = new byte[buffer.remaining()];
    buffer.get(copy);
    all.write(copy, 0, copy.length);
  }

  private void stopTimer() {
    RetryScheduler.Task running = timer;
    if (running != null) {
      running.cancel();
    }
  }

  private void askClient() {
    Flow.Subscription from = source;
    if (from != null && !complete && asked.compareAndSet(false, true)) {
      from.request(1);
    }
  }

  // The body is not kept any longer.

  @SuppressWarnings("NullAway") // this body is never used
  private void decide() {
    if (!decided.compareAndSet(false, true)) {
      return;
    }
    stopTimer();
    Supplier<@Nullable BodySubscriber<T>> maker = Objects.requireNonNull(decision);
    decision = null;
    BodySubscriber<T> taker = null;
    try {
      taker = maker.get();
      if (taker != null) {
        taker.onSubscribe(this);
        users = taker;
        awaitBody(taker);
      }
    } catch (Throwable thrown) {
      cancel();
      body.completeExceptionally(thrown);
      return;
    }
    if (taker == null) {
      cancel();
      body.complete(null);
      return;
    }
    passOn();
  }

  // A subscriber may read all of its body before it returns its future. Not on this thread, which
  // may have to bring the bytes.
  private void awaitBody(BodySubscriber<T> taker) {
    scheduler.execute(() -> {
      try {
        taker.getBody().whenComplete(this::taken);
      } catch (Throwable thrown) {
        cancel();
        body.completeExceptionally(thrown);
      }
    });
  }

  @SuppressWarnings("NullAway") // null is a body as any other
  private void taken(@Nullable T value, @Nullable Throwable thrown) {
    if (thrown == null) {
      body.complete(value);
    } else {
      body.completeExceptionally(thrown);
    }
  }

  /** Hands the user's subscriber the buffers that it has asked for, on one thread at a time. */
  private void passOn() {
    if (passing.getAndIncrement() != 0) {
      return;
    }
    int seen = 1;
    do {
      BodySubscriber<T> taker = users;
      if (taker != null) {
        passOn(taker);
      }
      seen = passing.addAndGet(-seen);
    } while (seen != 0);
  }

  // A subscriber that throws is told of its exception, as by the client, which may not see it here.
  private void passOn(BodySubscriber<T> taker) {
    try {
      handOn(taker);
    } catch (Throwable thrown) {
      users = null;
      cancel();
      try {
        taker.onError(thrown);
      } finally {
        body.completeExceptionally(thrown);
      }
    }
  }

  private void handOn(BodySubscriber<T> taker) {
    while (demand.get() > 0) {
      List<ByteBuffer> next = held.poll();
      if (next == null) {
        break;
      }
      demand.decrementAndGet();
      taker.onNext(next);
    }
    boolean last = complete; // read first: nothing is added after it
    if (!held.isEmpty()) {
      return;
    }
    if (last) {
      users = null;
      Throwable broken = failure;
      if (broken == null) {
        taker.onComplete();
      } else {
        taker.onError(broken);
      }
    } else if (demand.get() > 0) {
      askClient();
    }
  }

  // Calls of the user's subscriber.

  @Override
  public void request(long n) {
    demand.accumulateAndGet(n, (left, more) -> left + more < 0 ? Long.MAX_VALUE : left + more);
    passOn();
  }

  @Override
  public void cancel() {
    Flow.Subscription from = source;
    if (from != null) {
      from.cancel();
    }
    held.clear();
  }
}
