package dev.steadfast.retry.limit;

import dev.steadfast.retry.Guard;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.Quota;
import java.time.Duration;
import java.util.List;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.ThreadIdGen;
import org.junit.jupiter.api.Test;

/** Attempts of two threads within one quota. */
class PacedAccountSchedulesTest {
  private static final long SECOND = 1_000_000_000;

  /** Each thread has one operation at a time. */
  public abstract static class Attempts {
    private final QuotaPacing pacing;
    private final OperationInfo[] operations = new OperationInfo[4]; // of each thread
    private final Guard.Permit[] permits = new Guard.Permit[4];

    Attempts(QuotaPacing pacing) {
      this.pacing = pacing;
    }

    QuotaPacing pacing() {
      return pacing;
    }

    /** Sends an attempt, or tells for how long its operation waits. */
    @Operation
    public long begin(@Param(gen = ThreadIdGen.class) int thread) {
      if (permits[thread] != null) {
        return -1;
      }
      if (operations[thread] == null) {
        operations[thread] = OperationInfo.of("a", "GET a");
      }
      try {
        permits[thread] = pacing.acquire(operations[thread], 0);
        return 0;
      } catch (RuntimeException waits) {
        return pacing.admitsInNanos(operations[thread], 0);
      }
    }

    /** Ends the operation, whether it waits or has an attempt under way. */
    @Operation
    public boolean end(@Param(gen = ThreadIdGen.class) int thread) {
      OperationInfo operation = operations[thread];
      if (operation == null) {
        return false;
      }
      if (permits[thread] != null) {
        permits[thread].succeeded(1);
        permits[thread] = null;
      }
      pacing.operationEnded(operation);
      operations[thread] = null;
      return true;
    }

    @Operation
    public String state() {
      return pacing.state("a").toString();
    }
  }

  /** A quota that the user has named. */
  public static class Named extends Attempts {
    public Named() {
      super(QuotaPacing.builder().quota(2, Duration.ofSeconds(10)).build());
    }
  }

  /** A quota that answers tell of. */
  public static class Told extends Attempts {
    public Told() {
      super(QuotaPacing.perOrigin());
      answer(2);
    }

    @Operation
    public void answer(int remaining) {
      Quota.Policy policy = new Quota.Policy("q", null, true, 10, 10 * SECOND);
      Quota quota = new Quota(policy, Math.abs(remaining % 3), 10 * SECOND, 0);
      pacing().learn(OperationInfo.of("a", "GET a"), List.of(quota), 0);
    }
  }

  @Test
  void noScheduleLosesATurnOfANamedQuota() {
    Schedules.check(Named.class);
  }

  @Test
  void noScheduleLosesATurnOfAQuotaThatIsTold() {
    Schedules.check(Told.class);
  }
}
