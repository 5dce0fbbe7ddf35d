package dev.steadfast.retry.jmh.report;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.stream.Stream;

/**
 * Renders the JSON results of a run into {@code benchmarks.md}, which has what users ask, {@code
 * benchmarks/parts.md} with the parts of a call, and one SVG per part. Numbers get there in no
 * other way: {@code jmh/run.sh} calls it.
 */
public final class Report {
  private static final String COMMANDS = "commands.txt";
  private static final String PARTS = "parts.md";

  private Report() {}

  /**
   * Writes the page.
   *
   * @param args the folder with the results, and that of the documentation
   * @throws IOException if a file cannot be read or written
   */
  public static void main(String[] args) throws IOException {
    if (args.length != 2) {
      System.err.println("usage: Report <folder with JMH's JSON> <docs folder>");
      System.exit(2);
    }
    System.setProperty("java.awt.headless", "true");
    write(Path.of(args[0]), Path.of(args[1]));
  }

  static void write(Path source, Path docs) throws IOException {
    Results results = Results.read(source);
    List<String> page = new ArrayList<>();
    head(page, results);
    page.addAll(Summary.of(results));
    page.add(
        "The times of a call are medians. Client and server share one core, on loopback. So what"
            + " lies within ± is no difference: ± of a median is [explained](benchmarks/"
            + PARTS
            + "#an-okhttp-call).");
    Files.createDirectories(docs.resolve("img"));
    parts(page, Part.whole(), results, docs, "");
    census(page, source, docs);
    targets(page, results);
    commands(page, source.resolve(COMMANDS), docs);
    Files.write(docs.resolve("benchmarks.md"), page);
    inside(results, docs);
  }

  private static void inside(Results results, Path docs) throws IOException {
    List<String> page = new ArrayList<>();
    page.add("# Each row, and the parts of a call");
    page.add("");
    page.add("The same run as that of the [benchmarks](../benchmarks.md).");
    parts(page, Part.inside(), results, docs, "../");
    allTargets(page, results);
    Files.write(raw(docs, PARTS), page);
  }

  private static void parts(
      List<String> page, List<Part> parts, Results results, Path docs, String root)
      throws IOException {
    for (Part part : parts) {
      if (!results.of(part.benchmark()).isEmpty()) {
        add(page, part, results, docs, root);
      }
    }
  }

  /** Raw results are files beside the page, which nobody reads from begin to end. */
  private static Path raw(Path docs, String name) throws IOException {
    Path folder = docs.resolve("benchmarks");
    Files.createDirectories(folder);
    return folder.resolve(name);
  }

  private static void head(List<String> page, Results results) throws IOException {
    page.add("# Benchmarks");
    page.add("");
    page.add("Rendered from the results of the commands of `jmh/run.sh`; do not edit.");
    page.add(
        "± is JMH's 99.9 % confidence interval where nothing else is said. Bytes are those"
            + " allocated per call.");
    page.add("The names of rows are those of the methods in `jmh/`, so each can be run alone.");
    page.add("");
    page.add(
        "JDK " + results.mainJdk() + " unless a column says otherwise. Peers: " + peers() + ".");
    page.add(
        "[Each row, and the parts of a call](benchmarks/" + PARTS + "), have a page of their own.");
    page.add("");
    page.add("## What does it cost me?");
    page.add("");
  }

  private static void commands(List<String> page, Path commands, Path docs) throws IOException {
    if (Files.exists(commands)) {
      List<String> lines = Files.readAllLines(commands).stream().distinct().toList();
      Files.write(raw(docs, COMMANDS), lines); // rounds repeat theirs
      page.add("");
      page.add("## How it was measured");
      page.add("");
      lines.stream()
          .filter(line -> line.startsWith("# "))
          .forEach(line -> page.add("- " + line.substring(2)));
      page.add("- [the commands](benchmarks/" + COMMANDS + ")");
    }
  }

  private static void census(List<String> page, Path source, Path docs) throws IOException {
    List<Path> counts;
    try (Stream<Path> files = Files.list(source)) {
      counts =
          files
              .filter(file -> file.getFileName().toString().startsWith("census-"))
              .sorted()
              .toList();
    }
    if (counts.isEmpty()) {
      return;
    }
    List<String> lines = new ArrayList<>();
    page.add("");
    page.add("## Whose bytes");
    page.add("");
    page.add(
        "Objects by class, counted on the whole heap; objects below zero are those that the"
            + " compiler did away with in one case and not in the other: [all"
            + " classes](benchmarks/census.txt).");
    page.add("");
    for (Path count : counts) {
      List<String> read = Files.readAllLines(count);
      page.add("- " + read.get(0));
      lines.addAll(read);
      lines.add("");
    }
    Files.write(raw(docs, "census.txt"), lines);
  }

  private static String peers() throws IOException {
    Properties versions = new Properties();
    try (InputStream in = Report.class.getResourceAsStream("peers.properties")) {
      versions.load(in);
    }
    return versions.stringPropertyNames().stream()
        .sorted()
        .map(name -> name + " " + versions.getProperty(name))
        .reduce((all, one) -> all + ", " + one)
        .orElseThrow();
  }

  private static void targets(List<String> page, Results results) {
    List<String> all =
        Target.all().stream()
            .map(target -> target.line(results))
            .filter(line -> !line.contains("| not measured"))
            .toList();
    List<String> within = all.stream().filter(line -> line.contains("| no, within")).toList();
    List<String> missed =
        all.stream().filter(line -> !line.contains("| yes") && !within.contains(line)).toList();
    int reached = all.size() - within.size() - missed.size();
    page.add("");
    page.add("## Against our own targets");
    page.add("");
    page.add(
        ("%d of %d are reached, and %d are missed within the error"
                + " ([all of them](benchmarks/%s#our-own-targets)). These are missed:")
            .formatted(reached, all.size(), within.size(), PARTS));
    table(page, missed);
  }

  private static void allTargets(List<String> page, Results results) {
    page.add("");
    page.add("## Our own targets");
    table(page, Target.all().stream().map(target -> target.line(results)).toList());
  }

  private static void table(List<String> page, List<String> targets) {
    page.add("");
    page.add(
        "x is a ratio within this run. Its error is that of both numbers, or of the ratios of all"
            + " rounds. \"Within the error\" means that the bound lies within the interval of what"
            + " was measured.");
    page.add("");
    page.add("| what | target | measured | reached |");
    page.add("|---|---|---|---|");
    page.addAll(targets);
  }

  private static void add(List<String> page, Part part, Results results, Path docs, String root)
      throws IOException {
    String image = "benchmark-" + part.benchmark().toLowerCase(Locale.ROOT) + ".svg";
    Charts.draw(
        part.title(), part.unit(results), part.bars(results), docs.resolve("img").resolve(image));
    page.add("");
    page.add("## " + part.title());
    page.add("");
    page.add(part.text());
    page.add("");
    page.add("![" + part.title() + "](" + root + "img/" + image + ")");
    page.add("");
    page.addAll(part.table(results));
  }
}
