package dev.steadfast.retry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import dev.steadfast.retry.testsupport.ClassCycles;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** How the classes hang together, and how many of them are seen from outside. */
class StructureArchitectureTest {
  private static final String ROOT = "dev.steadfast.retry";
  private static final JavaClasses CLASSES =
      new ClassFileImporter().importPath(Path.of("target", "classes"));
  private static final Map<String, Set<String>> GRAPH = ClassCycles.graph(CLASSES);

  private static String packageOf(String type) {
    return type.substring(0, type.lastIndexOf('.'));
  }

  @Test
  void noClassCycleCrossesPackages() {
    assertEquals(List.of(), crossing(ClassCycles.of(GRAPH)));
  }

  private static List<Set<String>> crossing(List<Set<String>> cycles) {
    return cycles.stream()
        .filter(
            each -> each.stream().map(StructureArchitectureTest::packageOf).distinct().count() > 1)
        .toList();
  }

  /** A value and its factory may know each other: a budget and the accounts that it opens. */
  @Test
  void noClassCycleWithinPackagesHasThreeClasses_butABudgetAndItsAccounts() {
    List<Set<String>> large = large(ClassCycles.of(GRAPH));
    assertEquals(1, large.size(), large::toString);
    Set<String> others =
        large.get(0).stream()
            .filter(each -> !CLASSES.get(each).isEquivalentTo(RetryBudget.class))
            .filter(each ->
                !CLASSES.get(each).isAssignableTo(RetryBudget.class)
                    && !CLASSES.get(each).isAssignableTo(RetryBudget.Account.class))
            .collect(Collectors.toCollection(TreeSet::new));
    assertEquals(Set.of(), others);
  }

  private static List<Set<String>> large(List<Set<String>> cycles) {
    return cycles.stream().filter(each -> each.size() > 2).toList();
  }

  @Test
  void theRulesOfCyclesSeeThem() {
    Map<String, Set<String>> graph =
        Map.of(
            "p.A", Set.of("p.B"),
            "p.B", Set.of("p.C", "q.X"),
            "p.C", Set.of("p.A"),
            "q.X", Set.of("q.Y"),
            "q.Y", Set.of("r.Z"),
            "r.Z", Set.of("q.Y"));
    assertEquals(List.of(Set.of("p.A", "p.B", "p.C")), large(ClassCycles.of(graph)));
    assertEquals(List.of(Set.of("q.Y", "r.Z")), crossing(ClassCycles.of(graph)));

    Set<String> loop = Set.of(ROOT + ".engine.RetryLoop", ROOT + ".engine.OperationLoop");
    assertTrue(ClassCycles.of(GRAPH).contains(loop), "an interface and its factory method");
    long edges = GRAPH.values().stream().mapToLong(Set::size).sum();
    assertTrue(GRAPH.size() > 100 && edges > 400, () -> GRAPH.size() + ", " + edges);
  }

  @Test
  void usersMeetFewTypes() {
    Set<String> met = publicTypes(ROOT, ROOT + ".http", ROOT + ".scope");
    assertTrue(met.contains(ROOT + ".RetryPolicy") && met.contains(ROOT + ".scope.RetryScope"));
    assertTrue(met.size() <= 42, () -> met.size() + ": " + met);
  }

  @Test
  void authorsOfAdaptersMeetFewMore() {
    Set<String> met = publicTypes(ROOT + ".engine");
    assertTrue(met.contains(ROOT + ".engine.RetryTransport"), met::toString);
    assertTrue(met.size() <= 20, () -> met.size() + ": " + met);
  }

  private static Set<String> publicTypes(String... packages) {
    return CLASSES.stream()
        .filter(each -> List.of(packages).contains(each.getPackageName()))
        .filter(each -> each.isTopLevelClass() && !each.getSimpleName().equals("package-info"))
        .filter(each -> each.getModifiers().contains(JavaModifier.PUBLIC))
        .filter(each -> !each.isAnnotation()) // no code names it
        .map(JavaClass::getName)
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
