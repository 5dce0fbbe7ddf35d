package dev.steadfast.retry.examples;

import dev.steadfast.retry.AttemptReport;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.RetryListener;
import dev.steadfast.retry.http.HttpRetry;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** All payments through one entry point, against a server of their own. */
final class PaymentRun {
  private final EntryPoint entryPoint;
  private final Timeline timeline = new Timeline();
  private final Ledger.Tally tally;
  private final int operations;
  private final int attempts;
  private final int requests;
  private final int attemptsSeen;
  private final Duration took;

  PaymentRun(EntryPoint entryPoint, List<Payment> plan, Certificate certificate)
      throws IOException {
    this.entryPoint = entryPoint;
    this.operations = plan.size();
    long startNanos = System.nanoTime();
    try (PaymentService service = new PaymentService(plan, certificate);
        Progress progress = new Progress(entryPoint.toString(), operations)) {
      HttpRetry retry =
          DemoRetry.unlimited(Demo.SEED)
              .listener(progress)
              .listener(timeline)
              .listener(restarts(service))
              .build();
      try (PaymentClient client = entryPoint.open(retry, certificate)) {
        payAll(plan, client, service);
      }
      Ledger ledger = service.ledger();
      this.tally = ledger.tally(operations);
      this.attempts = progress.attempts();
      this.requests = ledger.requests();
      this.attemptsSeen = ledger.attemptsSeen();
    }
    this.took = Duration.ofNanos(System.nanoTime() - startNanos);
  }

  private static void payAll(List<Payment> plan, PaymentClient client, PaymentService service) {
    CompletableFuture<?>[] payments =
        plan.stream()
            .map(payment ->
                client
                    .pay(payment, service.address(payment))
                    .handle((receipt, failure) -> {
                      if (receipt != null && receipt.paid()) {
                        service.ledger().toldPaid(payment);
                      }
                      return null;
                    }))
            .toArray(CompletableFuture<?>[]::new);
    CompletableFuture.allOf(payments).join();
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

  boolean clean() {
    return tally.clean();
  }

  static void printHeader() {
    System.out.printf(
        "   %-18s   %8s   %13s   %22s   %6s%n",
        "", "attempts", "reached server", "resent by the client", "time");
  }

  /** What the library counted beside what the server saw. */
  void print() {
    System.out.printf(
        "   %-18s   %8d   %13d   %22d   %4.1f s%n",
        entryPoint, attempts, attemptsSeen, requests - attemptsSeen, took.toMillis() / 1000.0);
  }

  /** The line that counts. */
  void printLedger() {
    System.out.printf(
        "ledger %s: operations=%d attempts=%d charges=%d duplicates=%d lost=%d%n",
        entryPoint, operations, attempts, tally.charges(), tally.duplicates(), tally.lost());
  }
}
