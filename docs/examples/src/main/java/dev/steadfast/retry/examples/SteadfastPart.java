package dev.steadfast.retry.examples;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** All payments, through each of the five entry points. */
final class SteadfastPart {
  private final List<Payment> plan;
  private final Certificate certificate;

  SteadfastPart(List<Payment> plan, Certificate certificate) {
    this.plan = plan;
    this.certificate = certificate;
  }

  List<PaymentRun> run() throws IOException {
    Page.title("1  With Steadfast: one key per payment, and one loop behind five entry points");
    Page.text(
        "The budget is unlimited here, because faults hit "
            + Faults.total()
            + " of "
            + plan.size()
            + " payments: the default budget,",
        "which keeps retries to a tenth of the successes, would refuse most of them. See 3.",
        "");
    PaymentRun.printHeader();
    List<PaymentRun> runs = new ArrayList<>();
    for (EntryPoint entryPoint : EntryPoint.values()) {
      PaymentRun run = new PaymentRun(entryPoint, plan, certificate);
      run.print();
      runs.add(run);
    }
    Page.text(
        "",
        "Attempts are counted by the library. The rest of them met a refused or dead connection, or a",
        "refused stream. Resent: what the HTTP client sends again beneath the library, counted by the",
        "server. The JDK, depending on its version, repeats streams that were refused unprocessed.");
    printTimeline(runs);
    return runs;
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
