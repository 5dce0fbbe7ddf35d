package dev.steadfast.retry.httpclient;

import dev.steadfast.retry.limit.Schedules;
import java.io.IOException;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicInteger;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Test;

/** The client, the user and the timer that watches a body meet at its subscriber. */
class WatchedSubscriberSchedulesTest {
  private static final long MOST_IDLE = 10;

  /** The user's subscriber. */
  private static final class Users implements BodySubscriber<String> {
    private final AtomicInteger within = new AtomicInteger();
    private final AtomicInteger ends = new AtomicInteger();
    private volatile boolean wrong;

    private void signalled() {
      wrong |= within.getAndIncrement() > 0 || ends.get() > 0;
    }

    @Override
    public CompletionStage<String> getBody() {
      return new CompletableFuture<>();
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {}

    @Override
    public void onNext(List<ByteBuffer> buffers) {
      signalled();
      within.decrementAndGet();
    }

    @Override
    public void onError(Throwable thrown) {
      signalled();
      ends.incrementAndGet();
      within.decrementAndGet();
    }

    @Override
    public void onComplete() {
      signalled();
      ends.incrementAndGet();
      within.decrementAndGet();
    }
  }

  private static final class NoSource implements Flow.Subscription {
    @Override
    public void request(long n) {}

    @Override
    public void cancel() {}
  }

  /** The client brings bytes and the end, in one order, while the timer ends the body. */
  public static class Signals {
    private final Users users = new Users();
    private final WatchedSubscriber<String> watched = new WatchedSubscriber<>(users, () -> 0);
    private volatile boolean over;

    public Signals() {
      watched.onSubscribe(new NoSource());
    }

    @Operation(nonParallelGroup = "client")
    public void next() {
      if (!over) {
        watched.onNext(List.of());
      }
    }

    @Operation(nonParallelGroup = "client")
    public void complete() {
      if (!over) {
        watched.onComplete();
        over = true;
      }
    }

    @Operation(nonParallelGroup = "client")
    public void error() {
      if (!over) {
        watched.onError(new IOException("reset"));
        over = true;
      }
    }

    @Operation(nonParallelGroup = "timer")
    public void fail() {
      watched.fail(new IOException("silent"));
      over = true; // the client is told, and soon stops
    }

    @Validate
    public void oneSignalAtATime_andOneEnd() {
      if (users.wrong || users.ends.get() != (over ? 1 : 0)) {
        throw new IllegalStateException(users.ends + " ends, out of order: " + users.wrong);
      }
    }
  }

  /** The user asks for bytes late: what came before he did is no silence. */
  public static class Silences {
    private volatile long now;
    private final WatchedSubscriber<String> watched =
        new WatchedSubscriber<>(new Users(), () -> now);

    public Silences() {
      watched.onSubscribe(new NoSource());
      now = 100;
    }

    @Operation(nonParallelGroup = "user")
    public void ask() {
      watched.request(1);
    }

    @Operation(nonParallelGroup = "user")
    public void come() {
      watched.onNext(List.of());
    }

    @Operation(nonParallelGroup = "timer")
    public long left() {
      return watched.idleLeftNanos(now, MOST_IDLE);
    }
  }

  @Test
  void noScheduleSignalsTwoThingsAtOnce_orTwoEnds() {
    Schedules.checkPairs(Signals.class);
  }

  @Test
  void noScheduleTakesForSilence_whatWasBeforeTheUserAsked() {
    Schedules.checkPairs(Silences.class);
  }
}
