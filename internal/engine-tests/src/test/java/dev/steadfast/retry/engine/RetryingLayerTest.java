package dev.steadfast.retry.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.StopReason;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a layer that retries passes on from what is around it. */
class RetryingLayerTest {
  private static final RetryBudget BUDGET = RetryBudget.unlimited();

  /** A scope that records how it is called. */
  private static final class Scope implements CallContext {
    private final List<StopReason> told = new ArrayList<>();
    private final boolean doNotRetry;

    Scope(boolean doNotRetry) {
      this.doNotRetry = doNotRetry;
    }

    @Override
    public boolean doNotRetry() {
      return doNotRetry;
    }

    @Override
    public long remainingNanos() {
      return 7;
    }

    @Override
    public @Nullable CallContext around() {
      return null;
    }

    @Override
    public String deriveKey(String name, Supplier<String> fingerprint) {
      return name + " " + fingerprint.get();
    }

    @Override
    public void gaveUp(StopReason reason) {
      told.add(reason);
    }

    @Override
    public @Nullable CallContext beyond() {
      return this;
    }
  }

  @Test
  void withNothingAround_thereIsNoKeyAndNobodyToTell() {
    RetryingLayer layer = new RetryingLayer(BUDGET, null);
    assertTrue(layer.doNotRetry());
    assertNull(layer.deriveKey("pay", () -> "print"));
    layer.gaveUp(StopReason.BUDGET_EXHAUSTED);
    assertNull(layer.beyond());
  }

  @Test
  void theKeyOfTheScopeReachesTheOperation() {
    RetryingLayer layer = new RetryingLayer(BUDGET, new Scope(false));
    assertEquals("pay print", layer.deriveKey("pay", () -> "print"));
    assertEquals(7, layer.remainingNanos());
  }

  /** The layer retries what gave up within it, unless it may not. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void theScopeLearnsThatAnOperationGaveUp_onlyIfTheLayerMayNotRetry(boolean doNotRetry) {
    Scope scope = new Scope(doNotRetry);
    new RetryingLayer(BUDGET, scope).gaveUp(StopReason.SERVER_DELAY_TOO_LONG);
    assertEquals(doNotRetry ? List.of(StopReason.SERVER_DELAY_TOO_LONG) : List.of(), scope.told);
  }
}
