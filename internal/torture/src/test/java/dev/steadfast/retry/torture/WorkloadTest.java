package dev.steadfast.retry.torture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

class WorkloadTest {
  @Test
  void theSeedFixesTheOperationsAndTheirFaults() {
    assertEquals(Workload.of(7, 5, Break.NONE), Workload.of(7, 5, Break.NONE));
    assertNotEquals(Workload.of(7, 5, Break.NONE), Workload.of(8, 5, Break.NONE));
  }

  @Test
  void fiveMinutesHaveEnoughOperationsOfEachKind() {
    List<Op> operations = Workload.of(7, 5, Break.NONE);
    assertTrue(operations.size() >= 3_000);
    assertEquals(operations.size() / 10, count(operations, OperationKind.KEYLESS));
    assertEquals(operations.size() / 10, count(operations, OperationKind.SHORT));
  }

  private static long count(List<Op> operations, OperationKind kind) {
    return operations.stream().filter(each -> each.kind() == kind).count();
  }

  @Test
  void eachFaultIsPlannedOftenEnough() {
    for (double minutes : new double[] {0.5, 5}) {
      List<Op> operations = Workload.of(7, minutes, Break.NONE);
      for (Fault fault : Fault.all(Fault.Where.OPERATION)) {
        long planned = operations.stream().filter(each -> each.fault() == fault).count();
        assertEquals(fault.planned(minutes), planned, fault::toString);
      }
    }
    assertEquals(20, Fault.least(5));
    assertEquals(2, Fault.least(0.5));
  }

  @Test
  void anOperationIsTheSameAfterWritingAndReading() {
    for (Op operation : Workload.of(7, 1, Break.NONE)) {
      assertEquals(operation, Op.of(operation.line()));
    }
  }
}
