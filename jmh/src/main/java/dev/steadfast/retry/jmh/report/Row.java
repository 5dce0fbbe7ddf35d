package dev.steadfast.retry.jmh.report;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/**
 * What JMH tells of one benchmark with one set of parameters.
 *
 * @param forks its results: one, or one for each round in which it was run
 */
record Row(String benchmark, String name, Variant variant, List<JsonObject> forks) {
  private static final String ALLOCATED = "gc.alloc.rate.norm";

  /** On what a benchmark ran. */
  record Variant(int jdk, int threads, boolean virtual) {
    static Variant platform(int jdk, int threads) {
      return new Variant(jdk, threads, false);
    }

    @Override
    public String toString() {
      String number = threads == 1 ? "1 thread" : threads + " threads";
      return number + (virtual ? ", virtual" : "");
    }
  }

  static Row of(JsonObject json) {
    String path = json.get("benchmark").getAsString();
    int method = path.lastIndexOf('.');
    String type = path.substring(path.lastIndexOf('.', method - 1) + 1, method);
    List<String> name = new ArrayList<>(List.of(path.substring(method + 1)));
    JsonElement params = json.get("params");
    if (params != null) {
      params
          .getAsJsonObject()
          .asMap()
          .forEach((key, value) -> name.add(key + "=" + value.getAsString()));
    }
    String version = json.get("jdkVersion").getAsString();
    return new Row(
        type.replace("Benchmark", ""),
        String.join(" ", name),
        new Variant(
            Runtime.Version.parse(version).feature(),
            json.get("threads").getAsInt(),
            json.get("jvmArgs").toString().contains("jmh.executor=VIRTUAL")),
        new ArrayList<>(List.of(json)));
  }

  void addFork(Row again) {
    forks.addAll(again.forks);
  }

  private JsonObject first() {
    return forks.get(0);
  }

  private JsonObject primary() {
    return first().getAsJsonObject("primaryMetric");
  }

  boolean isShot() {
    return first().get("mode").getAsString().equals("ss");
  }

  boolean isSample() {
    return first().get("mode").getAsString().equals("sample");
  }

  String unit() {
    return primary().get("scoreUnit").getAsString().replace("/op", "");
  }

  Estimate time() {
    if (isShot()) {
      return Estimate.ofShots(raw(primary()));
    }
    return forks.size() == 1 ? score(primary()) : Estimate.ofForks(each(Row::scoreOf));
  }

  /** A percentile of the samples: of several forks the median. */
  Estimate percentile(String percent) {
    double[] ofForks = each(fork -> percentileOf(fork, percent));
    return Estimate.exact(Estimate.ofForks(ofForks).value());
  }

  /**
   * The median of the samples. Of one fork with how far that of an iteration lies from it at most,
   * of several the median of their medians.
   */
  Estimate median() {
    if (forks.size() > 1) {
      return Estimate.ofForks(each(Row::medianOf));
    }
    double median = percentile("50.0").value();
    double farthest = 0;
    for (JsonElement fork : primary().getAsJsonArray("rawDataHistogram")) {
      for (JsonElement iteration : fork.getAsJsonArray()) {
        farthest = Math.max(farthest, Math.abs(median(iteration.getAsJsonArray()) - median));
      }
    }
    return new Estimate(median, farthest);
  }

  /** The median of this row over that of another, in the rounds that had both. */
  Estimate medianOver(Row base) {
    if (forks.size() == 1 || forks.size() != base.forks.size()) {
      return median().over(base.median());
    }
    double[] ratios = each(Row::medianOf);
    double[] bases = base.each(Row::medianOf);
    for (int i = 0; i < ratios.length; i++) {
      ratios[i] /= bases[i];
    }
    return Estimate.ofForks(ratios);
  }

  private double[] each(ToDoubleFunction<JsonObject> of) {
    return forks.stream().mapToDouble(of).toArray();
  }

  private static double medianOf(JsonObject fork) {
    return percentileOf(fork, "50.0");
  }

  private static double percentileOf(JsonObject fork, String percent) {
    return fork.getAsJsonObject("primaryMetric")
        .getAsJsonObject("scorePercentiles")
        .get(percent)
        .getAsDouble();
  }

  private static double scoreOf(JsonObject fork) {
    return fork.getAsJsonObject("primaryMetric").get("score").getAsDouble();
  }

  /** The median of values in ascending order, each with how often it was measured. */
  private static double median(JsonArray histogram) {
    long samples = 0;
    for (JsonElement bin : histogram) {
      samples += count(bin);
    }
    long below = 0;
    for (JsonElement bin : histogram) {
      below += count(bin);
      if (2 * below >= samples) {
        return bin.getAsJsonArray().get(0).getAsDouble();
      }
    }
    throw new IllegalArgumentException("an iteration without samples");
  }

  private static long count(JsonElement bin) {
    return bin.getAsJsonArray().get(1).getAsLong();
  }

  Optional<Estimate> bytes() {
    if (!first().getAsJsonObject("secondaryMetrics").has(ALLOCATED)) {
      return Optional.empty();
    }
    return Optional.of(
        forks.size() == 1
            ? score(allocated(first()))
            : Estimate.ofForks(each(fork -> allocated(fork).get("score").getAsDouble())));
  }

  private static JsonObject allocated(JsonObject fork) {
    return fork.getAsJsonObject("secondaryMetrics").getAsJsonObject(ALLOCATED);
  }

  /** What the benchmark counts itself. JMH adds counters up over the shots; these are of one. */
  Map<String, Estimate> counters() {
    Map<String, Estimate> counters = new LinkedHashMap<>();
    first()
        .getAsJsonObject("secondaryMetrics")
        .asMap()
        .forEach((key, metric) -> {
          if (!key.startsWith("gc.")) {
            counters.put(key, Estimate.ofShots(raw(metric.getAsJsonObject())));
          }
        });
    return counters;
  }

  // JMH writes "NaN" as the error of a single iteration.
  private static Estimate score(JsonObject metric) {
    double error = Double.parseDouble(metric.get("scoreError").getAsString());
    return new Estimate(metric.get("score").getAsDouble(), Double.isNaN(error) ? 0 : error);
  }

  private static double[] raw(JsonObject metric) {
    List<Double> all = new ArrayList<>();
    for (JsonElement fork : metric.getAsJsonArray("rawData")) {
      JsonArray iterations = fork.getAsJsonArray();
      iterations.forEach(iteration -> all.add(iteration.getAsDouble()));
    }
    return all.stream().mapToDouble(Double::doubleValue).toArray();
  }
}
