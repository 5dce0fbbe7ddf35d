package dev.steadfast.retry.okhttp;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import dev.steadfast.retry.testsupport.AdapterRules;
import dev.steadfast.retry.testsupport.ClassCycles;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** What the module may use, and what it shows. */
class OkHttpArchitectureTest {
  private static final JavaClasses OURS = AdapterRules.classesBeside(RetryingCallFactory.class);

  @Test
  void theRulesSeeWhatIsPublicAndWhatIsNot() {
    assertTrue(OURS.contain(RetryingCallFactory.class));
    assertTrue(OURS.contain(OkHttpTransport.class));
    assertTrue(OURS.contain(WireTrace.class));
  }

  // On the module path OkHttp's internal packages are closed.
  @Test
  void dependsOnTheCoreAndOnOkHttpAlone() {
    AdapterRules.usesNothingBut(
        OURS,
        "dev.steadfast.retry.okhttp",
        "okhttp3",
        "okio",
        "kotlin.jvm.functions",
        "kotlin.reflect");
  }

  @Test
  void knowsNoOtherClient() {
    noClasses().should().dependOnClassesThat().resideInAPackage("java.net.http..").check(OURS);
  }

  @Test
  void readsTheClockWhereOkioDoes() {
    noClasses()
        .that()
        .doNotHaveSimpleName("CallTimeouts")
        .should()
        .callMethod(System.class, "nanoTime")
        .because("time comes from the environment; only okio's deadlines are of this clock")
        .check(OURS);
    noClasses().should().callMethod(System.class, "currentTimeMillis").check(OURS);
  }

  @Test
  void startsAndHoldsNoThread() {
    noClasses()
        .should()
        .callMethod(Thread.class, "sleep", long.class)
        .orShould()
        .dependOnClassesThat()
        .haveSimpleName("Executors")
        .orShould()
        .callConstructor(Thread.class, Runnable.class)
        .check(OURS);
  }

  /** A shrinker renames classes, and what is known by its name would no longer be recognised. */
  @Test
  void namesOfClassesWithinTexts_areKeptByTheRulesForShrinkers() throws Exception {
    Pattern className = Pattern.compile("\"((?:okhttp3|okio|kotlin)\\.[\\w.]*\\.?[A-Z]\\w*)\"");
    Set<String> named = new TreeSet<>();
    try (Stream<Path> sources = Files.walk(Path.of("src", "main", "java"))) {
      for (Path source : sources.filter(Files::isRegularFile).toList()) {
        className
            .matcher(Files.readString(source))
            .results()
            .forEach(match -> named.add(match.group(1)));
      }
    }
    Path rules = Path.of("target/classes/META-INF/proguard/steadfast-retry-okhttp.pro");
    Set<String> kept =
        Pattern.compile("-keep(?:names)? class (\\S+)")
            .matcher(Files.readString(rules))
            .results()
            .map(match -> match.group(1))
            .collect(Collectors.toCollection(TreeSet::new));
    assertEquals(String.join("\n", named), String.join("\n", kept));
    for (String name : kept) {
      assertEquals(name, Class.forName(name).getName());
    }
    assertEquals(4, kept.size());
  }

  @Test
  void isFinalAndNullMarked() {
    assertTrue(RetryingCallFactory.class.getPackage().isAnnotationPresent(NullMarked.class));
    classes()
        .that(
            DescribedPredicate.describe(
                "are no interfaces, not anonymous and not made to be extended",
                (JavaClass each) ->
                    !each.isInterface()
                        && !each.isAnonymousClass()
                        && !each.getModifiers().contains(JavaModifier.ABSTRACT)))
        .should()
        .haveModifier(JavaModifier.FINAL)
        .check(OURS);
  }

  /** Two classes may know each other, as a value and its factory do; three may not. */
  @Test
  void hasNoCycleOfThreeClasses() {
    assertEquals(
        List.of(),
        ClassCycles.of(ClassCycles.graph(OURS)).stream().filter(each -> each.size() > 2).toList());
  }

  private static boolean isPublic(JavaClass type) {
    return type.getModifiers().contains(JavaModifier.PUBLIC)
        && type.getEnclosingClass().map(OkHttpArchitectureTest::isPublic).orElse(true);
  }

  @Test
  void publicTypesAreFew() {
    List<String> types =
        OURS.stream()
            .filter(OkHttpArchitectureTest::isPublic)
            .map(JavaClass::getSimpleName)
            .sorted()
            .toList();
    assertEquals(List.of("OkHttpReports", "RetryInterceptor", "RetryingCallFactory"), types);
  }
}
