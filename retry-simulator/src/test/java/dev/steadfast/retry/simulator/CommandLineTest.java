package dev.steadfast.retry.simulator;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

final class CommandLineTest {
  private static final List<List<String>> QUICK =
      List.of(
          List.of("contention", "--clients", "10,20", "--runs", "5"),
          List.of("layers", "--layers", "2", "--calls", "500"),
          List.of(
              "outage",
              "--runs",
              "2",
              "--horizon",
              "70s",
              "--capacity",
              "100",
              "--unkeyed-posts",
              "0.1"),
          List.of("herd", "--clients", "50", "--runs", "2"),
          List.of("delays", "--samples", "200"));

  @TempDir Path directory;

  private record Ran(int code, String out, String err) {}

  private static Ran run(List<String> words) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    CommandLine command =
        new CommandLine(
            new PrintStream(out, true, UTF_8),
            new PrintStream(err, true, UTF_8),
            Progress.silent());
    int code = command.run(words);
    return new Ran(code, out.toString(UTF_8), err.toString(UTF_8));
  }

  private static List<String> with(List<String> words, String... more) {
    List<String> all = new ArrayList<>(words);
    all.addAll(List.of(more));
    return all;
  }

  static Stream<List<String>> quick() {
    return QUICK.stream();
  }

  @Tag("laboratory")
  @ParameterizedTest
  @MethodSource("quick")
  void theSameSeedGivesTheSameBytes(List<String> words) throws IOException {
    List<List<String>> files = new ArrayList<>();
    for (String name : List.of("a", "b")) {
      Path html = directory.resolve(name + ".html");
      Path csv = directory.resolve(name + ".csv");
      Ran ran = run(with(words, "--html", html.toString(), "--csv", csv.toString()));
      assertEquals(0, ran.code(), ran::err);
      files.add(List.of(ran.out(), Files.readString(html), Files.readString(csv)));
    }
    assertEquals(files.get(0), files.get(1));
    assertFalse(run(with(words, "--seed", "2")).out().equals(files.get(0).get(0)));
  }

  @ParameterizedTest
  @MethodSource("quick")
  void aResultIsALineOfKeysAndValues(List<String> words) {
    List<String> lines =
        run(words).out().lines().filter(line -> line.startsWith(words.get(0) + " ")).toList();
    assertFalse(lines.isEmpty());
    for (String line : lines) {
      assertTrue(line.matches("[a-z]+( [a-z0-9-]+=[^ ]+)+"), line);
    }
  }

  @Test
  void linesHaveTheFormThatProgramsRead() {
    String contention = run(List.of("contention", "--clients", "5", "--runs", "1")).out();
    assertTrue(
        contention.matches(
            "(?s).*\ncontention strategy=full clients=5 calls=\\d+ millis=\\d+\n.*"));
    String outage = run(QUICK.get(2)).out();
    String numbers =
        " recovery=(never|[0-9.]+) failed=\\d+ peak=\\d+ steady=\\d+ goodput=\\d+ refused=\\d+\n.*";
    assertTrue(outage.matches("(?s).*\noutage policy=none kind=stall rps=70" + numbers), outage);
    String herd = run(QUICK.get(3)).out();
    assertTrue(
        herd.matches(
            "(?s).*\nherd rule=spread calls-per-client=[0-9.]+ peak=[0-9.]+ done=\\d+\n.*"));
  }

  @Test
  void aPolicyOfTheUsersIsRunAsText() {
    String text = "maxAttempts=3; backoff=equal(50ms..1s); totalTimeout=5s";
    Ran outage = run(with(QUICK.get(2), "--policy", text, "--breaker", "default"));
    assertTrue(
        outage.out().contains("\npolicy-1 is backoff=equal(50ms..1s); totalTimeout=5s;"),
        outage::out);
    String line =
        "\n"
            + "outage policy=policy-1 budget=default breaker=breaker(100,20,50,5s,5) limit=none"
            + " kind=stall";
    assertTrue(outage.out().contains(line), outage::out);
    for (String scenario : List.of("contention", "delays", "herd")) {
      List<String> words =
          QUICK.stream().filter(each -> each.get(0).equals(scenario)).findFirst().orElseThrow();
      assertEquals(0, run(with(words, "--policy", text)).code(), scenario);
    }
  }

  @Test
  void policiesStandBesideNoRetriesAndTheDefault_onOneScreen() {
    List<String> words = new ArrayList<>(QUICK.get(2));
    for (int i = 2; i <= 4; i++) {
      words.addAll(List.of("--policy", "maxAttempts=" + i + "; backoff=full(100ms..10s)"));
    }
    String out = run(words).out();
    List<String> rows =
        out.lines()
            .dropWhile(line -> !line.contains("recovery s"))
            .takeWhile(line -> !line.isEmpty())
            .toList();
    List<String> names = rows.stream().skip(1).map(row -> row.strip().split(" ", 2)[0]).toList();
    assertEquals(List.of("none", "default", "policy-1", "policy-2", "policy-3"), names);
    rows.forEach(row -> assertTrue(row.length() <= 80, row));
  }

  @Test
  void aPolicyHasTheLibrarysBudgetUnlessToldOtherwise() {
    String policy = "maxAttempts=4; backoff=full(100ms..10s)";
    String usual = run(with(QUICK.get(2), "--policy", policy)).out();
    assertTrue(usual.contains("\noutage policy=policy-1 budget=default breaker=none "), usual);
    String none = run(with(QUICK.get(2), "--policy", policy, "--budget", "none")).out();
    assertTrue(none.contains("\noutage policy=policy-1 budget=none breaker=none "), none);
    assertTrue(none.contains("policy-1: load 0.70 x 3.7 attempts"), none);
  }

  @Test
  void nothingTypedIsAskingForHelp() {
    assertEquals(new Ran(0, run(List.of("--help")).out(), ""), run(List.of()));
  }

  @ParameterizedTest
  @MethodSource("quick")
  void theSecondLineIsTheConclusion(List<String> words) {
    String second = run(words).out().lines().skip(1).findFirst().orElseThrow();
    assertTrue(second.matches("  [A-Za-z].*[0-9].*\\."), second);
  }

  @Test
  void aPolicyOfTheUsersIsShownCallByCall() {
    String policy = "maxAttempts=3; backoff=exponential(100ms..1s)";
    String out = run(List.of("delays", "--policy", policy, "--attempt-takes", "30ms")).out();
    String table =
        """
          attempt  begins  fails  then waits
                1       0     30         100
                2     130    160         200
                3     360    390           -
        """;
    assertTrue(out.contains(table), out);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "storm",
        "contention --foo 1",
        "contention clients 5",
        "contention --clients",
        "contention --clients 0",
        "contention --clients ten",
        "contention --runs -1",
        "contention --runs 5 --runs 6",
        "contention --seed x",
        "contention --hop-deviation 1h",
        "contention --clients 2000 --runs 10000",
        "contention --policy maxAttempts=0",
        "contention --policy backoff=sideways(1s)",
        "layers --p 1.5",
        "layers --p NaN",
        "layers --layers 5 --attempts 10",
        "outage --rho 0.7",
        "outage --rps 1000",
        "outage --rps 9.9",
        "outage --rps -5",
        "outage --rps 700 --capacity 100",
        "outage --slow-to 0.5",
        "outage --error-rate 0.5",
        "outage --retry-after 5",
        "outage --kind fail-fast --error-rate 0",
        "outage --kind fail-fast --retry-after 1.5",
        "outage --unkeyed-posts 1.1",
        "outage --latency 8ms",
        "outage --latency 60ms..8ms",
        "outage --latency 1us..2us",
        "outage --latency 8ms..60ms --workers 5",
        "outage --breaker default",
        "outage --limit default",
        "outage --compare all",
        "outage --policy maxAttempts=2 --compare limits",
        "outage --policy maxAttempts=2 --limit limit(0,20,200)",
        "outage --policy maxAttempts=2 --limit limit(1,20)",
        "outage --policy maxAttempts=2 --limit gradient",
        "outage --losses throttled",
        "outage --losses timeout,",
        "layers --policy maxAttempts=2",
        "delays --policy maxAttempts=1 --policy maxAttempts=2 --policy maxAttempts=3 --policy"
            + " maxAttempts=4 --policy maxAttempts=5 --policy maxAttempts=6",
        "outage --kind flood",
        "outage --capacity -3",
        "outage --length 0",
        "outage --horizon 5s",
        "outage --horizon 20h --capacity 100000",
        "outage --budget default",
        "outage --policy maxAttempts=2 --budget success(2)",
        "outage --policy maxAttempts=2 --budget success(-1,10,0)",
        "outage --policy maxAttempts=2 --budget request(0.1,0,7h)",
        "outage --policy maxAttempts=2 --breaker breaker(0,1,50,5s,5)",
        "outage --policy maxAttempts=2 --budget success(0.1,10.7,0)",
        "outage --policy maxAttempts=2 --budget success(0.1,1s,0)",
        "outage --policy maxAttempts=2 --budget request(0.1,0,7)",
        "outage --policy maxAttempts=2 --budget none(1)",
        "outage --policy maxAttempts=2 --budget success(0.1,10,0",
        "outage --policy maxAttempts=2 --breaker open",
        "outage --policy maxAttempts=2 --breaker breaker(100.9,20,50,5s,5)",
        "outage --policy maxAttempts=2 --breaker breaker(100,20,0.0001,5s,5)",
        "outage --policy maxAttempts=2 --breaker breaker(100,20,50,5,5)",
        "outage --policy maxAttempts=2 --breaker success(100,20,50,5s,5)",
        "outage --kind fail-fast --capacity 10 --horizon 60s --budget none --policy"
            + " maxAttempts=2000000000;backoff=none;totalTimeout=none",
        "herd --clients 100 --capacity 1 --queue 0 --runs 1 --policy"
            + " maxAttempts=2000000000;backoff=none;totalTimeout=none;"
            + "serverDelaySpread=0;maxServerDelay=1ns;aboveCeiling=clamp",
        "herd --clients 10000 --queue 0 --runs 20",
        "herd --retry-after 0",
        "herd --queue -1",
        "delays --samples 5",
        "delays --samples 1000000 --retries 100",
        "quota --requests 0",
        "quota --window 10ms",
        "quota --server leaky",
        "quota --headers perhaps",
        "quota --named 0",
        "quota --clients 100 --workers 1000",
        "quota --policy maxAttempts=1 --policy maxAttempts=2",
        "tour --clients 5",
        "contention=1",
        "contention -- --clients 5",
        "contention --clients=5",
        "contention --clients 5,,6",
        "contention --seed 99999999999999999999",
        "delays --html /nowhere/at/all.html",
        "delays --csv /",
        "delays --csv same --html ./same",
        "delays --csv /dev/null/x",
        "delays --svg /dev/null/x"
      })
  void badInputIsOneLineAndCodeTwo(String words) {
    Ran ran = run(words.isEmpty() ? List.of() : List.of(words.split(" ")));
    assertEquals(2, ran.code(), ran::out);
    assertEquals(1, ran.err().lines().count(), ran::err);
    assertTrue(ran.err().startsWith("simulator: "), ran::err);
    assertEquals("", ran.out());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "outage --latency 1us..2us | --latency 1us..2us, --capacity 1000: together 0.001 calls at a"
            + " time (expected: 1 to 10000, so at this capacity a mean latency of 1ms to 10s)",
        "outage --horizon 20h --capacity 100000 | --capacity 100000, --horizon 20h, --runs 8:"
            + " together 40320000000 calls (expected: at most 20000000)",
        "layers --layers 5 --attempts 10 --calls 20000 | --attempts 10, --layers 5, --calls 20000:"
            + " together up to 2000000000 calls (expected: at most 1000000000)",
        "outage --capacity 1e9 | --capacity: 1e9 (expected: 1 to 100000)",
        "outage --latency fast | --latency: fast (expected: exponential, fixed, or median..99 %"
            + " from 1us..1us to 1h..1h, the second at most 1000 times the first, as in 8ms..60ms)",
      })
  void theErrorNamesOptionsValuesAndWhatIsAllowed(String words, String message) {
    assertEquals("simulator: " + message + "\n", run(List.of(words.split(" "))).err());
  }

  @Test
  void anEmptyValueIsNoValue() {
    for (String value : List.of("", " ")) {
      Ran ran = run(List.of("contention", "--clients", "5", "--runs", "1", "--policy", value));
      assertEquals("simulator: --policy: nothing (expected: a value)\n", ran.err());
    }
  }

  @Test
  void theErrorIsOneLineWhateverWasTyped() {
    for (String word : List.of("--cli\nents", "\u2028", "\r")) {
      assertEquals(1, run(List.of("contention", word, "5")).err().lines().count());
    }
    Ran policy = run(List.of("delays", "--policy", "maxAttempts=3;\nbackoff=none"));
    assertEquals(
        "simulator: --policy: maxAttempts=3;?backoff=none (expected: one line)\n", policy.err());
  }

  @Test
  void badInputLeavesNothingBehind() throws IOException {
    Path old = Files.writeString(directory.resolve("old.csv"), "old");
    List<String> words = List.of("contention", "--clients", "0", "--csv", old.toString());
    String html = directory.resolve("new.html").toString();
    String svg = directory.resolve("a/b/c").toString();
    assertEquals(2, run(with(words, "--html", html, "--svg", svg)).code());
    assertEquals("old", Files.readString(old));
    try (Stream<Path> left = Files.list(directory)) {
      assertEquals(List.of(old), left.toList());
    }
  }

  @Test
  void whatCannotBeWrittenToTheEndIsNotHalfThere() throws IOException {
    Path taken = Files.createDirectories(directory.resolve("charts/delays.svg"));
    Path csv = directory.resolve("x.csv");
    List<String> words = List.of("delays", "--samples", "100", "--csv", csv.toString());
    Ran ran = run(with(words, "--svg", taken.getParent().toString()));
    assertEquals(2, ran.code());
    assertEquals("", ran.out());
    assertEquals(1, ran.err().lines().count(), ran::err);
    try (Stream<Path> left = Files.walk(directory)) {
      assertTrue(left.noneMatch(file -> file.toString().endsWith(".part")));
    }
  }

  @Tag("laboratory")
  @ParameterizedTest
  @ValueSource(
      strings = {
        "delays --samples 100 --policy maxAttempts=1",
        "outage --rps 0.01 --capacity 1 --workers 1 --horizon 60s --runs 1",
        "herd --clients 1 --runs 1",
        "herd --clients 100 --queue 0 --retry-after 3600 --runs 1",
        "layers --p 0 --layers 1 --calls 100",
        "layers --attempts 1 --calls 100",
        "contention --clients 1,2 --runs 1",
        "contention --clients 9,10 --runs 1 --policy"
            + " maxAttempts=9;backoff=fixed(2562047h);totalTimeout=none"
      })
  void extremesHaveAReportToo(String words) {
    Path html = directory.resolve("x.html");
    Ran ran = run(with(List.of(words.split(" ")), "--html", html.toString()));
    assertEquals(0, ran.code(), ran::err);
    assertTrue(Files.exists(html));
  }

  @Test
  void aRetryStandsOnceOnTheAxisOfEachPanel() throws IOException {
    List<String> words = List.of("delays", "--samples", "100", "--policy", "maxAttempts=5");
    assertEquals(0, run(with(words, "--svg", directory.toString())).code());
    String svg = Files.readString(directory.resolve("delays.svg"));
    for (int retry = 1; retry <= 4; retry++) {
      assertEquals(3, svg.split(">\\s*" + retry + "\\s*<", -1).length, "retry " + retry);
    }
  }

  @Test
  void helpTellsEveryOption() {
    assertTrue(run(List.of("--help")).out().contains("outage"));
    String help = run(List.of("outage", "--help")).out();
    new Outage().options().forEach(option -> assertTrue(help.contains("--" + option.name())));
  }

  @Tag("laboratory")
  @Test
  void theReportIsWholeAndNeedsNothingElse() throws Exception {
    for (List<String> words : QUICK) {
      Path svg = directory.resolve(words.get(0));
      Path html = directory.resolve(words.get(0) + ".html");
      assertEquals(0, run(with(words, "--svg", svg.toString(), "--html", html.toString())).code());
      String page = Files.readString(html);
      String elsewhere =
          page.replace("http://www.w3.org/2000/svg", "")
              .replace("http://www.w3.org/1999/xlink", "");
      assertFalse(elsewhere.contains("http:") || elsewhere.contains("https:"), words.get(0));
      assertFalse(page.contains("<script"));
      assertTrue(page.contains("prefers-color-scheme:dark"));
      try (Stream<Path> files = Files.list(svg)) {
        for (Path file : files.toList()) {
          DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(file.toFile());
          assertDrawnByAnyProgram(Files.readString(file));
        }
      }
    }
  }

  // Colours as numbers, a ground, and a title that is drawn.
  private static void assertDrawnByAnyProgram(String svg) {
    assertFalse(svg.matches("(?s).*(var\\(|--|@media|rgb\\(|NaN|Infinity).*"), svg);
    assertTrue(svg.contains(" fill=\"#ffffff\"/>"), svg);
    assertTrue(svg.contains("<text class=\"title\""), svg);
  }

  @Test
  void theLegendOfAnOutageTellsEachOfItsSigns() throws IOException {
    run(with(QUICK.get(2), "--svg", directory.toString()));
    String svg = Files.readString(directory.resolve("outage-stall.svg"));
    for (String sign :
        List.of(
            "first tries", "retries", "calls that succeed", "capacity", "outage", "recovered")) {
      assertTrue(svg.contains(">" + sign + "</text>"), sign);
    }
  }

  @Test
  void theTourRunsWhatCanBeTyped() {
    for (List<String> words : Tour.commands(5)) {
      List<String> help = List.of(words.get(0), "--help");
      String options = run(help).out();
      words.stream()
          .filter(word -> word.startsWith("--"))
          .forEach(word -> assertTrue(options.contains(word), word));
    }
  }
}
