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
    int requests = reports.stream().mapToInt(RetryReport::attempts).sum();
    List<RetryReport> refused =
        reports.stream()
            .filter(each -> each.reason() == StopReason.BUDGET_EXHAUSTED && each.attempts() == 1)
            .toList();
    Page.title("4  The default budget, while the server is down");
    Page.text(
        "Every answer is a 503. %d attempts for each payment would be %d requests to a server"
            .formatted(maxAttempts, operations * maxAttempts),
        "that cannot take one. The default budget holds 10 retries per origin and earns one more",
        "for every 10 successes, and one per second. So this is what happened:",
        "",
        "%d payments made %d requests. %d of them ended after one, with the server's own 503 and"
            .formatted(operations, requests, refused.size()),
        "the reason in the report: " + refused.get(refused.size() / 2));
  }
}
