package dev.steadfast.retry.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** An attempt that is put off before it begins is started again, and nobody hears of it. */
class PutOffTest {
  private final LoopFixture it = new LoopFixture("maxAttempts=3; totalTimeout=30s");
  private final List<Integer> numbers = new ArrayList<>();

  private Consumer<Attempt<String>> puttingOff(String wait) {
    return each -> {
      numbers.add(each.number());
      assertTrue(each.queued());
      assertTrue(each.putOff(LoopFixture.nanos(wait)));
    };
  }

  private void answers() {
    it.transport.onStart(each -> {
      numbers.add(each.number());
      each.begin("request");
      each.complete("200", null);
    });
  }

  @Test
  void itIsTheSameAttempt() {
    it.transport.onStart(puttingOff("0s")).onStart(puttingOff("100ms"));
    answers();
    it.start();
    assertFalse(it.over());
    it.advance("100ms");
    it.verify("200", "1 ok, accepted");
    assertEquals(List.of(1, 1, 1), numbers);
  }

  @Test
  void aBlockingOperationWaits() throws Throwable {
    it.transport.onStart(puttingOff("100ms")).onStart(puttingOff("0s"));
    answers();
    assertEquals("200", it.loop.run(Long.MAX_VALUE));
    assertEquals(LoopFixture.nanos("100ms"), it.time.nanos());
    it.verifyTrace("1 ok, accepted");
    assertEquals(List.of(1, 1, 1), numbers);
  }

  @Test
  void theDeadlineEndsTheWait() {
    it.transport.onStart(puttingOff("31s"));
    it.start();
    it.advance("31s");
    it.verify("TimeoutException: deadline exceeded", "deadline");
  }

  @Test
  void soDoesACancellation() {
    it.transport.onStart(puttingOff("10s"));
    it.start();
    it.loop.cancel();
    it.transport.runContinuations();
    it.verify("CancellationException: cancelled", "cancelled");
  }

  @Test
  void anAttemptThatIsOverIsNotPutOff() {
    it.transport.onStart(each -> assertTrue(each.queued()));
    it.start();
    it.loop.cancel();
    it.transport.runContinuations();
    assertFalse(it.transport.attempt().putOff(0));
    it.verify("CancellationException: cancelled", "cancelled");
  }

  @Test
  void oneThatRunsIsNotPutOff() {
    it.transport.onStart(each -> {
      each.begin("request");
      assertFalse(each.putOff(0));
      each.complete("200", null);
    });
    it.start();
    it.verify("200", "1 ok, accepted");
  }
}
