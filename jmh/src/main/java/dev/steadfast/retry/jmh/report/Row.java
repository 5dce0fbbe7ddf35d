package dev.steadfast.retry.jmh.report;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What JMH tells of one benchmark with one set of parameters. */
record Row(String benchmark, String name, Variant variant, JsonObject json) {
  private static final String ALLOCATED = "gc.alloc.rate.norm";

  /** On what a benchmark ran. */
  record Variant(int jdk, int threads, boolean virtual) {
    @Override
    public String toString() {
      String number = threads == 1 ? "1 thread" : threads + " threads";
      return virtual ? number + ", virtual" : number;
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
        json);
  }

  private JsonObject primary() {
    return json.getAsJsonObject("primaryMetric");
  }

  boolean isShot() {
    return json.get("mode").getAsString().equals("ss");
  }

  boolean isSample() {
    return json.get("mode").getAsString().equals("sample");
  }

  String unit() {
    return primary().get("scoreUnit").getAsString().replace("/op", "");
  }

  Estimate time() {
    return isShot() ? Estimate.ofShots(raw(primary())) : score(primary());
  }

  /** A percentile of the samples. */
  Estimate percentile(String percent) {
    return Estimate.exact(primary().getAsJsonObject("scorePercentiles").get(percent).getAsDouble());
  }

  /** The median of the samples, and how far that of an iteration lies from it at most. */
  Estimate median() {
    double median = percentile("50.0").value();
    double farthest = 0;
    for (JsonElement fork : primary().getAsJsonArray("rawDataHistogram")) {
      for (JsonElement iteration : fork.getAsJsonArray()) {
        farthest = Math.max(farthest, Math.abs(median(iteration.getAsJsonArray()) - median));
      }
    }
    return new Estimate(median, farthest);
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
    return Optional.ofNullable(json.getAsJsonObject("secondaryMetrics").getAsJsonObject(ALLOCATED))
        .map(Row::score);
  }

  /** What the benchmark counts itself. JMH adds counters up over the shots; these are of one. */
  Map<String, Estimate> counters() {
    Map<String, Estimate> counters = new LinkedHashMap<>();
    json.getAsJsonObject("secondaryMetrics")
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
