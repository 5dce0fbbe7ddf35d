package dev.steadfast.retry.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.Disposition;
import dev.steadfast.retry.engine.Evidence;
import dev.steadfast.retry.http.HttpOperation;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.RetryOptions;
import java.io.IOException;
import okhttp3.Request;
import okhttp3.RequestBody;
import org.junit.jupiter.api.Test;

/** A timer settles an attempt as never sent while its thread is about to send. */
class SealedTraceTest {
  private static final Request POST =
      new Request.Builder().url("http://a.test/charge").post(RequestBody.create("5", null)).build();
  private static final HttpOperation OPERATION =
      HttpRetry.defaults().operation(new CallersRequest(POST), RetryOptions.none());

  private static final ClientInterceptors INTERCEPTORS =
      new ClientInterceptors(ClientInterceptors.Around.NONE, null);

  /** Settled at the latest moment: when the thread has asked whether it may go on. */
  private static final class Trace extends RequestTrace {
    private Runnable timer = () -> {};

    Trace() {
      super(OPERATION, INTERCEPTORS);
    }

    @Override
    HttpOperation operation() {
      return OPERATION;
    }

    @Override
    ClientInterceptors interceptors() {
      return INTERCEPTORS;
    }

    @Override
    boolean isOver() {
      return false;
    }

    @Override
    boolean isOverNow() {
      timer.run();
      return false;
    }

    @Override
    boolean isFirstLostFollowUp() {
      return true;
    }

    @Override
    Request callers() {
      return POST;
    }
  }

  private static void assertUnsent(Evidence evidence) {
    assertEquals(Disposition.UNSENT, evidence.last());
    assertEquals(0, evidence.deliveries());
  }

  @Test
  void nothingLeavesTheProbe() {
    Trace trace = new Trace();
    assertTrue(trace.passOn());
    assertTrue(trace.enterNetworkHalf(false));
    trace.passUsersInterceptors();
    trace.timer = () -> assertEquals(0, trace.evidence(false).deliveries());
    IOException canceled = assertThrows(IOException.class, () -> trace.sending(POST), "it is sent");
    assertEquals("Canceled", canceled.getMessage());
    assertEquals(0, trace.evidence(false).deliveries());
  }

  @Test
  void anAttemptThatHasNotBegunNeverBegins() {
    Trace trace = new Trace();
    assertUnsent(trace.evidence(false));
    assertFalse(trace.passOn(), "the attempt begins");
  }

  @Test
  void nothingComesByTheNetworkHalf() {
    Trace trace = new Trace();
    assertTrue(trace.passOn());
    Evidence evidence = trace.evidence(false);
    assertFalse(trace.enterNetworkHalf(false), "the request goes on");
    assertEquals(0, evidence.deliveries());
  }

  @Test
  void whatWasSentBeforeIsNotForgotten() throws IOException {
    Trace trace = new Trace();
    assertTrue(trace.passOn());
    assertTrue(trace.enterNetworkHalf(false));
    trace.sending(POST);
    Evidence evidence = trace.evidence(false);
    assertEquals(Disposition.UNKNOWN, evidence.last());
    assertEquals(1, evidence.deliveries());
  }
}
