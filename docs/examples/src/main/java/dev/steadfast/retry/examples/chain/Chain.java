package dev.steadfast.retry.examples.chain;

import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What retries make of a chain of services: a driver calls A, which calls B, which calls C, which
 * calls a server that fails; over real HTTP on loopback. Exits with 0 if the numbers are those of
 * the closed forms.
 */
public final class Chain {
  private static final long SEED = 2026;
  private static final List<Double> FAILING = List.of(0.5, 0.9, 1.0);
  private static final int REQUESTS = 3_000;
  private static final int REQUESTS_IF_ALL_FAIL = 500; // nothing is random then

  private Chain() {}

  /**
   * Runs the chain.
   *
   * @param arguments none
   * @throws IOException if no port can be opened
   * @throws InterruptedException never, because there are no interrupts
   */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    Runtime runtime = Runtime.getRuntime();
    System.out.println("One request, four layers that may retry: driver -> A -> B -> C -> bottom");
    System.out.printf(
        "JDK %s, %d processors; each layer makes up to %d attempts, without waits%n%n",
        Runtime.version(), runtime.availableProcessors(), CallChain.ATTEMPTS);
    printHead();
    List<Row> rows = new ArrayList<>();
    for (double p : FAILING) {
      Row row = measure(p, p == 1 ? REQUESTS_IF_ALL_FAIL : REQUESTS);
      print(row);
      rows.add(row);
    }
    printClosedForms();
    rows.forEach(row -> System.out.println(row.line()));
    System.exit(rows.stream().allMatch(Row::asExpected) ? 0 : 1);
  }

  static Row measure(double p, int requests) throws IOException, InterruptedException {
    Map<Layering, Run> runs = new EnumMap<>(Layering.class);
    for (Layering layering : Layering.values()) {
      try (CallChain chain = new CallChain(layering, new Coin(SEED, p))) {
        runs.put(layering, chain.run(requests));
      }
    }
    return new Row(p, runs);
  }

  private static void printHead() {
    System.out.println("Requests at the bottom for one request at the top");
    System.out.println();
    System.out.println("  p    requests  who retries                  measured  expected  time");
    System.out.println("       at the top                             per request         s");
    System.out.println("  ---  --------  ---------------------------  --------  --------  ----");
  }

  private static void print(Row row) {
    row.runs()
        .forEach((layering, run) ->
            System.out.printf(
                Locale.ROOT,
                "  %.1f  %8d  %-27s  %8.2f  %8s  %4.1f%n",
                row.p(),
                run.top(),
                layering.title(),
                run.amplification(),
                layering.expectation(row.p(), run),
                run.seconds()));
  }

  private static void printClosedForms() {
    System.out.println();
    System.out.println("expected, where requests at the bottom fail with probability p:");
    System.out.println("  every layer  (1 - p^81) / (1 - p), and 81 for p = 1");
    System.out.println("  one owner    (1 - p^3) / (1 - p), and 3 for p = 1");
    System.out.println(
        "  budget       1 / (1 - 0.1 (1 - p)) at most, and 10 retries + 1 per second");
    System.out.println();
  }
}
