package dev.steadfast.retry.httpclient;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.RetryScheduler;
import dev.steadfast.retry.testkit.FakeTime;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How much of a body is kept, and for how long, before its reader is chosen. */
class HeldBodyTest {
  private static final int MOST_BYTES = 64 * 1024;
  private static final int PIECE = 16 * 1024;

  private final FakeTime time = new FakeTime();
  private final AtomicBoolean chosen = new AtomicBoolean();

  private HeldBody<byte[]> held(boolean afterCall) {
    RetryScheduler timers = time.environment().scheduler();
    HeldBody<byte[]> body =
        afterCall
            ? HeldBody.afterCall(timers, Duration.ofSeconds(1).toNanos(), this::choose)
            : new HeldBody<>(timers, this::choose);
    body.onSubscribe(new Unbounded());
    if (afterCall) {
      body.begin();
    }
    return body;
  }

  private BodySubscriber<byte[]> choose() {
    assertTrue(chosen.compareAndSet(false, true), "asked twice");
    return BodySubscribers.ofByteArray();
  }

  private static void pass(HeldBody<byte[]> body, int bytes) {
    for (int left = bytes; left > 0; left -= PIECE) {
      body.onNext(List.of(ByteBuffer.allocate(Math.min(left, PIECE))));
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aBodyIsKeptUpToTheLimit(boolean afterCall) {
    HeldBody<byte[]> body = held(afterCall);
    pass(body, MOST_BYTES);
    assertFalse(chosen.get(), "a reader was chosen early");
    body.onComplete();
    assertFalse(chosen.get(), "a reader was chosen for a whole body");
    assertArrayEquals(new byte[MOST_BYTES], body.whole());
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void oneByteMoreGoesToItsReader(boolean afterCall) {
    HeldBody<byte[]> body = held(afterCall);
    pass(body, MOST_BYTES + 1);
    assertTrue(chosen.get(), "more is kept than the limit");
    pass(body, PIECE);
    body.onComplete();
    assertEquals(MOST_BYTES + 1 + PIECE, body.body().join().length);
    assertNull(body.whole());
  }

  @Test
  void aSlowOneGoesToItsReader() {
    HeldBody<byte[]> body = held(true);
    pass(body, 1);
    time.advance(Duration.ofMillis(999));
    assertFalse(chosen.get(), "a reader was chosen early");
    time.advance(Duration.ofMillis(1));
    assertTrue(chosen.get(), "a slow body is waited for");
  }

  private static final class Unbounded implements Flow.Subscription {
    @Override
    public void request(long n) {}

    @Override
    public void cancel() {}
  }
}
