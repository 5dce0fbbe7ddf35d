package dev.steadfast.retry.httpclient;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

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
}
