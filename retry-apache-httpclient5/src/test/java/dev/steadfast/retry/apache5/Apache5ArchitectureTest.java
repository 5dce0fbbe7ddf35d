package dev.steadfast.retry.apache5;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClasses;
import dev.steadfast.retry.testsupport.AdapterRules;
import org.junit.jupiter.api.Test;

/** The module follows the rules of adapters. */
class Apache5ArchitectureTest {
  private static final JavaClasses OURS = AdapterRules.classesBeside(Apache5Retry.class);

  @Test
  void theRulesSeeWhatIsPublicAndWhatIsNot() {
    assertTrue(OURS.contain(Apache5Retry.class));
    assertTrue(OURS.contain(ClassicTransport.class));
  }

  @Test
  void dependsOnTheCoreAndOnHttpClientAlone() {
    AdapterRules.usesNothingBut(OURS, "dev.steadfast.retry.apache5", "org.apache.hc..");
  }

  @Test
  void readsNoClockAndHoldsNoThread() {
    AdapterRules.readsNoClock(OURS);
  }

  @Test
  void decidesNothing() {
    AdapterRules.decidesNothing(OURS);
  }
}
