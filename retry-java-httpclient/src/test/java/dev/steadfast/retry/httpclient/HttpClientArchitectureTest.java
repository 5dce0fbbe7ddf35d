package dev.steadfast.retry.httpclient;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClasses;
import dev.steadfast.retry.testsupport.AdapterRules;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** The module follows the rules of adapters. */
class HttpClientArchitectureTest {
  private static final JavaClasses OURS = AdapterRules.classesBeside(RetryingHttpClient.class);

  @Test
  void theRulesSeeWhatIsPublicAndWhatIsNot() {
    assertTrue(OURS.contain(RetryingHttpClient.class));
    assertTrue(OURS.contain(JdkTransport.class));
    assertTrue(OURS.contain(AttemptBodyHandler.class));
  }

  @Test
  void dependsOnTheCoreAndOnTheJdkAlone() {
    AdapterRules.usesNothingBut(OURS, "dev.steadfast.retry.httpclient");
  }

  @Test
  void readsNoClockAndHoldsNoThread() {
    AdapterRules.readsNoClock(OURS);
  }

  @Test
  void decidesNothing() {
    AdapterRules.decidesNothing(OURS);
  }

  @Test
  void isNullMarked() {
    assertTrue(RetryingHttpClient.class.getPackage().isAnnotationPresent(NullMarked.class));
  }
}
