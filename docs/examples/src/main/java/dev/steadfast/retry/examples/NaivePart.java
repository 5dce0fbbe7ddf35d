package dev.steadfast.retry.examples;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import okhttp3.OkHttpClient;
import org.apache.hc.client5.http.impl.async.CloseableHttpAsyncClient;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;

/** The same payments through the bare clients. */
final class NaivePart {
  private static final String ROW = "   %-18s %9s %22s %9s %11s %5s %8s%n";

  private final List<Payment> plan;
  private final Certificate certificate;

  NaivePart(List<Payment> plan, Certificate certificate) {
    this.plan = plan;
    this.certificate = certificate;
  }

  void run() throws IOException {
    Page.title("2  The bare clients, each in the loop that everybody writes first");
    Page.text(
        "Same server, same faults, the same settings. The loop tries again after any IOException,",
        "429 or 5xx. It does not read Retry-After, and sends no key but in the last row. HttpClient 5",
        "retries a 429 or 503 by itself, and waits as long as Retry-After says.",
        "");
    System.out.printf(
        ROW, "", "attempts", "resent by the client", "charges", "duplicates", "lost", "time");
    OkHttpClient okHttp = OkHttpPayments.client(certificate);
    run("OkHttp", NaiveLoop.over(okHttp));
    run("java.net.http", NaiveLoop.over(JdkPayments.client(certificate)));
    try (CloseableHttpClient apache = ApachePayments.classic(certificate).build()) {
      run("HttpClient 5", NaiveLoop.over(apache));
    }
    try (CloseableHttpAsyncClient apache = ApachePayments.asynchronous(certificate).build()) {
      apache.start();
      run("HttpClient 5 async", NaiveLoop.over(apache));
    }
    run("OkHttp, keyed", NaiveLoop.over(okHttp).withKey());
    OkHttpPayments.close(okHttp);
    Page.text(
        "",
        "Duplicates: an answer was lost, the payment was sent again, and without a key the server",
        "took it for a second one. Lost: all attempts were used up before Retry-After was over; and",
        "with a key, the 409 of a payment that went through was taken for a failure. Resent: OkHttp",
        "sends a POST again on its own when a pooled connection breaks, beneath every loop.");
  }

  private void run(String client, NaiveLoop loop) throws IOException {
    AtomicInteger attempts = new AtomicInteger();
    long startNanos = System.nanoTime();
    try (PaymentService service = new PaymentService(plan, certificate)) {
      payAll(
          service,
          loop,
          (address, failed) -> {
            attempts.incrementAndGet();
            if (failed) {
              service.attemptFailed(address.getPort());
            }
          });
      Ledger.Tally tally = service.tally();
      System.out.printf(
          ROW,
          client,
          attempts,
          service.arrivals().repeated(),
          tally.charges(),
          tally.duplicates(),
          tally.lost().size(),
          Page.seconds(System.nanoTime() - startNanos));
    }
  }

  private void payAll(PaymentService service, NaiveLoop loop, NaiveLoop.Watcher watcher) {
    ExecutorService callers = DemoThreads.callers();
    CompletableFuture<?>[] payments =
        plan.stream()
            .map(payment ->
                DemoThreads.call(
                    callers,
                    () -> {
                      boolean paid = loop.pay(payment, service.address(payment), watcher);
                      service.ledger().told(payment, paid);
                      return paid;
                    }))
            .toArray(CompletableFuture<?>[]::new);
    CompletableFuture.allOf(payments).join();
    callers.shutdown();
  }
}
