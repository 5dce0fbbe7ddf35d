package dev.steadfast.retry.jmh.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.NoSuchElementException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The page that is made of a small set of results. */
class ReportTest {
  private static final String OURS = "rgb(31,111,235)"; // the colour of this library's bars

  @TempDir private Path source;
  @TempDir private Path docs;
  private List<String> page;
  private List<String> parts;

  @BeforeEach
  void render() throws IOException {
    System.setProperty("java.awt.headless", "true");
    try (InputStream in = ReportTest.class.getResourceAsStream("results.json")) {
      Files.copy(in, source.resolve("results.json"));
    }
    Files.writeString(source.resolve("commands.txt"), "java -jar benchmarks.jar\n");
    Files.writeString(source.resolve("census-1.txt"), "a call: 8 B\n     8 B   1.0 x of.A\n");
    Report.write(source, docs);
    page = Files.readAllLines(docs.resolve("benchmarks.md"));
    parts = Files.readAllLines(docs.resolve("benchmarks/parts.md"));
  }

  private void assertHas(String line) {
    assertHas(page, line);
  }

  private static void assertHas(List<String> page, String line) {
    assertTrue(page.contains(line), () -> line + "\nis missing from\n" + String.join("\n", page));
  }

  @Test
  void namesPeersAndCommands() throws IOException {
    assertHas("- [the commands](benchmarks/commands.txt)");
    assertEquals(
        "java -jar benchmarks.jar\n", Files.readString(docs.resolve("benchmarks/commands.txt")));
    String jdk = page.stream().filter(line -> line.startsWith("JDK 25 ")).findFirst().orElseThrow();
    assertTrue(jdk.contains("Failsafe 3."), jdk);
  }

  @Test
  void saysWhoseBytes() throws IOException {
    assertHas("## Whose bytes");
    assertHas("- a call: 8 B");
    assertTrue(
        Files.readString(docs.resolve("benchmarks/census.txt")).contains("     8 B   1.0 x of.A"));
  }

  @Test
  void beginsWithWhatACallCosts_andEndsWithOurTargets() {
    List<String> headings = page.stream().filter(line -> line.startsWith("## ")).toList();
    assertEquals("## What does it cost me?", headings.get(0));
    assertEquals("## Against our own targets", headings.get(headings.size() - 2));
    String execute =
        page.stream()
            .filter(line -> line.startsWith("| OkHttp `execute`, GET |"))
            .findFirst()
            .orElseThrow();
    assertEquals(5, execute.chars().filter(c -> c == '|').count(), execute);
  }

  @Test
  void aTargetIsReached_orWithinTheError_orNot() {
    assertHas(
        parts, "| Full jitter, to raw nextLong(bound) | at most 1.00 x | 0.67 ± 0.07 x | yes |");
    assertHas(
        parts,
        "| Equal jitter, to raw nextLong(bound) | at most 1.00 x | 1.03 ± 0.08 x | no, within"
            + " the error |");
    assertHas(
        parts,
        "| Decorrelated jitter, to raw nextLong(bound) | at most 1.00 x | 2.00 ± 0.07 x | **no**"
            + " |");
    assertHas(parts, "| Full jitter, on the oldest JDK | at most 0 B | 8.00 B | **no** |");
  }

  @Test
  void thePageHasTheTargetsThatWereMissed() {
    assertHas("| Full jitter, on the oldest JDK | at most 0 B | 8.00 B | **no** |");
    assertTrue(page.stream().noneMatch(line -> line.endsWith("| yes |")));
    assertTrue(page.stream().noneMatch(line -> line.endsWith(", within the error |")));
    long reached = parts.stream().filter(line -> line.contains("| yes")).count();
    assertTrue(page.stream().anyMatch(line -> line.startsWith(reached + " of ")), "" + reached);
  }

  @Test
  void aTargetThatWasNotMeasuredSaysSo() {
    assertHas(parts, "| Success, to resilience4j | at most 0.50 x | not measured | |");
    assertTrue(page.stream().noneMatch(line -> line.contains("not measured")));
  }

  @Test
  void allocationIsComparedToPlain_andMediansToo() {
    assertHas(parts, "| OkHttp GET, more than plain | at most 700 B | 150 B | yes |");
    assertHas(
        parts,
        "| OkHttp execute, median, to plain | at most 1.03 x | 1.01 ± 0.02 x | yes, within the"
            + " error |");
  }

  @Test
  void countersAreThoseOfOneShot() {
    assertHas(
        parts,
        "| The healthy call queued last, to the ideal | at most 2.00 x | 1.40 ± 0.34 x | yes |");
    assertHas(parts, "| Connections | at most 5.00  | 5.00  | yes |");
    assertHas("|  | ms | connections | healthyMillis |");
    assertHas("| ideal calls=200 waitMillis=500 | 560 ± 10.0 | 5.00 | 25.0 ± 5.00 |");
  }

  @Test
  void oneRowHasAllThreadsAndJdks() {
    assertHas(parts, "|  | 1 thread, ns | 2 threads, ns | bytes, JDK 25 | bytes, JDK 17 |");
    assertHas(parts, "| depositSteadfast | 1.10 | 2.20 ± 0.50 | 0 |  |");
    assertHas(parts, "| steadfastFull | 2.00 ± 0.20 | 0 | 8.00 |");
    assertHas(parts, "|  | 1 thread, virtual, ns | 1 thread, ns | bytes, JDK 25 | bytes, JDK 17 |");
  }

  @Test
  void everyPartHasAChart() throws IOException {
    List<String> parts = List.of("backoff", "engine", "okhttp", "slots", "waiting");
    for (String part : parts) {
      String svg = Files.readString(docs.resolve("img/benchmark-" + part + ".svg"));
      assertTrue(svg.contains(OURS), part);
      assertTrue(svg.contains("<title>"), part);
    }
  }

  @Test
  void noResultsAreAnError(@TempDir Path empty) {
    assertThrows(NoSuchElementException.class, () -> Report.write(empty, docs));
  }

  @Test
  void thePartsOfACallHaveAPageOfTheirOwn() {
    List<String> both = new ArrayList<>(page);
    both.retainAll(parts.stream().filter(line -> line.startsWith("## ")).toList());
    assertEquals(List.of(), both);
    assertHas(parts, "## One operation");
    assertHas(parts, "![One operation](../img/benchmark-engine.svg)");
    assertTrue(Files.exists(docs.resolve("benchmarks/../img/benchmark-engine.svg")));
  }

  @ParameterizedTest
  @CsvSource({"0.0004,0", "0.5,0.50", "9.994,9.99", "12.34,12.3", "99.96,100", "12345,'12,345'"})
  void numbersHaveThreeDigits(double value, String text) {
    assertEquals(text, Estimate.number(value));
  }

  @Test
  void roundsAreTheForksOfOneRow() throws IOException {
    String json = Files.readString(source.resolve("results.json"));
    for (int round = 2; round <= 10; round++) {
      Files.writeString(source.resolve("round-" + round + ".json"), json);
    }
    Results results = Results.read(source);
    Row row = results.get("OkHttp.getSteadfast");
    assertEquals(10, row.forks().size());
    assertEquals(0, row.median().error(), "ten equal forks");
    assertEquals(
        row.median().value() / results.get("OkHttp.getPlain").median().value(),
        row.medianOver(results.get("OkHttp.getPlain")).value(),
        1e-9);
  }

  @ParameterizedTest
  @CsvSource({
    "1;2;3;4;5;6;7;8;9;10, 5.5, 3.5", // the second and the ninth
    "1;1;1;1;1;1;1;1;1;100, 1, 0", // one stray fork changes nothing
    "3;1;2, 2, 1"
  })
  void ofForksTheMedianCounts(String forks, double median, double error) {
    double[] values =
        Arrays.stream(forks.split(";", -1)).mapToDouble(Double::parseDouble).toArray();
    Estimate estimate = Estimate.ofForks(values);
    assertEquals(median, estimate.value());
    assertEquals(error, estimate.error());
  }
}
