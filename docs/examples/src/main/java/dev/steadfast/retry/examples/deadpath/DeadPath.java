package dev.steadfast.retry.examples.deadpath;

import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.tck.internal.SwallowingProxy.Swallowed;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * An HTTP/2 connection dies without a word, while new ones work: with and without leaving it, in
 * real time. One line for each run, all runs at a time.
 */
public final class DeadPath {
  private static final Duration BOUND = Duration.ofSeconds(5);
  private static final int LATER = 3;
  private static final int IN_FLIGHT = 1_000;

  private DeadPath() {}

  /**
   * Prints the lines.
   *
   * @param args none
   * @throws Exception if a run fails
   */
  public static void main(String[] args) throws Exception {
    List<Callable<String>> runs = new ArrayList<>();
    for (PathClient.Kind client : PathClient.Kind.values()) {
      runs.add(() -> dies(client, true, true));
      runs.add(() -> dies(client, true, false));
      runs.add(() -> dies(client, false, true));
      runs.add(() -> stalls(client));
    }
    ExecutorService threads = Executors.newCachedThreadPool();
    for (Future<String> each : threads.invokeAll(runs)) {
      System.out.println(each.get());
    }
    threads.shutdown();
    for (PathClient.Kind client : PathClient.Kind.values()) {
      System.out.println(inFlight(client, false)); // alone: they take all of the machine
      System.out.println(inFlight(client, true));
    }
    System.exit(0); // threads of clients may stay for a minute
  }

  private static HttpRetry.Builder retry(boolean bounded, boolean escape) {
    HttpRetry.Builder retry = HttpRetry.builder().leaveDeadConnections(escape);
    return bounded
        ? retry.policy(
            RetryPolicy.builder()
                .attemptTimeout(BOUND)
                .totalTimeout(Duration.ofSeconds(60))
                .build())
        : retry;
  }

  private static String dies(PathClient.Kind kind, boolean bounded, boolean escape)
      throws IOException {
    try (SilentPath path = new SilentPath();
        PathClient client = kind.wrap(retry(bounded, escape).build())) {
      client.get(path.url()).join();
      path.proxy.swallow(Swallowed.ALL);
      RetryReport first = client.get(path.url()).join();
      int lost = 0;
      for (int each = 0; each < LATER; each++) {
        lost += ok(client.get(path.url()).join()) ? 0 : 1;
      }
      String defaults = kind == PathClient.Kind.OKHTTP ? "10(readTimeout)" : "none(by-default)";
      return String.format(
          Locale.ROOT,
          "deadpath client=%s bound=%s escape=%s first-operation=%s attempts=%d seconds=%.1f"
              + " later-lost=%d of %d connections=%d",
          kind,
          bounded ? BOUND.toSeconds() : defaults,
          escape ? "on" : "off",
          ok(first) ? "ok" : "failed",
          first.attempts(),
          first.elapsed().toMillis() / 1000.0,
          lost,
          LATER,
          path.proxy.opened());
    }
  }

  private static boolean ok(RetryReport report) {
    return report.reason() == StopReason.ACCEPTED;
  }

  private static String stalls(PathClient.Kind kind) throws IOException {
    try (SilentPath path = new SilentPath();
        PathClient client = kind.wrap(retry(true, true).build())) {
      client.get(path.url()).join();
      path.stall();
      int attempts = 0;
      for (int each = 0; each < 2; each++) {
        attempts += client.get(path.url()).join().attempts();
      }
      return String.format(
          "deadpath client=%s stall connections=%d attempts=%d",
          kind, path.proxy.opened(), attempts);
    }
  }

  private static String inFlight(PathClient.Kind kind, boolean large) throws IOException {
    HttpRetry.Builder retry = retry(true, true);
    if (large) {
      retry.budget(RetryBudget.successFunded(0.1, 100, 1));
    }
    try (SilentPath path = new SilentPath();
        PathClient client = kind.wrap(retry.build())) {
      client.get(path.url()).join();
      path.proxy.swallow(Swallowed.ALL);
      List<CompletableFuture<RetryReport>> all = new ArrayList<>();
      for (int each = 0; each < IN_FLIGHT; each++) {
        all.add(client.get(path.url()));
      }
      int ok = 0;
      int exhausted = 0;
      for (CompletableFuture<RetryReport> each : all) {
        RetryReport report = each.join();
        ok += ok(report) ? 1 : 0;
        exhausted += report.reason() == StopReason.BUDGET_EXHAUSTED ? 1 : 0;
      }
      return String.format(
          "deadpath client=%s in-flight=%d budget=%s ok=%d budget-exhausted=%d peak-connections=%d",
          kind, IN_FLIGHT, large ? "100" : "default", ok, exhausted, path.proxy.peak());
    }
  }
}
