package dev.steadfast.retry.examples;

import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.IdempotencyKeys;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The default budget, while the server is down. */
final class BudgetPart {
  private BudgetPart() {}

  static void run(List<Payment> plan, Certificate certificate) throws IOException {
    HttpRetry defaults = HttpRetry.builder().idempotencyKeys(IdempotencyKeys.randomUuid()).build();
    List<RetryReport> reports;
    try (PaymentServer down = new PaymentServer(order -> Reply.of(503, "down"));
        PaymentClient client = OkHttpPayments.execute(defaults, certificate)) {
      reports =
          plan.stream().map(payment -> client.pay(payment, down.address())).toList().stream()
              .map(CompletableFuture::join)
              .map(Receipt::report)
              .toList();
    }
    print(reports, defaults.policy().maxAttempts());
  }

  private static void print(List<RetryReport> reports, int maxAttempts) {
    int operations = reports.size();
    int attempts = reports.stream().mapToInt(RetryReport::attempts).sum();
    List<RetryReport> refused =
        reports.stream().filter(each -> each.reason() == StopReason.BUDGET_EXHAUSTED).toList();
    Page.title("3  The default budget, while the server is down");
    Page.text(
        "Every answer is a 503. Without a budget, "
            + maxAttempts
            + " attempts for each payment are "
            + operations * maxAttempts
            + " requests to a server",
        "that is down. The default budget starts with 10 retries per origin and earns one more per",
        "10 successes, or per second:",
        "",
        "%d payments, %d requests. %d payments were told at once, by the server's own 503, and"
            .formatted(operations, attempts, refused.size()),
        "their reports say why, for example: " + refused.get(refused.size() / 2));
  }
}
