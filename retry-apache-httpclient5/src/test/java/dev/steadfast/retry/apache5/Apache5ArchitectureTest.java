package dev.steadfast.retry.apache5;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import org.junit.jupiter.api.Test;

/** What the module may use. */
class Apache5ArchitectureTest {
  private static final JavaClasses OURS =
      new ClassFileImporter()
          .importUrl(Apache5Retry.class.getProtectionDomain().getCodeSource().getLocation());

  @Test
  void theRulesSeeWhatIsPublicAndWhatIsNot() {
    assertTrue(OURS.contain(Apache5Retry.class));
    assertTrue(OURS.contain(ClassicTransport.class));
  }

  @Test
  void dependsOnTheCoreAndOnHttpClientAlone() {
    classes()
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            "dev.steadfast.retry",
            "dev.steadfast.retry.engine",
            "dev.steadfast.retry.http",
            "dev.steadfast.retry.internal",
            "dev.steadfast.retry.threads",
            "dev.steadfast.retry.apache5",
            "java..",
            "javax.net.ssl",
            "org.apache.hc..",
            "org.slf4j",
            "org.jspecify.annotations")
        .check(OURS);
  }

  @Test
  void readsNoClockAndHoldsNoThread() {
    noClasses()
        .should()
        .callMethod(System.class, "nanoTime")
        .orShould()
        .callMethod(System.class, "currentTimeMillis")
        .orShould()
        .callMethod(Thread.class, "sleep", long.class)
        .because("time and waiting come from the environment")
        .check(OURS);
  }

  @Test
  void decidesNothing() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .haveSimpleName("RetryPolicy")
        .orShould()
        .dependOnClassesThat()
        .haveSimpleName("RetryBudget")
        .orShould()
        .dependOnClassesThat()
        .haveSimpleName("RetryState")
        .because("the loop decides what follows an attempt")
        .check(OURS);
  }
}
