package dev.steadfast.retry.limit;

import java.util.Set;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.ThreadIdGen;
import org.junit.jupiter.api.Test;

/** Attempts of two threads under an adaptive limit of two. */
class LimitAccountSchedulesTest {
  /** Each thread begins attempts, and ends those that it has begun. */
  public static class Attempts {
    private final LimitAccount account =
        new LimitAccount(
            new LimitAccount.Settings(new LimitAccount.Range(1, 2, 4), Set.of(), false, () -> 0));
    private final int[] held = new int[4]; // of each thread

    @Operation
    public boolean begin(@Param(gen = ThreadIdGen.class) int thread) {
      boolean admitted = account.tryAcquire(0);
      held[thread] += admitted ? 1 : 0;
      return admitted;
    }

    @Operation
    public boolean succeed(@Param(gen = ThreadIdGen.class) int thread) {
      boolean has = held[thread] > 0;
      if (has) {
        held[thread]--;
        account.succeeded(1);
      }
      return has;
    }

    @Operation
    public boolean release(@Param(gen = ThreadIdGen.class) int thread) {
      boolean has = held[thread] > 0;
      if (has) {
        held[thread]--;
        account.released();
      }
      return has;
    }
  }

  @Test
  void noScheduleAdmitsMoreThanTheLimit_orLosesAPlace() {
    Schedules.check(Attempts.class);
  }
}
