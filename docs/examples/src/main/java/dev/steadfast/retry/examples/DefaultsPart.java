package dev.steadfast.retry.examples;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** All payments once more, with the defaults of Steadfast. */
final class DefaultsPart {
  private final List<Payment> plan;
  private final Certificate certificate;

  DefaultsPart(List<Payment> plan, Certificate certificate) {
    this.plan = plan;
    this.certificate = certificate;
  }

  List<PaymentRun> run() throws IOException {
    Page.title("3  Steadfast with its defaults, and keys");
    Page.text(
        "Three attempts, and a retry budget: 10 retries to begin with, one more for every ten",
        "successes and for every second. A bad day like this one empties it, so payments fail at",
        "once. None is made twice. Whoever sends a lost one again with its key gets its answer.",
        "");
    PaymentRun.printBooksHeader();
    List<PaymentRun> runs = new ArrayList<>();
    for (EntryPoint entryPoint : EntryPoint.all()) {
      PaymentRun run = new PaymentRun(entryPoint, plan, certificate, DemoRetry.defaults());
      run.printBooks();
      runs.add(run);
    }
    return runs;
  }
}
