package dev.steadfast.retry.okhttp;

import dev.steadfast.retry.tck.ScenarioTests;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** The scenario table through execute, enqueue and the interceptor. */
class OkHttpScenarioTest {
  @TestFactory
  Stream<DynamicTest> scenarios() {
    return ScenarioTests.golden("okhttp", OkHttpEntryPoints.all());
  }
}
