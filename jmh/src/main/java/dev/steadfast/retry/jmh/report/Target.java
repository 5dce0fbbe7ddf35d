package dev.steadfast.retry.jmh.report;

import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.function.Function;

/** What the library set out to reach: a bound on something that is worked out from the results. */
record Target(String what, String unit, double most, Function<Results, Estimate> measure) {
  private static final double EXACT = 0.5; // bytes; the profiler's own noise is below

  static List<Target> all() {
    List<Target> all = new ArrayList<>();
    backoff(all);
    engine(all);
    for (int threads : new int[] {1, 2, 8}) {
      budget(all, threads);
    }
    timer(all);
    telemetry(all);
    http(all);
    slots(all);
    waiting(all);
    return all;
  }

  private static void backoff(List<Target> all) {
    for (String strategy : new String[] {"Full", "Equal", "Decorrelated"}) {
      String path = "Backoff.steadfast" + strategy;
      all.add(times(strategy + " jitter, to raw nextLong(bound)", 1.0, path, "Backoff.raw"));
      all.add(bytes(strategy + " jitter", 0, path));
      all.add(bytesOnOldest(strategy + " jitter", 0, path));
    }
  }

  private static void engine(List<Target> all) {
    String success = "Engine.steadfast failures=0";
    String limited = "Engine.steadfastLimited failures=0";
    String failures = "Engine.steadfast failures=2";
    all.add(times("Success, to resilience4j", 0.5, success, "Engine.resilience4j failures=0"));
    all.add(bytes("Success", 0, success));
    all.add(bytesOnOldest("Success", 0, success));
    all.add(
        new Target(
            "Success on 2 threads, to 1",
            "x",
            1,
            results -> results.get(success, 2).time().over(results.get(success).time())));
    all.add(
        new Target(
            "Success with deadline and budget, beyond one nanoTime",
            "ns",
            5,
            results -> results.get(limited).time().minus(results.get("Engine.nanoTime").time())));
    all.add(bytes("Success with deadline and budget", 0, limited));
    all.add(
        times("Two failures, to resilience4j", 0.25, failures, "Engine.resilience4j failures=2"));
    all.add(bytes("Two failures", 512, failures));
  }

  private static void budget(List<Target> all, int threads) {
    String on = ", threads: " + threads;
    all.add(
        new Target(
            "Deposit when full" + on,
            "ns",
            3,
            results -> results.get("Budget.depositSteadfast", threads).time()));
    all.add(
        new Target(
            "Withdraw and deposit, to a raw CAS pair" + on,
            "x",
            1.2,
            results -> ratio(results, threads, "Budget.pairSteadfast", "Budget.pairRawCas")));
    all.add(
        new Target(
            "Refusal, to Finagle" + on,
            "x",
            0.5,
            results ->
                ratio(results, threads, "Budget.refusalSteadfast", "Budget.refusalFinagle")));
    for (String part : new String[] {"deposit", "pair", "refusal"}) {
      all.add(
          new Target(
              "Budget, " + part + on,
              "B",
              0,
              results -> allocated(results.get("Budget." + part + "Steadfast", threads))));
    }
  }

  private static Estimate ratio(Results results, int threads, String path, String base) {
    return results.get(path, threads).time().over(results.get(base, threads).time());
  }

  private static void http(List<Target> all) {
    all.add(median("JDK send", 1.10, "JdkClient.getSteadfast", "JdkClient.getPlain"));
    all.add(median("JDK sendAsync", 1.10, "JdkClient.asyncSteadfast", "JdkClient.asyncPlain"));
    all.add(median("JDK send", 1, "JdkClient.getSteadfast", "JdkClient.getMethanol"));
    all.add(median("JDK sendAsync", 1, "JdkClient.asyncSteadfast", "JdkClient.asyncMethanol"));
    all.add(median("OkHttp execute", 1.03, "OkHttp.getSteadfast", "OkHttp.getPlain"));
    all.add(median("OkHttp enqueue", 1.05, "OkHttp.asyncSteadfast", "OkHttp.asyncPlain"));
    all.add(more("OkHttp GET", 700, "OkHttp.getSteadfast", "OkHttp.getPlain"));
    all.add(more("OkHttp enqueue", 900, "OkHttp.asyncSteadfast", "OkHttp.asyncPlain"));
    all.add(more("OkHttp POST with key", 1_000, "OkHttp.postSteadfastKeyed", "OkHttp.postPlain"));
    all.add(more("JDK send", 600, "JdkClient.getSteadfast", "JdkClient.getPlain"));
    all.add(more("JDK sendAsync", 600, "JdkClient.asyncSteadfast", "JdkClient.asyncPlain"));
    all.add(median("HttpClient 5", 1.05, "Apache5.getSteadfast", "Apache5.getPlain"));
    all.add(median("HttpClient 5 async", 1.05, "Apache5.asyncSteadfast", "Apache5.asyncPlain"));
  }

  private static void timer(List<Target> all) {
    for (int threads : new int[] {1, 16}) {
      all.add(
          new Target(
              "Timer of 30 s scheduled and cancelled, threads: " + threads,
              "ns",
              150,
              results -> results.get("Timer.steadfast", threads).time()));
    }
  }

  private static void telemetry(List<Target> all) {
    String empty = "Telemetry.emptyListener";
    String metrics = "Telemetry.metrics";
    String off = "Telemetry.flightRecorderOff";
    all.add(
        new Target(
            "Micrometer, more than an empty listener and two records",
            "ns",
            150,
            results -> {
              Estimate ours = results.get(metrics).time().minus(results.get(empty).time());
              return ours.minus(results.get("Telemetry.twoRecords").time());
            }));
    all.add(beyond("Micrometer, more than an empty listener", metrics, empty));
    all.add(beyond("JFR without a recording, more than an empty listener", off, empty));
  }

  private static Target beyond(String what, String path, String base) {
    return new Target(
        what, "B", 0, results -> allocated(results.get(path)).minus(allocated(results.get(base))));
  }

  private static void slots(List<Target> all) {
    String params = " calls=200 waitMillis=500";
    String ours = "Slots.steadfastFactory" + params;
    String ideal = "Slots.ideal" + params;
    all.add(times("200 calls that fail once, to the ideal", 1.15, ours, ideal));
    all.add(
        new Target(
            "The healthy call queued last, to the ideal",
            "x",
            2,
            results ->
                counter(results, ours, "healthyMillis")
                    .over(counter(results, ideal, "healthyMillis"))));
    all.add(new Target("Connections", "", 5, results -> counter(results, ours, "connections")));
  }

  private static void waiting(List<Target> all) {
    for (int waiting : new int[] {10_000, 100_000}) {
      String path = "Waiting.steadfastUnlimited waiting=" + waiting + " wakeMillis=1000";
      String what = String.format("%,d operations waiting", waiting);
      all.add(
          new Target(
              what + ", heap of one", "B", 400, results -> counter(results, path, "heapBytes")));
      all.add(new Target(what + ", threads", "", 0, results -> counter(results, path, "threads")));
    }
    all.add(
        new Target(
            "100,000 operations due at once, due to attempt started, 99 %",
            "ms",
            50,
            results ->
                counter(
                        results,
                        "Waiting.steadfastUnlimited waiting=100000 wakeMillis=1000",
                        "lateMicros99")
                    .over(Estimate.exact(1000))));
  }

  private static Target times(String what, double most, String path, String base) {
    return new Target(
        what, "x", most, results -> results.get(path).time().over(results.get(base).time()));
  }

  private static Target median(String what, double most, String path, String base) {
    String to = base.endsWith("Plain") ? "plain" : "Methanol";
    return new Target(
        what + ", median, to " + to,
        "x",
        most,
        results -> results.get(path).medianOver(results.get(base)));
  }

  private static Target bytes(String what, double most, String path) {
    return new Target(what, "B", most, results -> allocated(results.get(path)));
  }

  private static Target bytesOnOldest(String what, double most, String path) {
    return new Target(
        what + ", on the oldest JDK",
        "B",
        most,
        results -> {
          int oldest =
              results.otherJdks().stream()
                  .min(Integer::compare)
                  .orElseThrow(() -> new NoSuchElementException("one JDK only"));
          return allocated(results.get(path, Row.Variant.platform(oldest, 1)));
        });
  }

  private static Target more(String what, double most, String path, String base) {
    return new Target(
        what + ", more than plain",
        "B",
        most,
        results -> allocated(results.get(path)).minus(allocated(results.get(base))));
  }

  private static Estimate allocated(Row row) {
    return row.bytes().orElseThrow(() -> new NoSuchElementException("no -prof gc"));
  }

  private static Estimate counter(Results results, String path, String name) {
    return Optional.ofNullable(results.get(path).counters().get(name)).orElseThrow();
  }

  /** The line of the table: what, bound, measured, and whether it was reached. */
  String line(Results results) {
    String bound = "at most " + Estimate.number(most) + " " + unit;
    try {
      Estimate measured = measure.apply(results);
      return "| %s | %s | %s %s | %s |".formatted(what, bound, measured, unit, verdict(measured));
    } catch (NoSuchElementException missing) {
      return "| %s | %s | not measured | |".formatted(what, bound);
    }
  }

  // The whole interval must be on one side of the bound to show anything.
  private String verdict(Estimate measured) {
    double tolerated = unit.equals("B") ? most + EXACT : most;
    if (measured.value() + measured.error() <= tolerated) {
      return "yes";
    }
    if (measured.value() - measured.error() > tolerated) {
      return "**no**";
    }
    return measured.value() <= tolerated ? "yes, within the error" : "no, within the error";
  }
}
