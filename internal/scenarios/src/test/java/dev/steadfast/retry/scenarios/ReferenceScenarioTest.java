package dev.steadfast.retry.scenarios;

import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** The table on a client without habits of its own: what fails here fails in the core. */
class ReferenceScenarioTest {
  @TestFactory
  Stream<DynamicTest> scenarios() {
    return ScenarioTests.all(ReferenceClient.blocking(), ReferenceClient.async());
  }
}
