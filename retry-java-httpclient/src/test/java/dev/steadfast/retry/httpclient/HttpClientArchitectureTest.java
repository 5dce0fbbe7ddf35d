package dev.steadfast.retry.httpclient;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** What the module may use, and what it shows. */
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

  @Test
  void publicTypesAreThoseOfTheList() throws Exception {
    List<String> shown =
        OURS.stream()
            .filter(type -> type.getModifiers().contains(JavaModifier.PUBLIC))
            .map(JavaClass::getName)
            .sorted()
            .toList();
    assertEquals(listed(), shown, "the list is in src/test/resources/public-api.txt");
  }

  private static List<String> listed() throws Exception {
    try (InputStream in =
            assertNotNullStream(
                HttpClientArchitectureTest.class.getResourceAsStream("/public-api.txt"));
        BufferedReader lines = new BufferedReader(new InputStreamReader(in, UTF_8))) {
      return lines.lines().filter(line -> !line.isBlank() && !line.startsWith("#")).toList();
    }
  }

  private static InputStream assertNotNullStream(InputStream in) {
    assertNotNull(in, "public-api.txt");
    return in;
  }
}
