package dev.steadfast.retry.operations;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import dev.steadfast.retry.testsupport.ClassCycles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** The rules of the core hold here too. */
class OperationsArchitectureTest {
  private static final JavaClasses CLASSES =
      new ClassFileImporter().importPath(Path.of("target", "classes"));

  @Test
  void noClassCycleHasThreeClasses() {
    Map<String, Set<String>> graph = ClassCycles.graph(CLASSES);
    assertTrue(graph.size() > 10, graph::toString);
    assertEquals(
        List.of(), ClassCycles.of(graph).stream().filter(each -> each.size() > 2).toList());
  }

  @Test
  void itNeedsNoDatabaseAndNoClient() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("java.sql..", "javax.sql..", "java.net.http..", "okhttp3..")
        .because("it runs on Android, and with every client")
        .check(CLASSES);
  }

  @Test
  void timeAndThreadsComeFromTheEnvironment() {
    noClasses()
        .should()
        .callMethod(System.class, "nanoTime")
        .orShould()
        .callMethod(System.class, "currentTimeMillis")
        .orShould()
        .dependOnClassesThat()
        .haveFullyQualifiedName("java.lang.Thread$Builder")
        .orShould()
        .callConstructor(Thread.class, Runnable.class)
        .orShould()
        .dependOnClassesThat()
        .haveFullyQualifiedName("java.util.concurrent.Executors")
        .orShould()
        .callMethod(Thread.class, "sleep", long.class)
        .because("tests run it in virtual time")
        .check(CLASSES);
  }

  @Test
  void behaviourIsNotInherited() {
    assertEquals(
        Set.of("java.lang.Object", "java.lang.Record", "java.lang.Enum", "java.io.IOException"),
        CLASSES.stream()
            .filter(each -> !each.isInterface())
            .map(each -> each.getRawSuperclass().map(JavaClass::getName).orElseThrow())
            .collect(Collectors.toSet()));
  }

  @Test
  void noMonitorIsHeld() throws IOException {
    try (Stream<Path> files = Files.walk(Path.of("src", "main", "java"))) {
      for (Path file : files.filter(each -> each.toString().endsWith(".java")).toList()) {
        String code = Files.readString(file).replaceAll("(?s)/\\*.*?\\*/|//[^\n]*", "");
        assertFalse(code.contains("synchronized"), file::toString);
      }
    }
  }

  @Test
  void thePackageIsNullMarked() {
    assertTrue(OperationJournal.class.getPackage().isAnnotationPresent(NullMarked.class));
  }
}
