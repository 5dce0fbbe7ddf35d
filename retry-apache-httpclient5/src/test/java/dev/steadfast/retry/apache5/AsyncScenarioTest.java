package dev.steadfast.retry.apache5;

import dev.steadfast.retry.tck.ScenarioTests;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** The scenario table through the asynchronous client. */
class AsyncScenarioTest {
  @TestFactory
  Stream<DynamicTest> scenarios() {
    return ScenarioTests.golden("apache5-async", new AsyncEntryPoint());
  }
}
