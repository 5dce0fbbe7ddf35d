package dev.steadfast.retry.httpclient;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The user's subscriber is told of the end once, whoever brings it about. */
class WatchedSubscriberTest {
  private final Throwable ours = new IOException("the body took too long");
  private final Throwable theClients = new IOException("connection reset");

  /** Notes the ends that it is told of. */
  private static class Users implements BodySubscriber<String> {
    final List<Object> ends = new CopyOnWriteArrayList<>();

    @Override
    public CompletionStage<String> getBody() {
      return new CompletableFuture<>();
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      subscription.request(1);
    }

    @Override
    public void onNext(List<ByteBuffer> buffers) {}

    @Override
    public void onError(Throwable failure) {
      ends.add(failure);
    }

    @Override
    public void onComplete() {
      ends.add("complete");
    }
  }

  private static final class Idle implements Flow.Subscription {
    @Override
    public void request(long n) {}

    @Override
    public void cancel() {}
  }

  private static WatchedSubscriber<String> watching(Users users) {
    WatchedSubscriber<String> watched = new WatchedSubscriber<>(users, () -> 0);
    watched.onSubscribe(new Idle());
    return watched;
  }

  /** While the user's code has a buffer, the body is given up, and then the client says this. */
  private List<Object> endsWithin(Consumer<WatchedSubscriber<String>> said) {
    AtomicReference<WatchedSubscriber<String>> watched = new AtomicReference<>();
    Users users =
        new Users() {
          @Override
          public void onNext(List<ByteBuffer> buffers) {
            watched.get().fail(ours);
            said.accept(watched.get());
          }
        };
    watched.set(watching(users));
    watched.get().onNext(List.of());
    assertTrue(watched.get().over());
    return users.ends;
  }

  @Test
  void aBodyThatIsGivenUpWhileTheUserHasABufferEndsAfterIt() {
    assertEquals(List.of(ours), endsWithin(each -> {}));
  }

  @Test
  void theClientsFailureMeanwhileLosesNothing() {
    assertEquals(List.of(ours), endsWithin(each -> each.onError(theClients)));
  }

  @Test
  void theClientsEndMeanwhileIsTold() {
    assertEquals(List.of("complete"), endsWithin(WatchedSubscriber::onComplete));
  }

  /** The body is given up at the moment when the client has a buffer for the user. */
  @Test
  void noBufferComesAfterTheEnd() throws Exception {
    AtomicReference<WatchedSubscriber<String>> next = new AtomicReference<>();
    AtomicBoolean enough = new AtomicBoolean();
    Thread timer =
        new Thread(() -> {
          while (!enough.get()) {
            WatchedSubscriber<String> late = next.getAndSet(null);
            if (late != null) {
              late.fail(ours);
            }
            Thread.onSpinWait();
          }
        });
    timer.start();
    AtomicInteger after = new AtomicInteger();
    // If both threads share a processor, a round takes a whole time slice: hence the end.
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(5);
    for (int round = 0; round < 50_000 && System.nanoTime() < end; round++) {
      Users users =
          new Users() {
            private volatile boolean ended;

            @Override
            public void onNext(List<ByteBuffer> buffers) {
              if (ended) {
                after.incrementAndGet();
              }
            }

            @Override
            public void onError(Throwable failure) {
              ended = true;
            }
          };
      WatchedSubscriber<String> watched = watching(users);
      next.set(watched);
      while (!watched.over()) {
        watched.onNext(List.of());
      }
    }
    enough.set(true);
    timer.join();
    assertEquals(0, after.get(), "buffers after the end");
  }

  @Test
  void whatComesAfterTheEndIsNotPassedOn() {
    Users users = new Users();
    WatchedSubscriber<String> watched = watching(users);
    watched.fail(ours);
    watched.fail(ours);
    watched.onNext(List.of());
    watched.onError(theClients);
    watched.onComplete();
    assertEquals(List.of(ours), users.ends);
  }

  /** Nobody would read the body: the connection would stay with it. */
  @Test
  void aBodyThatIsGivenUpBeforeTheClientBeginsItIsCancelled() {
    List<Object> told = new CopyOnWriteArrayList<>();
    Users users =
        new Users() {
          @Override
          public void onSubscribe(Flow.Subscription subscription) {
            told.add("subscription after the end");
          }
        };
    WatchedSubscriber<String> watched = new WatchedSubscriber<>(users, () -> 0);
    watched.fail(ours);
    watched.onSubscribe(
        new Flow.Subscription() {
          @Override
          public void request(long n) {
            told.add("request");
          }

          @Override
          public void cancel() {
            told.add("cancel");
          }
        });
    assertEquals(List.of("cancel"), told);
    assertEquals(List.of(ours), users.ends);
  }

  @Test
  void anEndThatTheUserDidNotTakeIsFollowedByTheClientsFailure() {
    Users users =
        new Users() {
          @Override
          public void onComplete() {
            super.onComplete();
            throw new IllegalStateException("on purpose");
          }
        };
    WatchedSubscriber<String> watched = watching(users);
    try {
      watched.onComplete();
    } catch (IllegalStateException thrown) {
      watched.onError(thrown); // as the client does
    }
    assertEquals(2, users.ends.size());
    assertEquals(watched.userFailure(), users.ends.get(1));
  }

  /** Whichever of the two comes first. */
  @Test
  void anEmptyBodyForAFileThatCannotBeOpenedFailsByThat(@TempDir Path folder) {
    BodySubscriber<Path> intoFile = BodySubscribers.ofFile(folder.resolve("missing/file"));
    WatchedSubscriber<Path> watched = new WatchedSubscriber<>(intoFile, () -> 0);
    watched.onSubscribe(new Idle());
    watched.onComplete();
    CompletableFuture<Path> body = watched.getBody().toCompletableFuture();
    Exception thrown = assertThrows(ExecutionException.class, body::get);
    assertInstanceOf(NoSuchFileException.class, thrown.getCause());
    assertInstanceOf(NoSuchFileException.class, watched.userFailure());
  }

  @Test
  void ofTwoFailuresAtOnceOneIsTold() throws Exception {
    int rounds = 20_000;
    CyclicBarrier together = new CyclicBarrier(2);
    Users[] users = new Users[rounds];
    WatchedSubscriber<?>[] watched = new WatchedSubscriber<?>[rounds];
    for (int i = 0; i < rounds; i++) {
      users[i] = new Users();
      watched[i] = watching(users[i]);
    }
    Thread timer =
        new Thread(
            () -> {
              for (WatchedSubscriber<?> each : watched) {
                await(together);
                each.fail(ours);
              }
            },
            "timer");
    timer.setDaemon(true);
    timer.start();
    for (WatchedSubscriber<?> each : watched) {
      await(together);
      each.onError(theClients);
    }
    timer.join();
    for (Users each : users) {
      assertEquals(1, each.ends.size(), each.ends.toString());
    }
  }

  private static void await(CyclicBarrier together) {
    try {
      together.await();
    } catch (InterruptedException | BrokenBarrierException e) {
      throw new AssertionError(e);
    }
  }

  // ---- how long a body has been silent

  private static final long NOW = TimeUnit.DAYS.toNanos(3); // a ticker starts anywhere
  private static final long MOST = TimeUnit.SECONDS.toNanos(30);

  /** A body whose silence is looked at whenever it reads the time: between any two of its steps. */
  private static final class Looks implements LongSupplier {
    final List<Long> left = new CopyOnWriteArrayList<>();
    private final AtomicLong nowNanos = new AtomicLong(NOW);
    private final WatchedSubscriber<String> watched;

    Looks(Users users) {
      watched = new WatchedSubscriber<>(users, this);
    }

    @Override
    public long getAsLong() {
      look();
      return nowNanos.get();
    }

    void look() {
      if (watched != null) { // else it is being made
        left.add(watched.idleLeftNanos(nowNanos.get(), MOST));
      }
    }

    void pass(long nanos) {
      nowNanos.addAndGet(nanos);
      look();
    }
  }

  private static Users askingFor(long buffers) {
    return new Users() {
      @Override
      public void onSubscribe(Flow.Subscription subscription) {
        subscription.request(buffers);
      }
    };
  }

  @Test
  void aBodyIsNotSilentAtTheMomentAtWhichTheUserFirstAsksForIt() {
    Looks looks = new Looks(askingFor(1));
    looks.watched.onSubscribe(new Idle());
    looks.look();
    assertEquals(Set.of(MOST), Set.copyOf(looks.left));
  }

  @Test
  void theTimeBeforeTheUserAsksAgainIsNoSilence() {
    Looks looks = new Looks(askingFor(1));
    looks.watched.onSubscribe(new Idle());
    looks.watched.onNext(List.of());
    looks.pass(2 * MOST);
    looks.watched.request(1);
    looks.look();
    assertEquals(Set.of(MOST), Set.copyOf(looks.left));
  }

  @Test
  void theTimeThatTheUserTakesForABufferIsNoSilence() {
    AtomicReference<Looks> looks = new AtomicReference<>();
    Users slow =
        new Users() {
          @Override
          public void onSubscribe(Flow.Subscription subscription) {
            subscription.request(Long.MAX_VALUE);
          }

          @Override
          public void onNext(List<ByteBuffer> buffers) {
            looks.get().pass(2 * MOST);
          }
        };
    looks.set(new Looks(slow));
    looks.get().watched.onSubscribe(new Idle());
    looks.get().watched.onNext(List.of());
    looks.get().look();
    assertEquals(Set.of(MOST), Set.copyOf(looks.get().left));
  }

  @Test
  void silenceIsCountedWhileTheUserWaits() {
    Looks looks = new Looks(askingFor(1));
    looks.watched.onSubscribe(new Idle());
    looks.pass(MOST - 1);
    looks.pass(1);
    assertEquals(List.of(1L, 0L), looks.left.subList(looks.left.size() - 2, looks.left.size()));
  }

  @Test
  void askingForMoreWhileNothingComesEndsNoSilence() {
    Looks looks = new Looks(askingFor(1));
    looks.watched.onSubscribe(new Idle());
    looks.pass(MOST - 1);
    looks.watched.request(1);
    looks.pass(1);
    assertEquals(0, looks.watched.idleLeftNanos(NOW + MOST, MOST));
  }

  @Test
  void aLookWithAnOlderTimeSeesNoSilence() {
    Looks looks = new Looks(askingFor(1));
    looks.watched.onSubscribe(new Idle());
    long most = Long.MAX_VALUE - 1;
    assertEquals(most, looks.watched.idleLeftNanos(NOW - MOST, most));
  }
}
