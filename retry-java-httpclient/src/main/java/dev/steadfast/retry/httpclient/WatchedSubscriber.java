package dev.steadfast.retry.httpclient;

import dev.steadfast.retry.internal.Durations;
import dev.steadfast.retry.paths.WirePath;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Watches the user's subscriber for the body of the response that the user gets: a body that breaks
 * on its way is a failure of the attempt, and what the user's code throws is not. It knows how long
 * no byte has come while the user waited for some, and can end the body.
 */
final class WatchedSubscriber<T> implements BodySubscriber<T>, Flow.Subscription {
  private static final AtomicReferenceFieldUpdater<WatchedSubscriber<?>, Signals> SIGNALS =
      signals();
  private static final AtomicLongFieldUpdater<WatchedSubscriber<?>> DEMAND = demand();

  // The JDK's subscribers that collect the body in memory, or throw it away.
  private static final Set<Class<?>> IN_MEMORY =
      Set.copyOf(
          List.of( // some of them are one class
              BodySubscribers.ofByteArray().getClass(),
              BodySubscribers.ofString(StandardCharsets.UTF_8).getClass(),
              BodySubscribers.discarding().getClass()));

  private static final Class<?> INTO_FILE =
      BodySubscribers.ofFile(Path.of("unused")).getClass(); // the next attempt writes it again

  /** Lets one thread at a time signal the user's subscriber, and none after the end. */
  private enum Signals {
    IDLE,
    /** The client does. */
    UNDER_WAY,
    /** The client does, and the body is to be ended afterwards. */
    UNDER_WAY_THEN_FAIL,
    /** The client has ended it. */
    ENDED,
    /** Steadfast has failed it. */
    FAILED;

    /** Only the one that has ended the body tells the user. */
    boolean over() {
      return this == ENDED || this == FAILED;
    }
  }

  private final BodySubscriber<T> users;
  private final LongSupplier ticker;
  private volatile Signals signals = Signals.IDLE;
  private volatile long demand; // buffers that the user has asked for
  // When the user's subscriber began to wait: it asked for bytes, or was done with those that had
  // come. Written before it counts as waiting (demand, signals), and read after those.
  private volatile long waitsSinceNanos;
  private volatile Flow.@Nullable Subscription subscription;
  private volatile boolean discarded;
  private volatile boolean cancelledByUser;
  private volatile boolean broken;
  private volatile @Nullable Throwable ended; // by us
  private volatile @Nullable Throwable userFailure;
  private volatile @Nullable CompletionStage<T> body;
  private volatile @Nullable BodyWatch watch;
  private @Nullable WirePath path; // written before the client gets this
  private @Nullable LateDemand late; // as well; null: the client is asked at once

  WatchedSubscriber(BodySubscriber<T> users, LongSupplier ticker) {
    this.users = users;
    this.ticker = ticker;
    this.waitsSinceNanos = ticker.getAsLong();
  }

  @SuppressWarnings({
    "unchecked",
    "rawtypes"
  }) // an updater knows the class of the field and no more
  private static AtomicReferenceFieldUpdater<WatchedSubscriber<?>, Signals> signals() {
    return (AtomicReferenceFieldUpdater)
        AtomicReferenceFieldUpdater.newUpdater(WatchedSubscriber.class, Signals.class, "signals");
  }

  @SuppressWarnings({"unchecked", "rawtypes"}) // as above
  private static AtomicLongFieldUpdater<WatchedSubscriber<?>> demand() {
    return (AtomicLongFieldUpdater)
        AtomicLongFieldUpdater.newUpdater(WatchedSubscriber.class, "demand");
  }

  /** Sets the connections of the body, whose bytes show that they are alive. */
  void comesOver(@Nullable WirePath connections) {
    path = connections;
  }

  /** The client is asked for nothing until its call is over. */
  void waitsForCall() {
    late = new LateDemand();
  }

  /** The client's call is over. */
  void callOver() {
    if (late != null) {
      late.begin();
    }
  }

  /** The exception that the user's code threw or completed its body with, null if it did not. */
  @Nullable Throwable userFailure() {
    Throwable thrown = userFailure;
    CompletionStage<T> made = body;
    return thrown != null || broken || made == null ? thrown : failure(made);
  }

  /**
   * Whether the user's code may have seen a part of the body. The next attempt would then pass it
   * the beginning a second time, and would subscribe a subscriber that has already ended. It is
   * unknown what a subscriber of the user's does. The same holds for a subscriber of the JDK that
   * wraps another, such as {@code buffering}, {@code limiting} or {@code mapping}.
   */
  boolean handsOn() {
    return !collectsInMemory(own()) && !writesFile();
  }

  private BodySubscriber<?> own() {
    return users instanceof RecordingSubscriber<?> recording ? recording.recorded() : users;
  }

  private boolean writesFile() {
    return INTO_FILE.equals(own().getClass());
  }

  /** Whether the body is known to be collected in memory. */
  static boolean collectsInMemory(BodySubscriber<?> users) {
    return IN_MEMORY.contains(users.getClass());
  }

  /** The copy of the body for a journal; null if it is not whole, or if no journal wants it. */
  byte @Nullable [] recorded() {
    return users instanceof RecordingSubscriber<?> recording ? recording.whole() : null;
  }

  /** Whether nothing more comes. */
  boolean over() {
    return signals.over();
  }

  /** Whether more is to come: the client has not ended the body, and the user still wants it. */
  boolean goesOn() {
    return !over() && !cancelledByUser;
  }

  /** The failure of a stage that is complete; stages of the user's need not be futures. */
  private static @Nullable Throwable failure(CompletionStage<?> body) {
    AtomicReference<@Nullable Throwable> found = new AtomicReference<>();
    try {
      body.whenComplete((value, thrown) -> found.set(thrown));
    } catch (Throwable broken) {
      return broken;
    }
    return found.get();
  }

  /** Cancels the body, of which nothing may have come yet. */
  void discard() {
    discarded = true;
    cancelUpstream();
  }

  private void cancelUpstream() {
    Flow.Subscription source = subscription;
    if (source != null) {
      source.cancel();
    }
  }

  // Time.

  /**
   * How long the body may still be silent. It is not silent while the user asks for nothing, or
   * works on what has come.
   */
  long idleLeftNanos(long nowNanos, long mostNanos) {
    boolean waits = demand > 0 && signals == Signals.IDLE;
    return waits ? Silence.leftNanos(mostNanos, waitsSinceNanos, nowNanos) : mostNanos;
  }

  /** Ends the body: the user's subscriber gets an error, and the client releases the connection. */
  void fail(Throwable failure) {
    broken = true;
    ended = failure;
    while (true) {
      Signals now = signals;
      if (now == Signals.IDLE && SIGNALS.compareAndSet(this, now, Signals.FAILED)) {
        cancelUpstream(); // first: after the end of its call the client closes no connection
        users.onError(failure);
        return;
      }
      if (now == Signals.UNDER_WAY
          && SIGNALS.compareAndSet(this, now, Signals.UNDER_WAY_THEN_FAIL)) {
        cancelUpstream();
        return;
      }
      if (now.over() || now == Signals.UNDER_WAY_THEN_FAIL) {
        return;
      }
    }
  }

  // The client signals one thing at a time; within another signal only in answer to a request().
  // If this returns false, ask over() afterwards: the body may have ended just now.
  private boolean enter() {
    return SIGNALS.compareAndSet(this, Signals.IDLE, Signals.UNDER_WAY);
  }

  private void leave(boolean entered) {
    waitsSinceNanos = ticker.getAsLong();
    if (!entered || SIGNALS.compareAndSet(this, Signals.UNDER_WAY, Signals.IDLE)) {
      return;
    }
    Throwable failure = ended;
    if (SIGNALS.compareAndSet(this, Signals.UNDER_WAY_THEN_FAIL, Signals.FAILED)
        && failure != null) {
      users.onError(failure);
    }
  }

  /** The client ends the body, unless we have. Returns the state before. */
  private Signals endedByClient() {
    Signals before = signals;
    while (before != Signals.FAILED && !SIGNALS.compareAndSet(this, before, Signals.ENDED)) {
      before = signals;
    }
    stopWatch();
    return before;
  }

  /** Has that watch stopped when nothing more is to come. */
  void watchedBy(BodyWatch watching) {
    watch = watching;
    if (!goesOn()) {
      watching.stop();
    }
  }

  private void stopWatch() {
    BodyWatch watching = watch;
    if (watching != null) {
      watching.stop();
    }
  }

  // Calls of the user's subscriber.

  @Override
  public void request(long n) {
    long before;
    do {
      before = demand;
      if (before <= 0) {
        waitsSinceNanos = ticker.getAsLong();
      }
    } while (!DEMAND.compareAndSet(this, before, Durations.saturatedAdd(before, n)));
    Flow.Subscription source = subscription;
    if (source != null) {
      source.request(n);
    }
  }

  @Override
  public void cancel() {
    cancelledByUser = true;
    demand = 0;
    stopWatch(); // the client need not tell the end of a body that was cancelled
    cancelUpstream();
  }

  // Calls of the client.

  @Override
  public CompletionStage<T> getBody() {
    try {
      CompletionStage<T> made = users.getBody();
      body = made;
      return made;
    } catch (Throwable thrown) {
      userFailure = thrown;
      throw thrown;
    }
  }

  @Override
  public void onSubscribe(Flow.Subscription subscription) {
    this.subscription = late == null ? subscription : late.of(subscription);
    boolean entered = !discarded && enter();
    if (!entered && (discarded || over())) { // given up before the client began it
      subscription.cancel();
      return;
    }
    try {
      users.onSubscribe(this);
    } catch (Throwable thrown) {
      userFailure = thrown;
      throw thrown;
    } finally {
      leave(entered);
    }
  }

  @Override
  public void onNext(List<ByteBuffer> buffers) {
    boolean entered = enter();
    if (!entered && over()) {
      return;
    }
    if (demand != Long.MAX_VALUE) {
      DEMAND.decrementAndGet(this);
    }
    WirePath bringing = path;
    if (bringing != null) {
      bringing.alive();
    }
    try {
      users.onNext(buffers);
    } catch (Throwable thrown) {
      userFailure = thrown;
      throw thrown;
    } finally {
      leave(entered);
    }
  }

  @Override
  public void onError(Throwable failure) {
    broken = !cancelledByUser;
    Signals before = endedByClient();
    Throwable ours = before == Signals.UNDER_WAY_THEN_FAIL ? ended : null;
    if (before != Signals.FAILED) { // after an onComplete that threw, too
      users.onError(ours == null ? failure : ours);
    }
  }

  @Override
  public void onComplete() {
    if (endedByClient().over()) {
      return;
    }
    // The JDK's subscriber cancels a body after it has failed to write its file. At the end of the
    // body it would then throw a NullPointerException, which could hide that failure.
    if (cancelledByUser && writesFile()) {
      return;
    }
    try {
      users.onComplete();
    } catch (Throwable thrown) {
      userFailure = thrown;
      throw thrown;
    }
  }
}
