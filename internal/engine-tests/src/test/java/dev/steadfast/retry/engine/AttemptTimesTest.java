package dev.steadfast.retry.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.StopReason;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Timers that are late, and request bodies whose end two threads tell. */
class AttemptTimesTest {
  private static LoopFixture uploading(String policy, String stalledAt) {
    LoopFixture it = new LoopFixture(policy);
    it.transport
        .stalledAt(stalledAt)
        .onStart(each -> {
          assertTrue(each.begin("request"));
          each.bodyStarted();
        });
    return it.start();
  }

  @Test
  void anAttemptThatLeavesTheQueueAfterTheDeadline_passesNoGuard() {
    LoopFixture it = new LoopFixture("totalTimeout=30s");
    it.transport.onStart(Attempt::queued);
    it.start();
    Attempt<String> attempt = it.transport.attempt();
    List<Boolean> began = new ArrayList<>();
    // The timer has fired, and looks only when the attempt has left the queue.
    it.time.schedule(
        29_999_999_999L, () -> it.beforeNextNow(() -> began.add(attempt.begin("late"))));
    it.advance("30s");
    assertEquals(List.of(false), began);
    it.verify("TimeoutException: deadline exceeded", "deadline");
    assertEquals("", it.guard.answers());
  }

  @Test
  void aRequestBodyWhoseEndTwoThreadsTell_isCountedOnce() {
    LoopFixture it = new LoopFixture("totalTimeout=30s");
    it.transport.onStart(each -> {
      assertTrue(each.begin("request"));
      each.bodyStarted();
    });
    it.start();
    Attempt<String> attempt = it.transport.attempt();
    it.advance("10s");
    // The client has sent the last byte, and before it says so, the head comes on another thread.
    it.beforeNextNow(() -> {
      assertTrue(attempt.head("200 head"));
      it.advance("5s");
    });
    attempt.bodyEnded();
    it.advance("24999ms");
    assertFalse(it.over());
    it.advance("1ms");
    it.verify("TimeoutException: deadline exceeded", "1 TimeoutException, deadline");
  }

  @Test
  void theTimerOfABodyStays_whereTheEndOfTheRequestIsToldLate() {
    LoopFixture it = uploading("maxAttempts=1; totalTimeout=none", "30s");
    Attempt<String> attempt = it.transport.attempt();
    it.advance("10s");
    // The head comes between two steps of a thread that takes the attempt for one without a head.
    it.beforeNextNow(() -> it.beforeNextNow(() -> assertTrue(attempt.head("200 head"))));
    attempt.bodyEnded();
    it.advance("20s");
    it.verify(
        "TimeoutException: attempt timed out",
        "1 TimeoutException, " + StopReason.ATTEMPTS_EXHAUSTED);
  }

  @Test
  void anUploadThatStalls_doesNotWaitForTheAttemptTimeout() {
    LoopFixture it = uploading("maxAttempts=1; totalTimeout=600s; attemptTimeout=300s", "30s");
    it.advance("29999ms");
    assertFalse(it.over());
    it.advance("1ms");
    it.verify(
        "TimeoutException: attempt timed out",
        "1 TimeoutException, " + StopReason.ATTEMPTS_EXHAUSTED);
  }

  @Test
  void aTimerThatNothingNeedsWhileABodyIsSent_isThereAfterwards() {
    LoopFixture it = new LoopFixture("totalTimeout=30s");
    it.transport.onStart(each -> {
      assertTrue(each.begin("request"));
      each.bodyStarted();
    });
    it.start();
    it.advance("60s");
    assertFalse(it.over());
    it.transport.attempt().bodyEnded();
    it.advance("29999ms");
    assertFalse(it.over());
    it.advance("1ms");
    it.verify("TimeoutException: deadline exceeded", "1 TimeoutException, deadline");
  }

  @Test
  void anEndThatTheHeadHasDecided_keepsItsReason_whereTheBodyStalls() {
    LoopFixture it = new LoopFixture("maxAttempts=1; totalTimeout=none");
    it.transport
        .stalledAt("30s")
        .onStart(each -> {
          assertTrue(each.begin("request"));
          assertTrue(each.head("503 head"));
        });
    it.start();
    it.advance("30s");
    it.verify(
        "TimeoutException: attempt timed out", "1 UNAVAILABLE, " + StopReason.ATTEMPTS_EXHAUSTED);
  }

  @Test
  void aRetryThatTheHeadHasDecided_follows_whereTheBodyStalls() {
    LoopFixture it = new LoopFixture("maxAttempts=2; backoff=fixed(1s); totalTimeout=none");
    it.transport
        .stalledAt("30s")
        .onStart(each -> {
          assertTrue(each.begin("request"));
          assertFalse(each.head("503 head"));
        })
        .onStart(each -> {
          assertTrue(each.begin("request"));
          each.complete("200", null);
        });
    it.start();
    it.advance("30s");
    it.verify("200", "1 UNAVAILABLE, wait 1s backoff, 2 ok, accepted");
  }
}
