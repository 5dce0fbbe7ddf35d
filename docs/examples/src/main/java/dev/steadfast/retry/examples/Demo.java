package dev.steadfast.retry.examples;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Stub. */
public final class Demo {
  static final long SEED = 2026;

  private Demo() {}

  /** Stub. */
  public static void main(String[] a) throws IOException {
    List<Payment> plan = Faults.plan(200, SEED);
    Certificate certificate = Certificate.generate();
    List<PaymentRun> runs = new ArrayList<>();
    PaymentRun.printHeader();
    for (EntryPoint e : EntryPoint.values()) {
      PaymentRun run = new PaymentRun(e, plan, certificate);
      run.print();
      runs.add(run);
    }
    for (Fault f : Fault.values()) {
      plan.stream()
          .filter(p -> p.fault() == f)
          .limit(1)
          .forEach(p -> {
            System.out.println(p);
            runs.get(1).timeline().print(p.title());
          });
    }
    runs.forEach(PaymentRun::printLedger);
    System.exit(runs.stream().allMatch(PaymentRun::clean) ? 0 : 1);
  }
}
