package dev.steadfast.retry.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The calling thread is interrupted within an attempt: nothing takes the place of that. */
class InterruptedCallTest {
  private final LoopFixture it = new LoopFixture("maxAttempts=3; backoff=fixed(100ms)");
  private final InterruptedException interrupted = new InterruptedException("in the client");

  @AfterEach
  void noFlagIsLeft() {
    assertFalse(Thread.interrupted());
  }

  private void assertInterrupted(String trace) {
    assertSame(
        interrupted, assertThrows(InterruptedException.class, () -> it.loop.run(Long.MAX_VALUE)));
    it.verifyTrace(trace);
  }

  @Test
  void aRuleThatThrowsAtTheHead_doesNotHideTheInterrupt() {
    it.transport.onStart(each -> {
      assertTrue(each.begin("request"));
      assertFalse(each.head("200 broken rule"));
      each.complete(null, interrupted);
    });
    assertInterrupted("1 InterruptedException, interrupted");
    assertEquals("rule", interrupted.getSuppressed()[0].getMessage());
  }

  /** The scripted transport would retry every exception. */
  @Test
  void noRuleIsAskedWhatAnInterruptMeans() {
    it.transport
        .onStart(each -> {
          assertTrue(each.begin("request"));
          each.complete(null, interrupted);
        })
        .onStart(each -> {
          assertTrue(each.begin("request"));
          each.complete("200", null);
        });
    assertInterrupted("1 InterruptedException, interrupted");
    assertEquals("1 released", it.guard.answers());
  }

  @Test
  void anInterruptAfterADecision_endsTheOperation_andTheTokenGoesBack() {
    it.transport.onStart(each -> {
      assertTrue(each.begin("request"));
      assertFalse(each.head("503 head"));
      each.complete(null, interrupted);
    });
    assertInterrupted("1 UNAVAILABLE, wait 100ms backoff, interrupted");
  }

  @Test
  void anInterruptWithinTheLastAnswer_isItsOwnReason() {
    it.transport.onStart(each -> {
      assertTrue(each.begin("request"));
      assertTrue(each.head("503 doNotRetry"));
      each.complete(null, interrupted);
    });
    assertInterrupted("1 UNAVAILABLE, interrupted");
  }

  @Test
  void otherExceptionsAreStillJudged() throws Throwable {
    it.transport
        .onStart(each -> {
          assertTrue(each.begin("request"));
          each.complete(null, new IOException("x"));
        })
        .onStart(each -> {
          assertTrue(each.begin("request"));
          each.complete("200", null);
        });
    assertEquals("200", it.loop.run(Long.MAX_VALUE));
    it.verifyTrace("1 IOException, wait 100ms backoff, 2 ok, accepted");
  }
}
