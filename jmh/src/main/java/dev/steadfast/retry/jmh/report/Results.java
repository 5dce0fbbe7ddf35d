package dev.steadfast.retry.jmh.report;

import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * All rows of a run: those of the newest JDK, and beside them the same on older ones. Results of
 * the same benchmark from several files are the forks of one row.
 */
final class Results {
  private final List<Row> rows = new ArrayList<>();
  private final SortedSet<Integer> jdks = new TreeSet<>();

  /** Reads every JSON file of a folder. */
  static Results read(Path folder) throws IOException {
    Results results = new Results();
    for (Path file : jsonFiles(folder)) {
      try (Reader reader = Files.newBufferedReader(file)) {
        JsonParser.parseReader(reader)
            .getAsJsonArray()
            .forEach(element -> results.add(Row.of(element.getAsJsonObject())));
      }
    }
    if (results.rows.isEmpty()) {
      throw new NoSuchElementException("no results in " + folder);
    }
    return results;
  }

  private static List<Path> jsonFiles(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(file -> file.toString().endsWith(".json")).sorted().toList();
    }
  }

  private void add(Row row) {
    Optional<Row> earlier = find(row.benchmark(), row.name(), row.variant());
    if (earlier.isPresent()) {
      earlier.get().addFork(row);
      return;
    }
    rows.add(row);
    jdks.add(row.variant().jdk());
  }

  int mainJdk() {
    return jdks.last();
  }

  /** The older JDKs, newest first. */
  List<Integer> otherJdks() {
    return jdks.headSet(mainJdk()).stream().sorted((a, b) -> b - a).toList();
  }

  /** The rows of a benchmark on the main JDK. */
  List<Row> of(String benchmark) {
    return rows.stream()
        .filter(row -> row.benchmark().equals(benchmark) && row.variant().jdk() == mainJdk())
        .toList();
  }

  Optional<Row> find(String benchmark, String name, Row.Variant variant) {
    return rows.stream()
        .filter(row -> row.benchmark().equals(benchmark) && row.name().equals(name))
        .filter(row -> row.variant().equals(variant))
        .findFirst();
  }

  /** The row of one thread on the main JDK, by {@code Benchmark.name}. */
  Row get(String path) {
    return get(path, 1);
  }

  Row get(String path, int threads) {
    return get(path, Row.Variant.platform(mainJdk(), threads));
  }

  Row get(String path, Row.Variant variant) {
    int dot = path.indexOf('.');
    return find(path.substring(0, dot), path.substring(dot + 1), variant)
        .orElseThrow(() -> new NoSuchElementException(path + " on " + variant));
  }
}
