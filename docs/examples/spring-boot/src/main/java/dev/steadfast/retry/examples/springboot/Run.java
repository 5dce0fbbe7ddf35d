package dev.steadfast.retry.examples.springboot;

import java.io.IOException;
import java.util.List;

/**
 * Runs the application on each library, with and without Apache HttpClient 5 on its class path, and
 * compares what the server, the reports, the meters and the spans have counted.
 */
final class Run {
  private static final int ORDERS = 10;

  private Run() {}

  public static void main(String[] arguments) throws Exception {
    boolean agree = true;
    for (String library : List.of("jdk", "okhttp")) {
      for (String classPath : List.of("plain", "http5")) {
        agree &= agree(library, classPath);
      }
    }
    System.exit(agree ? 0 : 1);
  }

  /** Whether all counts of one run agree, and each order was paid once. */
  static boolean agree(String library, String classPath) throws IOException, InterruptedException {
    try (FaultyPayments payments = new FaultyPayments();
        ShopProcess shop = ShopProcess.start(payments, library, classPath.equals("http5"))) {
      int paid = 0;
      for (int i = 0; i < ORDERS; i++) {
        paid += shop.order("order-" + i) == 200 ? 1 : 0;
      }
      int sent = payments.requests();
      int attempts = shop.reported();
      int meters = shop.metered();
      int spans = shop.traced();
      System.out.printf(
          "spring client=%s classpath=%s sent=%d attempts=%d meters=%d spans=%d%n",
          library, classPath, sent, attempts, meters, spans);
      boolean once = paid == ORDERS && payments.charged() == ORDERS;
      if (!once) {
        System.out.printf("of %d orders %d paid, %d charged%n", ORDERS, paid, payments.charged());
      }
      return once && sent == attempts && attempts == meters && meters == spans;
    }
  }
}
