package dev.steadfast.retry.httpclient;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** What the module may use. */
class HttpClientArchitectureTest {
  private static final JavaClasses OURS =
      new ClassFileImporter()
          .importUrl(RetryingHttpClient.class.getProtectionDomain().getCodeSource().getLocation());

  @Test
  void theRulesSeeWhatIsPublicAndWhatIsNot() {
    assertTrue(OURS.contain(RetryingHttpClient.class));
    assertTrue(OURS.contain(JdkTransport.class));
    assertTrue(OURS.contain(AttemptBodyHandler.class));
  }

  @Test
  void dependsOnTheCoreAndOnTheJdkAlone() {
    classes()
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            "dev.steadfast.retry",
            "dev.steadfast.retry.engine",
            "dev.steadfast.retry.http",
            "dev.steadfast.retry.internal",
            "dev.steadfast.retry.paths",
            "dev.steadfast.retry.threads",
            "dev.steadfast.retry.httpclient",
            "java..",
            "javax.net.ssl",
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
        .because("whether and when to retry is the core's")
        .check(OURS);
  }

  @Test
  void isNullMarked() {
    assertTrue(RetryingHttpClient.class.getPackage().isAnnotationPresent(NullMarked.class));
  }
}
