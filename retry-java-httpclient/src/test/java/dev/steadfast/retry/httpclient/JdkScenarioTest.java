package dev.steadfast.retry.httpclient;

import dev.steadfast.retry.tck.ScenarioTests;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** The scenario table through send and sendAsync. */
class JdkScenarioTest {
  @TestFactory
  Stream<DynamicTest> scenarios() {
    return ScenarioTests.golden("jdk", JdkEntryPoints.all());
  }
}
