package dev.steadfast.retry;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaAccess.Predicates.target;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import dev.steadfast.retry.engine.RetryLoop;
import dev.steadfast.retry.http.HttpOperation;
import dev.steadfast.retry.http.journal.JournalService;
import dev.steadfast.retry.internal.Checks;
import dev.steadfast.retry.limit.AdaptiveLimit;
import dev.steadfast.retry.paths.DeadPaths;
import dev.steadfast.retry.scope.RetryScope;
import dev.steadfast.retry.threads.TimerScheduler;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** The rules that hold the design together; each says why. */
class CoreArchitectureTest {
  private static final String ROOT = "dev.steadfast.retry";
  private static final String ENGINE = ROOT + ".engine";
  private static final String INTERNAL = ROOT + ".internal";
  private static final Path SOURCES = Path.of("src", "main", "java");
  private static final JavaClasses CLASSES =
      new ClassFileImporter().importPath(Path.of("target", "classes"));

  @Test
  void theRulesSeeEachPackage() {
    List<Class<?>> one =
        List.of(
            RetryLoop.class,
            HttpOperation.class,
            AdaptiveLimit.class,
            Checks.class,
            DeadPaths.class,
            JournalService.class,
            TimerScheduler.class,
            RetryPolicy.class,
            RetryScope.class);
    one.forEach(each -> assertTrue(CLASSES.contain(each), each::getName));
    assertEquals(
        one.stream().map(Class::getPackageName).collect(Collectors.toSet()),
        CLASSES.stream().map(JavaClass::getPackageName).collect(Collectors.toSet()));
  }

  // Calls, and references such as System::nanoTime.
  @Test
  void timeRandomnessAndThreadsComeFromTheEnvironment() {
    DescribedPredicate<AccessTarget> ambient =
        describe(
            "a clock, a random source or a thread of the process",
            target -> {
              String member = target.getOwner().getName() + "." + target.getName();
              return AMBIENT.stream().anyMatch(member::equals);
            });
    noClasses()
        .that()
        .haveNameNotMatching(THREADS_AND_CLOCKS)
        .should()
        .accessTargetWhere(target(ambient))
        .because("the machine is deterministic, so that tests run it in virtual time")
        .check(CLASSES);
  }

  private static final String THREADS_AND_CLOCKS =
      "dev\\.steadfast\\.retry\\.(RetryEnvironment|threads\\.(TimerThread|WorkerPool|WorkerThread))"
          + "(\\$.*)?";

  private static final Set<String> AMBIENT =
      Set.of(
          "java.lang.System.nanoTime",
          "java.lang.System.currentTimeMillis",
          "java.time.Instant.now",
          "java.time.ZonedDateTime.now",
          "java.time.LocalDateTime.now",
          "java.time.OffsetDateTime.now",
          "java.time.Clock.systemUTC",
          "java.time.Clock.systemDefaultZone",
          "java.lang.Math.random",
          "java.util.Random.<init>",
          "java.util.SplittableRandom.<init>",
          "java.util.concurrent.ThreadLocalRandom.current",
          "java.lang.Thread.sleep",
          "java.lang.Thread.<init>",
          "java.lang.Thread.ofVirtual",
          "java.lang.Thread.ofPlatform",
          "java.util.Timer.<init>",
          "java.util.concurrent.TimeUnit.sleep",
          "java.util.concurrent.locks.LockSupport.parkNanos",
          "java.util.concurrent.Executors.newCachedThreadPool",
          "java.util.concurrent.Executors.newFixedThreadPool",
          "java.util.concurrent.Executors.newScheduledThreadPool",
          "java.util.concurrent.Executors.newSingleThreadExecutor",
          "java.util.concurrent.Executors.newSingleThreadScheduledExecutor",
          "java.util.concurrent.CompletableFuture.delayedExecutor",
          "java.util.concurrent.CompletableFuture.orTimeout",
          "java.util.concurrent.CompletableFuture.completeOnTimeout",
          "java.util.concurrent.CompletableFuture.runAsync",
          "java.util.concurrent.CompletableFuture.supplyAsync");

  @Test
  void theRulesOfTheMachine_areNotEmpty() {
    // The classes that are exempt do what the rule forbids. That shows that the rule can see it.
    Set<String> used =
        CLASSES.stream()
            .filter(each -> each.getName().matches(THREADS_AND_CLOCKS))
            .flatMap(each -> each.getAccessesFromSelf().stream())
            .map(each -> each.getTarget().getOwner().getName() + "." + each.getTarget().getName())
            .filter(AMBIENT::contains)
            .collect(Collectors.toCollection(TreeSet::new));
    assertEquals(
        "[java.lang.System.nanoTime, java.lang.Thread.<init>, java.time.Instant.now,"
            + " java.util.concurrent.ThreadLocalRandom.current,"
            + " java.util.concurrent.locks.LockSupport.parkNanos]",
        used.toString());
  }

  @Test
  void dependenciesPointOneWay() {
    noClasses()
        .that()
        .resideInAnyPackage(ROOT, ENGINE, INTERNAL, ROOT + ".paths", ROOT + ".threads")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(ROOT + ".http..", ROOT + ".scope..")
        .because("HTTP semantics and scopes build on the machine, never the reverse")
        .check(CLASSES);
    noClasses()
        .that()
        .resideInAPackage(ROOT + ".http..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(ROOT + ".scope..")
        .because("a scope is one use of HTTP semantics among others")
        .check(CLASSES);
    noClasses()
        .that()
        .resideInAPackage(INTERNAL)
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(ENGINE)
        .because("the machine builds on the bridges, not the reverse")
        .check(CLASSES);
  }

  @Test
  void theCoreKnowsNoHttpClient() {
    DescribedPredicate<JavaClass> client =
        describe(
            "an HTTP client",
            type ->
                Stream.of("okhttp3.", "java.net.http.", "org.apache.http", "java.net.HttpURL")
                    .anyMatch(type.getName()::startsWith));
    noClasses()
        .should()
        .dependOnClassesThat(client)
        .because("adapters depend on the core, and on the client that they adapt")
        .check(CLASSES);
  }

  @Test
  void packagesAreNullMarked() throws Exception {
    Set<String> names = CLASSES.stream().map(JavaClass::getPackageName).collect(Collectors.toSet());
    for (String name : names) {
      // Loads the package-info; a package without one has no annotation to find.
      Package loaded = Class.forName(name + ".package-info").getPackage();
      assertTrue(loaded.isAnnotationPresent(NullMarked.class), name);
    }
    assertTrue(names.contains(ROOT), names::toString);
  }

  @Test
  void behaviourIsNotInherited() {
    classes()
        .should(extendNothingBut(ALLOWED_PARENTS))
        .because("a class that nobody extends can be read alone")
        .check(CLASSES);
    ALLOWED_PARENTS.forEach((type, parent) ->
        assertEquals(parent, CLASSES.get(type).getRawSuperclass().orElseThrow().getName()));
  }

  private static final Map<String, String> ALLOWED_PARENTS =
      Map.of(
          // As the JDK's futures: cancel reaches those derived from it.
          "dev.steadfast.retry.engine.OperationFuture",
          "java.util.concurrent.CompletableFuture",
          // Request bodies write to a stream.
          "dev.steadfast.retry.engine.BodyCopy",
          "java.io.OutputStream",
          // A flag in its place costs 8 bytes in each timer.
          "dev.steadfast.retry.threads.TimedTask$Settling",
          "dev.steadfast.retry.threads.TimedTask",
          // Every attempt has all three: as objects of their own they cost 72 bytes more.
          "dev.steadfast.retry.engine.AttemptSettlement",
          "dev.steadfast.retry.engine.TimeBounds",
          "dev.steadfast.retry.engine.AttemptRun",
          "dev.steadfast.retry.engine.AttemptSettlement",
          // Threads of the library are known by their class.
          "dev.steadfast.retry.threads.WorkerThread",
          "java.lang.Thread");

  private static ArchCondition<JavaClass> extendNothingBut(Map<String, String> exceptions) {
    return new ArchCondition<>("extend nothing but Object, Record, Enum and exceptions") {
      @Override
      public void check(JavaClass type, ConditionEvents events) {
        if (type.isInterface()) {
          return;
        }
        String parent = type.getRawSuperclass().map(JavaClass::getName).orElse("");
        boolean plain =
            Set.of("java.lang.Object", "java.lang.Record", "java.lang.Enum").contains(parent);
        boolean exception =
            type.isAssignableTo(Throwable.class)
                && type.getRawSuperclass().orElseThrow().getPackageName().startsWith("java.");
        boolean constantOfAnEnum = type.isAssignableTo(Enum.class);
        boolean allowed = parent.equals(exceptions.get(type.getName()));
        if (!plain && !exception && !constantOfAnEnum && !allowed) {
          events.add(SimpleConditionEvent.violated(type, type.getName() + " extends " + parent));
        }
      }
    };
  }

  @Test
  void noMonitorIsHeld() throws IOException {
    List<String> methods =
        CLASSES.stream()
            .flatMap(each -> each.getMethods().stream())
            .filter(each -> each.getModifiers().contains(JavaModifier.SYNCHRONIZED))
            .map(each -> each.getFullName())
            .toList();
    assertEquals(List.of(), methods);

    // The bytecode model shows no monitorenter, the sources do.
    Pattern keyword = Pattern.compile("\\bsynchronized\\b");
    List<Path> sources = sources();
    for (Path source : sources) {
      String code = Files.readString(source).replaceAll("(?s)/\\*.*?\\*/|//[^\n]*", "");
      assertTrue(!keyword.matcher(code).find(), () -> source + " holds a monitor");
    }
    for (JavaClass type : CLASSES) {
      String file = type.getName().replaceAll("\\$.*", "").replace('.', '/') + ".java";
      assertTrue(sources.contains(SOURCES.resolve(file)), () -> "no source of " + type.getName());
    }
  }

  private static List<Path> sources() throws IOException {
    try (Stream<Path> files = Files.walk(SOURCES)) {
      return files.filter(file -> file.toString().endsWith(".java")).toList();
    }
  }

  @Test
  void onlyOptionalResults_neverOptionalArguments() {
    List<String> arguments =
        CLASSES.stream()
            .flatMap(each -> each.getMethods().stream())
            .filter(method ->
                !method.getModifiers().contains(JavaModifier.SYNTHETIC)
                    && method.getRawParameterTypes().stream()
                        .anyMatch(type -> type.getName().startsWith("java.util.Optional")))
            .map(each -> each.getFullName())
            .toList();
    assertEquals(List.of(), arguments, "absence of an argument has its own method, or null");
  }
}
