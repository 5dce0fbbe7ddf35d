package dev.steadfast.retry.jmh.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What a user asks first: what a call costs beside the plain client and beside peers. Only rows of
 * the same rounds are compared, which are those with as many forks.
 */
final class Summary {
  private record Call(String what, String benchmark, String plain, String steadfast, String peer) {}

  private static final List<Call> CALLS =
      List.of(
          new Call("OkHttp `execute`, GET", "OkHttp", "getPlain", "getSteadfast", "getFailsafe"),
          new Call(
              "OkHttp `enqueue`, GET", "OkHttp", "asyncPlain", "asyncSteadfast", "asyncFailsafe"),
          new Call(
              "OkHttp `execute`, POST with a key", "OkHttp", "postPlain", "postSteadfastKeyed", ""),
          new Call("JDK `send`, GET", "JdkClient", "getPlain", "getSteadfast", "getMethanol"),
          new Call(
              "JDK `sendAsync`, GET", "JdkClient", "asyncPlain", "asyncSteadfast", "asyncMethanol"),
          new Call(
              "JDK `send`, POST with a key", "JdkClient", "postPlain", "postSteadfastKeyed", ""),
          new Call("HttpClient 5, GET", "Apache5", "getPlain", "getSteadfast", "getResilience4j"),
          new Call(
              "HttpClient 5 asynchronous, GET",
              "Apache5",
              "asyncPlain",
              "asyncSteadfast",
              "asyncOwnRetries"),
          new Call(
              "HttpClient 5, POST with a key", "Apache5", "postPlain", "postSteadfastKeyed", ""));

  private static final List<String> WORKERS =
      List.of("steadfast", "resilience4j", "failsafe", "spring", "aws");

  private static final List<String> WAITERS =
      List.of("steadfastUnlimited", "failsafe", "resilience4j", "virtualThreads");

  private Summary() {}

  /** Lines for the page; a row that was not measured is left out. */
  static List<String> of(Results results) {
    List<String> lines = new ArrayList<>();
    calls(lines, results);
    work(lines, results);
    waiting(lines, results);
    return lines;
  }

  private static void calls(List<String> lines, Results results) {
    List<String> rows = new ArrayList<>();
    for (Call call : CALLS) {
      Optional<Row> plain = row(results, call.benchmark, call.plain);
      Optional<Row> wrapped = row(results, call.benchmark, call.steadfast);
      if (plain.isPresent() && wrapped.isPresent()) {
        int forks = plain.get().forks().size();
        String peer =
            row(results, call.benchmark, call.peer)
                .filter(each -> each.forks().size() == forks)
                .map(each -> call.peer.replaceAll("^[a-z]+", "") + ": " + cost(each))
                .orElse("");
        rows.add(
            "| %s | %s | %s | %s |"
                .formatted(call.what, cost(plain.get()), cost(wrapped.get()), peer));
      }
    }
    table(
        lines,
        "| a call that succeeds at once | plain | with Steadfast | a peer in the same rounds |",
        4,
        rows);
  }

  private static void work(List<String> lines, Results results) {
    List<String> rows = new ArrayList<>();
    for (String name : WORKERS) {
      Optional<Row> none = row(results, "Engine", name + " failures=0");
      Optional<Row> two = row(results, "Engine", name + " failures=2");
      if (none.isPresent()) {
        String after = two.map(Summary::mean).orElse("");
        rows.add("| %s | %s | %s |".formatted(name, mean(none.get()), after));
      }
    }
    table(lines, "| work that is not HTTP | no failure | two failures, then a success |", 3, rows);
  }

  private static void waiting(List<String> lines, Results results) {
    List<String> rows = new ArrayList<>();
    for (String name : WAITERS) {
      row(results, "Waiting", name + " waiting=100000 wakeMillis=1000")
          .map(each -> each.counters().get("heapBytes"))
          .ifPresent(bytes -> rows.add("| %s | %s |".formatted(name, bytes)));
    }
    table(lines, "| 100,000 operations that wait | bytes of heap for each |", 2, rows);
  }

  private static void table(List<String> lines, String head, int columns, List<String> rows) {
    if (!rows.isEmpty()) {
      lines.add(head);
      lines.add("|---|" + "--:|".repeat(columns - 1));
      lines.addAll(rows);
      lines.add("");
    }
  }

  private static Optional<Row> row(Results results, String benchmark, String name) {
    return results.find(benchmark, name, Row.Variant.platform(results.mainJdk(), 1));
  }

  private static String cost(Row row) {
    return row.median() + " " + row.unit() + bytes(row);
  }

  private static String mean(Row row) {
    return Estimate.number(row.time().value()) + " " + row.unit() + bytes(row);
  }

  private static String bytes(Row row) {
    return row.bytes().map(each -> ", " + Estimate.number(each.value()) + " B").orElse("");
  }
}
