package dev.steadfast.retry.testsupport;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.util.ArrayList;
import java.util.List;

/** Rules for the classes of each adapter. */
public final class AdapterRules {
  private static final List<String> EVERYONES =
      List.of(
          "dev.steadfast.retry",
          "dev.steadfast.retry.engine",
          "dev.steadfast.retry.http",
          "dev.steadfast.retry.internal",
          "dev.steadfast.retry.paths",
          "dev.steadfast.retry.threads",
          "java..",
          "javax.net.ssl",
          "org.slf4j",
          "org.jspecify.annotations");

  private AdapterRules() {}

  /** The classes of the module that holds a class. */
  public static JavaClasses classesBeside(Class<?> one) {
    return new ClassFileImporter()
        .importUrl(one.getProtectionDomain().getCodeSource().getLocation());
  }

  /** Besides the core and the JDK, the adapter uses only these packages. */
  public static void usesNothingBut(JavaClasses adapter, String... packages) {
    List<String> allowed = new ArrayList<>(EVERYONES);
    allowed.addAll(List.of(packages));
    classes()
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(allowed.toArray(String[]::new))
        .check(adapter);
  }

  /** Time comes from the environment, and nobody sleeps. */
  public static void readsNoClock(JavaClasses adapter) {
    noClasses()
        .should()
        .callMethod(System.class, "nanoTime")
        .orShould()
        .callMethod(System.class, "currentTimeMillis")
        .orShould()
        .callMethod(Thread.class, "sleep", long.class)
        .because("time and waiting come from the environment")
        .check(adapter);
  }

  /** The core decides what follows an attempt. */
  public static void decidesNothing(JavaClasses adapter) {
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
        .check(adapter);
  }
}
