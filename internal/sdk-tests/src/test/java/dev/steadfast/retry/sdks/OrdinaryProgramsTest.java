package dev.steadfast.retry.sdks;

import dev.steadfast.retry.ordinary.RowTests;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** SDKs get from a wrapped client what they get from a plain one. */
@Execution(ExecutionMode.CONCURRENT)
final class OrdinaryProgramsTest {
  @TestFactory
  Stream<DynamicTest> rowsOfSdks() {
    return RowTests.of(SdkRows.rows());
  }

  @AfterAll
  static void print() {
    System.out.println(RowTests.summary());
  }
}
