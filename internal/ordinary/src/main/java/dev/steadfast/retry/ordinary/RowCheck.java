package dev.steadfast.retry.ordinary;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Runs a row in all its forms, and compares each wrapped run with the plain one. */
final class RowCheck {
  /** What a plain client does is not always the same: a wrapped run equals one of these runs. */
  private static final int PLAIN_RUNS = 4;

  /** The one bound on real time: beyond what a busy machine adds. */
  private static final long SLOWER = 20;

  private static final long MORE_NANOS = 20_000_000_000L;

  private final Row row;
  private final Map<Entry.Way, List<RowRun.Seen>> plain = new EnumMap<>(Entry.Way.class);
  private final Set<Row.Declared> occurred = new HashSet<>();
  private final Set<Row.KnownDefect> failed = new HashSet<>();
  private final Map<List<String>, List<String>> differences = new LinkedHashMap<>();
  private int runs;

  RowCheck(Row row) {
    this.row = row;
  }

  int runs() {
    return runs;
  }

  /** Runs all; the lines tell of each difference that the row does not declare, and where it is. */
  List<String> differences() throws Exception {
    for (Entry entry : row.entries()) {
      for (Policy policy : row.policies()) {
        compare(entry, policy);
      }
    }
    List<String> lines = new ArrayList<>();
    differences.forEach((diff, where) -> {
      lines.add(String.join("; ", where) + ":");
      lines.addAll(diff);
    });
    for (Row.Declared each : row.declared()) {
      if (!occurred.contains(each)) {
        lines.add("declared, but no run differs in " + each.section() + ": " + each.why());
      }
    }
    for (Row.KnownDefect each : row.defects()) {
      if (!failed.contains(each)) {
        lines.add("marked as a known defect, but passes: " + each.what());
      }
    }
    return lines;
  }

  private void compare(Entry entry, Policy policy) throws Exception {
    RowRun.Seen wrapped = run(entry, policy);
    List<RowRun.Seen> known = plain.computeIfAbsent(entry.way(), way -> new ArrayList<>());
    Map<String, List<String>> first = null;
    for (int i = 0; i < PLAIN_RUNS; i++) {
      if (i == known.size()) {
        known.add(run(entry, null));
      }
      Map<String, List<String>> found = compare(known.get(i), wrapped, entry, policy);
      if (found.isEmpty()) {
        return;
      }
      first = first == null ? found : first;
    }
    if (first == null || isKnown(entry, policy)) {
      return;
    }
    List<String> diff = new ArrayList<>();
    first.forEach((section, lines) -> {
      diff.add("    " + section);
      lines.forEach(line -> diff.add("      " + line));
    });
    differences.computeIfAbsent(diff, key -> new ArrayList<>()).add(entry + " with " + policy);
  }

  private RowRun.Seen run(Entry entry, @Nullable Policy policy) throws Exception {
    runs++;
    return new RowRun(row, entry, policy).seen();
  }

  private Map<String, List<String>> compare(
      RowRun.Seen plainly, RowRun.Seen wrapped, Entry entry, Policy policy) {
    Observation one = plainly.observation();
    Observation other = wrapped.observation();
    if (policy == Policy.KEYS) {
      other.withoutAddedKeys(one);
    }
    Map<String, List<String>> found = new LinkedHashMap<>();
    Set<String> sections = new TreeSet<>(one.sections());
    sections.addAll(other.sections());
    for (String section : sections) {
      List<String> lines = Diff.of(one.lines(section), other.lines(section));
      if (!lines.isEmpty() && !isDeclared(section, entry, policy)) {
        found.put(section, lines);
      }
    }
    if (wrapped.nanos() > plainly.nanos() * SLOWER + MORE_NANOS) {
      found.put("time", List.of("- " + plainly.nanos() + " ns", "+ " + wrapped.nanos() + " ns"));
    }
    return found;
  }

  private boolean isKnown(Entry entry, Policy policy) {
    for (Row.KnownDefect each : row.defects()) {
      if (Scope.matches(each.where(), entry, policy)) {
        failed.add(each);
        return true;
      }
    }
    return false;
  }

  private boolean isDeclared(String section, Entry entry, Policy policy) {
    for (Row.Declared each : row.declared()) {
      boolean within = each.what() == null || each.what().equals(section);
      if (within && Scope.matches(each.where(), entry, policy)) {
        occurred.add(each);
        return true;
      }
    }
    return false;
  }
}
