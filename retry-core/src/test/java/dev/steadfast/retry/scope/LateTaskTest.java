package dev.steadfast.retry.scope;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Optional;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;

/** Tasks that a request left behind: they run within its scope when it is closed already. */
class LateTaskTest {
  private static RetryScope scope() {
    return RetryScope.enter(name -> name.equals("Do-Not-Retry") ? "true" : null);
  }

  private static boolean doNotRetry() {
    return RetryScope.current().map(RetryScope::doNotRetry).orElse(false);
  }

  @Test
  void scopeWithinALateTask_leavesTheTaskInItsOwn() throws Exception {
    Callable<Boolean> late;
    try (RetryScope request = scope()) {
      late =
          RetryScope.wrap(() -> {
            RetryScope.enter(name -> null).close();
            return doNotRetry();
          });
    }

    assertTrue(late.call());
    assertEquals(Optional.empty(), RetryScope.current());
  }

  @Test
  void closingAgainWithinALateTask_changesNothing() throws Exception {
    RetryScope request = scope();
    Callable<Boolean> late =
        RetryScope.wrap(() -> {
          request.close();
          return doNotRetry();
        });
    request.close();

    assertTrue(late.call());
    assertEquals(Optional.empty(), RetryScope.current());
  }
}
