package dev.steadfast.retry.apache5;

import dev.steadfast.retry.tck.ScenarioTests;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** The scenario table through the classic client. */
class ClassicScenarioTest {
  @TestFactory
  Stream<DynamicTest> scenarios() {
    return ScenarioTests.golden("apache5", new ClassicEntryPoint());
  }
}
