package dev.steadfast.retry.torture;

import java.util.List;

/**
 * The settings of a run.
 *
 * @param seed fixes the operations and the schedule of the faults, but not the order of threads
 * @param minutes for how long new operations begin
 * @param broken the part that is broken on purpose
 * @param engine what has operations sent that are due
 */
record Settings(long seed, double minutes, Break broken, Engine engine) {
  static Settings ofProperties() {
    return new Settings(
        Long.getLong("torture.seed", System.currentTimeMillis() % 1_000_000),
        Double.parseDouble(System.getProperty("torture.minutes", "5")),
        Break.of(System.getProperty("torture.break", "")),
        Engine.of(System.getProperty("torture.engine", "journal")));
  }

  String line() {
    return seed + "\t" + minutes + "\t" + broken + "\t" + engine;
  }

  static Settings of(String line) {
    String[] parts = line.split("\t", -1);
    return new Settings(
        Long.parseLong(parts[0]),
        Double.parseDouble(parts[1]),
        Break.valueOf(parts[2]),
        Engine.valueOf(parts[3]));
  }

  List<Op> operations() {
    return Workload.of(seed, minutes, broken);
  }

  long millis() {
    return Math.round(minutes * 60_000);
  }
}
