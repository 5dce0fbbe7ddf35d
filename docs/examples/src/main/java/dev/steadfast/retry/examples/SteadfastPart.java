package dev.steadfast.retry.examples;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** All payments, through each entry point. */
final class SteadfastPart {
  private final List<Payment> plan;
  private final Certificate certificate;

  SteadfastPart(List<Payment> plan, Certificate certificate) {
    this.plan = plan;
    this.certificate = certificate;
  }

  List<PaymentRun> run() throws IOException {
    Page.title("1  With Steadfast: one key per payment, and one loop behind seven entry points");
    Page.text("Set, here and for the loops of part 2:");
    Page.text(DemoRetry.settings().split("(?<=;) "));
    Page.text(
        "",
        "Faults hit %d of %d payments, and the default budget would refuse most of their retries:"
            .formatted(Faults.total(), plan.size()),
        "see part 3.",
        "");
    PaymentRun.printHeader();
    List<PaymentRun> runs = new ArrayList<>();
    for (EntryPoint entryPoint : EntryPoint.all()) {
      PaymentRun run = new PaymentRun(entryPoint, plan, certificate, DemoRetry.asTheLoops());
      run.print();
      run.lost().forEach(number -> printLost(run, plan.get(number - 1)));
      runs.add(run);
    }
    Page.text(
        "",
        "The library counts attempts. Those that did not arrive met a refused or dead connection, or",
        "a refused stream. The server counts what the HTTP client sends again beneath the library:",
        "some versions of the JDK repeat streams that were refused unprocessed, which is safe.",
        "HttpClient 5 speaks HTTP/1.1 if it blocks: a refused stream is a closed connection there.");
    printTimeline(runs);
    return runs;
  }

  private static void printLost(PaymentRun run, Payment payment) {
    Page.text("   lost: " + payment.title() + ", " + payment.fault());
    run.timeline().print(payment.title());
  }

  /** Of the payments that met their own first attempt, the one with the longest story. */
  private void printTimeline(List<PaymentRun> runs) {
    PaymentRun longest = runs.get(0);
    String title = "";
    for (PaymentRun run : runs) {
      for (Payment payment : plan) {
        boolean met = payment.fault() == Fault.STILL_AT_WORK;
        if (met && run.timeline().attempts(payment.title()) > longest.timeline().attempts(title)) {
          longest = run;
          title = payment.title();
        }
      }
    }
    Page.text(
        "", "The longest of their stories: " + title + " through " + longest.entryPoint(), "");
    longest.timeline().print(title);
  }
}
