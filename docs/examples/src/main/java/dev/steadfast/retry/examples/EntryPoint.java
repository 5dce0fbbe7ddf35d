package dev.steadfast.retry.examples;

import dev.steadfast.retry.http.HttpRetry;
import java.util.List;
import java.util.function.BiFunction;

/**
 * A way into the one retry loop.
 *
 * @param title its name
 * @param opener makes its client
 */
record EntryPoint(String title, BiFunction<HttpRetry, Certificate, PaymentClient> opener) {
  private static final List<EntryPoint> ALL =
      List.of(
          new EntryPoint("okhttp-execute", OkHttpPayments::execute),
          new EntryPoint("okhttp-enqueue", OkHttpPayments::enqueue),
          new EntryPoint("okhttp-interceptor", OkHttpPayments::interceptor),
          new EntryPoint("jdk-send", JdkPayments::send),
          new EntryPoint("jdk-sendAsync", JdkPayments::sendAsync),
          new EntryPoint("apache-execute", ApachePayments::execute),
          new EntryPoint("apache-async", ApachePayments::async));

  /** All of them. */
  static List<EntryPoint> all() {
    return ALL;
  }

  PaymentClient open(HttpRetry retry, Certificate certificate) {
    return opener.apply(retry, certificate);
  }

  @Override
  public String toString() {
    return title;
  }
}
