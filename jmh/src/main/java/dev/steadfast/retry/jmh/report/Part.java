package dev.steadfast.retry.jmh.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * One benchmark's part of the page.
 *
 * @param benchmark its class, without "Benchmark"
 * @param title the heading
 * @param text what is measured
 * @param bar the counter that is drawn; empty for the time
 */
record Part(String benchmark, String title, String text, String bar) {
  /** Parts that users ask about, beside the summary. */
  static List<Part> whole() {
    return List.of(
        new Part(
            "Slots",
            "200 calls that fail once",
            "Each call gets a 503, and after 500 ms a 200. One healthy call is queued last. OkHttp"
                + " runs five calls per host at a time, the JDK's client as many as it is given. ±"
                + " is the farthest shot from the mean.",
            ""));
  }

  /** Each row of the calls, and their parts. */
  static List<Part> inside() {
    return List.of(
        new Part(
            "OkHttp",
            "An OkHttp call",
            "The first attempt is accepted, and the body is read. Client and server share one core."
                + " Bytes are of the whole process; the server allocates none per request. Compare"
                + " rows with the same number of forks: those of one fork ran in another round, and"
                + " rounds differ more than rows do. In rounds that had both, Failsafe 3.3.2 took"
                + " 0.97 times as long as plain OkHttp 5.5.1 on `execute`, and 1.3 times on"
                + " `enqueue`. With several forks, a number is the median of the forks, and ± is"
                + " the distance to the farthest fork; with eight or more, to the second farthest."
                + " With one fork, ± of a median is how far the median of an iteration lies from"
                + " it.",
            ""),
        new Part("JdkClient", "A java.net.http request", "As above.", ""),
        new Part(
            "Apache5",
            "A call of Apache HttpClient 5",
            "As above. `plain` has its own retries switched off, `ownRetries` has them on, and"
                + " `resilience4j` is its Retry around `plain`.",
            ""),
        new Part(
            "Waiting",
            "Operations that wait, all at once",
            "Heap per waiting operation, after a full collection; what is left of it once all are"
                + " cancelled; the price of starting (with a failing first attempt) and of"
                + " cancelling; how late they wake; platform threads beyond those before."
                + " ± is the farthest shot from the mean.",
            "heapBytes"),
        new Part(
            "Engine",
            "One operation",
            "A first attempt that succeeds (`failures=0`), or two that fail and one that succeeds,"
                + " without waits. `byHand` is a loop with a deadline; `steadfastLimited` has a"
                + " deadline and a budget. `direct` makes one attempt only.",
            ""),
        new Part(
            "Telemetry",
            "What listeners add to an operation",
            "A first attempt that succeeds. `metrics` records into two timers of a Prometheus"
                + " registry. `twoRecords` is the cost of the timers alone. `flightRecorderOff`"
                + " runs without a recording.",
            ""),
        new Part(
            "Budget",
            "One account that all threads share",
            "A deposit into a full one, a withdrawal with a deposit, a refused withdrawal. With"
                + " more threads than cores the time of one call includes that of waiting for a"
                + " core.",
            ""),
        new Part(
            "Timer",
            "A timer that is cancelled",
            "Scheduled for 30 s and cancelled at once. All threads share the timers. With more"
                + " threads than cores the time of one call includes that of waiting for a core.",
            ""),
        new Part(
            "Backoff",
            "One delay",
            "From 100 ms to 20 s, the first to the eighth in turn. `raw` is"
                + " `ThreadLocalRandom.nextLong(bound)`; `byHand` is a full jitter by"
                + " `multiplyHigh`.",
            ""));
  }

  boolean drawn(Row row) {
    return row.variant().equals(Row.Variant.platform(row.variant().jdk(), 1));
  }

  Map<String, Double> bars(Results results) {
    Map<String, Double> bars = new LinkedHashMap<>();
    for (Row row : results.of(benchmark)) {
      if (drawn(row)) {
        Estimate height = bar.isEmpty() ? row.time() : row.counters().get(bar);
        bars.put(shortName(row), height == null ? 0 : height.value());
      }
    }
    return bars;
  }

  // "steadfast waiting=10000 wakeMillis=1000" is too much below a bar.
  private static String shortName(Row row) {
    return row.name()
        .replaceAll(" (calls|waitMillis|wakeMillis)=\\d+", "")
        .replaceAll(" \\w+=", " ");
  }

  String unit(Results results) {
    return bar.isEmpty() ? results.of(benchmark).get(0).unit() : bar;
  }

  List<String> table(Results results) {
    List<Row> rows = results.of(benchmark);
    if (rows.get(0).isShot()) {
      return shots(rows);
    }
    return rows.get(0).isSample() ? samples(rows, results) : averages(rows, results);
  }

  private static List<String> shots(List<Row> rows) {
    List<String> lines = new ArrayList<>();
    Set<String> counters = rows.get(0).counters().keySet();
    boolean timed = counters.size() < 3; // with more the time of a shot is a mixture
    lines.add(header("", timed ? "ms" : "", counters));
    for (Row row : rows) {
      StringBuilder line = new StringBuilder("| " + row.name() + " | ");
      line.append(timed ? row.time() + " | " : "");
      row.counters().values().forEach(value -> line.append(value).append(" | "));
      lines.add(line.toString().strip());
    }
    return ruled(lines);
  }

  private static List<String> samples(List<Row> rows, Results results) {
    List<String> lines = new ArrayList<>();
    String unit = rows.get(0).unit();
    lines.add(
        header(
            "",
            "forks",
            List.of("mean, " + unit, "median", "99 %", "bytes, JDK " + results.mainJdk())));
    for (Row row : rows) {
      lines.add(
          "| %s | %d | %s | %s | %s | %s |"
              .formatted(
                  row.name(),
                  row.forks().size(),
                  row.time(),
                  row.median(),
                  row.percentile("99.0"),
                  bytes(row)));
    }
    return ruled(lines);
  }

  private static List<String> averages(List<Row> rows, Results results) {
    Set<Row.Variant> variants = new LinkedHashSet<>();
    Set<String> names = new LinkedHashSet<>();
    rows.forEach(row -> {
      variants.add(row.variant());
      names.add(row.name());
    });
    List<String> titles = new ArrayList<>();
    variants.forEach(variant -> titles.add(variant + ", " + rows.get(0).unit()));
    titles.add("bytes, JDK " + results.mainJdk());
    results.otherJdks().forEach(jdk -> titles.add("bytes, JDK " + jdk));
    List<String> lines = new ArrayList<>();
    lines.add(header("", "", titles));
    for (String name : names) {
      lines.add(average(rows.get(0).benchmark(), name, variants, results));
    }
    return ruled(lines);
  }

  private static String average(
      String benchmark, String name, Set<Row.Variant> variants, Results results) {
    StringBuilder line = new StringBuilder("| " + name + " | ");
    for (Row.Variant variant : variants) {
      String time =
          results.find(benchmark, name, variant).map(row -> row.time().toString()).orElse("");
      line.append(time).append(" | ");
    }
    List<Integer> jdks = new ArrayList<>(List.of(results.mainJdk()));
    jdks.addAll(results.otherJdks());
    for (int jdk : jdks) {
      Row.Variant variant = Row.Variant.platform(jdk, 1);
      line.append(results.find(benchmark, name, variant).map(Part::bytes).orElse(""));
      line.append(" | ");
    }
    return line.toString().strip();
  }

  private static String bytes(Row row) {
    return row.bytes().map(Estimate::toString).orElse("");
  }

  private static String header(String first, String second, Iterable<String> titles) {
    StringBuilder line = new StringBuilder("| " + first + " | ");
    line.append(second.isEmpty() ? "" : second + " | ");
    titles.forEach(title -> line.append(title).append(" | "));
    return line.toString().strip();
  }

  private static List<String> ruled(List<String> lines) {
    long columns = lines.get(0).chars().filter(c -> c == '|').count() - 1;
    lines.add(1, "|---|" + "--:|".repeat((int) columns - 1));
    return lines;
  }
}
