package dev.steadfast.retry.examples;

import java.io.IOException;
import java.util.List;
import okhttp3.OkHttp;

/**
 * Steadfast at work: payments through all seven entry points to a server that has a bad day, beside
 * what the bare clients make of it. Exits with 0 if no payment was made twice, and with equal tries
 * none was lost.
 *
 * <p>Everything happens on loopback, over real sockets. The faults are the same in every run.
 */
public final class Demo {
  static final long SEED = 2026;

  private static final int PAYMENTS = 200;

  private Demo() {}

  /**
   * Runs the demo.
   *
   * @param arguments none
   * @throws IOException if no port can be opened
   */
  public static void main(String[] arguments) throws IOException {
    List<Payment> plan = Faults.plan(PAYMENTS, SEED);
    Certificate certificate = Certificate.generate();
    printIntroduction();
    List<PaymentRun> runs = new SteadfastPart(plan, certificate).run();
    new NaivePart(plan, certificate).run();
    List<PaymentRun> defaults = new DefaultsPart(plan, certificate).run();
    BudgetPart.run(plan, certificate);
    WaitingPart.run();
    Page.title("The ledger of part 1");
    runs.forEach(PaymentRun::printLedger);
    boolean once = defaults.stream().allMatch(PaymentRun::once);
    System.exit(once && runs.stream().allMatch(PaymentRun::clean) ? 0 : 1);
  }

  private static void printIntroduction() {
    System.out.println("Steadfast, the demo");
    Page.text(
        PAYMENTS
            + " payments go to an idempotent POST /payments on this machine, which has a bad day:",
        "");
    Faults.counts().forEach((fault, count) -> System.out.printf("   %4d  %s%n", count, fault));
    System.out.printf("   %4d  %s%n", PAYMENTS - Faults.total(), "no fault");
    Page.text(
        "",
        "JDK %s, OkHttp %s, %d processors"
            .formatted(
                Runtime.version(), OkHttp.VERSION, Runtime.getRuntime().availableProcessors()));
  }
}
