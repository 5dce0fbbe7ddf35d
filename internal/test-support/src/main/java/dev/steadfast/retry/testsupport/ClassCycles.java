package dev.steadfast.retry.testsupport;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Classes that depend on each other: the strongly connected parts of a graph, by Tarjan. */
public final class ClassCycles {
  private final Map<String, Set<String>> graph;
  private final Map<String, Integer> index = new HashMap<>();
  private final Map<String, Integer> lowest = new HashMap<>();
  private final Deque<String> stack = new ArrayDeque<>();
  private final List<Set<String>> found = new ArrayList<>();

  private ClassCycles(Map<String, Set<String>> graph) {
    this.graph = graph;
  }

  /** What depends on what; nested classes count as part of their outermost one. */
  public static Map<String, Set<String>> graph(JavaClasses classes) {
    Map<String, Set<String>> graph = new TreeMap<>();
    for (JavaClass each : classes) {
      Set<String> targets = graph.computeIfAbsent(outermost(each), name -> new TreeSet<>());
      for (Dependency dependency : each.getDirectDependenciesFromSelf()) {
        JavaClass target = dependency.getTargetClass().getBaseComponentType();
        if (classes.contain(target.getName()) && !outermost(target).equals(outermost(each))) {
          targets.add(outermost(target));
        }
      }
    }
    return graph;
  }

  private static String outermost(JavaClass type) {
    return type.getName().replaceAll("\\$.*", "");
  }

  /** All cycles of two and more. */
  public static List<Set<String>> of(Map<String, Set<String>> graph) {
    ClassCycles cycles = new ClassCycles(graph);
    for (String each : graph.keySet()) {
      if (!cycles.index.containsKey(each)) {
        cycles.visit(each);
      }
    }
    return cycles.found;
  }

  private void visit(String from) {
    index.put(from, index.size());
    lowest.put(from, index.get(from));
    stack.push(from);
    for (String to : graph.getOrDefault(from, Set.of())) {
      if (!index.containsKey(to)) {
        visit(to);
        lowest.merge(from, lowest.get(to), Math::min);
      } else if (stack.contains(to)) {
        lowest.merge(from, index.get(to), Math::min);
      }
    }
    if (lowest.get(from).equals(index.get(from))) {
      Set<String> cycle = new TreeSet<>();
      String member;
      do {
        member = stack.pop();
        cycle.add(member);
      } while (!member.equals(from));
      if (cycle.size() > 1) {
        found.add(cycle);
      }
    }
  }
}
