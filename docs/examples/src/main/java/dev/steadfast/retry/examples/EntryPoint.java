package dev.steadfast.retry.examples;

import dev.steadfast.retry.http.HttpRetry;
import java.util.function.BiFunction;

/** The five ways into the one retry loop. */
enum EntryPoint {
  OKHTTP_EXECUTE("okhttp-execute", OkHttpPayments::execute),
  OKHTTP_ENQUEUE("okhttp-enqueue", OkHttpPayments::enqueue),
  OKHTTP_INTERCEPTOR("okhttp-interceptor", OkHttpPayments::interceptor),
  JDK_SEND("jdk-send", JdkPayments::send),
  JDK_SEND_ASYNC("jdk-sendAsync", JdkPayments::sendAsync);

  private final String title;
  private final BiFunction<HttpRetry, Certificate, PaymentClient> opener;

  EntryPoint(String title, BiFunction<HttpRetry, Certificate, PaymentClient> opener) {
    this.title = title;
    this.opener = opener;
  }

  PaymentClient open(HttpRetry retry, Certificate certificate) {
    return opener.apply(retry, certificate);
  }

  @Override
  public String toString() {
    return title;
  }
}
