package dev.steadfast.retry.tck.example;

import dev.steadfast.retry.tck.ScenarioTests;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** The table on a client without habits of its own: what fails here fails in the core. */
// region adapter-test
class ExampleScenarioTest {
  @TestFactory
  Stream<DynamicTest> scenarios() {
    return ScenarioTests.all(ExampleEntryPoint.blocking(), ExampleEntryPoint.async());
  }
}
// endregion
