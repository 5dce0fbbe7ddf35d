package dev.steadfast.retry.examples;

import dev.steadfast.retry.AttemptReport;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.RetryListener;
import dev.steadfast.retry.http.HttpRetry;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** All payments through one entry point, to a server of their own. */
final class PaymentRun {
  private static final String ROW = "   %-18s %10s %16s %22s %8s%n";
  private static final String BOOKS = "   %-18s %10s %9s %11s %5s %8s%n";

  private final EntryPoint entryPoint;
  private final int operations;
  private final Counter counter = new Counter();
  private final Timeline timeline = new Timeline();
  private final Ledger.Tally tally;
  private final Arrivals arrivals;
  private final long tookNanos;

  PaymentRun(
      EntryPoint entryPoint,
      List<Payment> plan,
      Certificate certificate,
      HttpRetry.Builder settings)
      throws IOException {
    this.entryPoint = entryPoint;
    this.operations = plan.size();
    long startNanos = System.nanoTime();
    try (PaymentService service = new PaymentService(plan, certificate);
        Progress progress = new Progress(entryPoint.toString(), operations, counter)) {
      HttpRetry retry =
          settings.listener(counter).listener(timeline).listener(restarts(service)).build();
      try (PaymentClient client = entryPoint.open(retry, certificate)) {
        payAll(plan, client, service);
      }
      this.tally = service.tally();
      this.arrivals = service.arrivals();
    }
    this.tookNanos = System.nanoTime() - startNanos;
  }

  private static void payAll(List<Payment> plan, PaymentClient client, PaymentService service) {
    CompletableFuture<?>[] told =
        plan.stream()
            .map(payment ->
                client
                    .pay(payment, service.address(payment))
                    .handle((receipt, failure) -> receipt != null && receipt.paid())
                    .thenAccept(paid -> service.ledger().told(payment, paid)))
            .toArray(CompletableFuture<?>[]::new);
    CompletableFuture.allOf(told).join();
  }

  /** A server that refuses connections is up again when its client has been refused. */
  private static RetryListener restarts(PaymentService service) {
    return new RetryListener() {
      @Override
      public void attemptEnded(OperationInfo operation, AttemptReport attempt) {
        if (attempt.failure().isPresent()) {
          service.attemptFailed(URI.create(operation.origin()).getPort());
        }
      }
    };
  }

  EntryPoint entryPoint() {
    return entryPoint;
  }

  Timeline timeline() {
    return timeline;
  }

  /** Whether no payment was made twice and none was lost. */
  boolean clean() {
    return tally.clean();
  }

  /** Whether no payment was made twice. */
  boolean once() {
    return tally.duplicates() == 0;
  }

  /** The payments that were lost, if any. */
  List<Integer> lost() {
    return tally.lost();
  }

  static void printHeader() {
    System.out.printf(ROW, "", "attempts", "of them arrived", "resent by the client", "time");
  }

  /** What the library counted, and what the server saw of it. */
  void print() {
    System.out.printf(
        ROW,
        entryPoint,
        counter.attempts(),
        arrivals.attempts(),
        resent(),
        Page.seconds(tookNanos));
  }

  static void printBooksHeader() {
    System.out.printf(BOOKS, "", "attempts", "charges", "duplicates", "lost", "time");
  }

  /** What the server charged, and what the clients believe. */
  void printBooks() {
    System.out.printf(
        BOOKS,
        entryPoint,
        counter.attempts(),
        tally.charges(),
        tally.duplicates(),
        tally.lost().size(),
        Page.seconds(tookNanos));
  }

  /** What the HTTP client sent again by itself, beneath the library. */
  private int resent() {
    int refusedUntold = Math.max(0, arrivals.refusedStreams() - counter.failedOverTls());
    return arrivals.repeated() + refusedUntold;
  }

  /** The line that counts. */
  void printLedger() {
    System.out.printf(
        "ledger %s: operations=%d attempts=%d charges=%d duplicates=%d lost=%d%n",
        entryPoint,
        operations,
        counter.attempts(),
        tally.charges(),
        tally.duplicates(),
        tally.lost().size());
  }
}
