package dev.steadfast.retry.tck;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** The faults that a run found. They are reported all at once. */
final class Findings {
  private final List<String> found = new ArrayList<>();
  private final List<Throwable> thrown = new ArrayList<>();

  void add(String finding) {
    found.add(finding);
  }

  void addAll(String where, Collection<?> problems) {
    for (Object problem : problems) {
      add(where + ": " + problem);
      if (problem instanceof Throwable throwable) {
        thrown.add(throwable);
      }
    }
  }

  /** Adds an exception that belongs to one of the findings. */
  void because(Throwable throwable) {
    thrown.add(throwable);
  }

  void expect(String what, Object expected, Object actual) {
    if (!expected.equals(actual)) {
      add(what + "\n      expected: " + expected + "\n      but was:  " + actual);
    }
  }

  void check(boolean holds, String otherwise) {
    if (!holds) {
      add(otherwise);
    }
  }

  /** Names the run too: build logs show a dynamic test by its number. */
  void throwIfAny(String name, String trace) {
    if (found.isEmpty()) {
      return;
    }
    String all = String.join("\n  - ", found);
    AssertionError error = new AssertionError(name + "\n  - " + all + "\n  trace: " + trace);
    thrown.forEach(error::addSuppressed);
    throw error;
  }
}
