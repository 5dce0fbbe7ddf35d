package dev.steadfast.retry.examples.springboot;

import java.io.IOException;
import java.util.List;

/**
 * Runs the application on each library, with and without Apache HttpClient 5 on its class path, and
 * compares what the server, the reports, the meters and the spans have counted.
 */
record Run(int paid, int charged, int sent, int attempts, int meters, int spans) {
  private static final int ORDERS = 10;

  public static void main(String[] arguments) throws Exception {
    boolean agree = true;
    for (String library : List.of("jdk", "okhttp")) {
      for (String classPath : List.of("plain", "http5")) {
        agree &= agree(library, classPath);
      }
    }
    System.exit(agree ? 0 : 1);
  }

  private static boolean agree(String library, String classPath)
      throws IOException, InterruptedException {
    try (FaultyPayments payments = new FaultyPayments();
        ShopProcess shop = ShopProcess.start(payments, library, classPath.equals("http5"))) {
      Run run = of(shop.customer(), payments);
      System.out.printf("spring client=%s classpath=%s %s%n", library, classPath, run);
      return run.agrees();
    }
  }

  /** Orders ten times, and counts. */
  static Run of(Customer customer, FaultyPayments payments)
      throws IOException, InterruptedException {
    int paid = 0;
    for (int i = 0; i < ORDERS; i++) {
      paid += customer.order("order-" + i) == 200 ? 1 : 0;
    }
    return new Run(
        paid,
        payments.charged(),
        payments.requests(),
        customer.reported(),
        customer.metered(),
        customer.traced());
  }

  /** Whether all counts of attempts agree, and each order was paid once. */
  boolean agrees() {
    return paid == ORDERS
        && charged == ORDERS
        && sent == attempts
        && attempts == meters
        && meters == spans;
  }

  @Override
  public String toString() {
    return String.format(
        "paid=%d charged=%d sent=%d attempts=%d meters=%d spans=%d",
        paid, charged, sent, attempts, meters, spans);
  }
}
