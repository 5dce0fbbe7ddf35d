package dev.steadfast.retry.examples;

import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.okhttp.RetryInterceptor;
import dev.steadfast.retry.okhttp.RetryingCallFactory;
import java.io.IOException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import okhttp3.Call;
import okhttp3.Callback;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;

/** What a wait costs: a dispatcher's place in an interceptor, nothing in a call factory. */
final class WaitingPart {
  private static final Duration WAIT = Duration.ofMillis(500);
  private static final int CALLS = 200;
  private static final int CALLS_OF_INTERCEPTOR = 15; // 200 would take 20 s

  private WaitingPart() {}

  static void run() throws IOException {
    Page.title("5  Calls that wait for their retry, all at once");
    Page.text(
        "Enqueued GETs, each answered by a 503, then after a wait of 500 ms by a 200. OkHttp's",
        "dispatcher runs 5 calls per host at a time; an interceptor that waits keeps its place.");
    HttpRetry retry =
        HttpRetry.builder()
            .policy(RetryPolicy.builder().backoff(Backoff.fixed(WAIT)).build())
            .budget(RetryBudget.unlimited()) // every call fails once, by design of this part
            .build();
    OkHttpClient client = new OkHttpClient();
    print("RetryingCallFactory", CALLS, RetryingCallFactory.wrap(client, retry));
    OkHttpPayments.close(client);
    OkHttpClient intercepted = RetryInterceptor.addTo(new OkHttpClient.Builder(), retry).build();
    print("RetryInterceptor", CALLS_OF_INTERCEPTOR, intercepted);
    OkHttpPayments.close(intercepted);
  }

  private static void print(String title, int calls, Call.Factory factory) throws IOException {
    Set<String> seen = ConcurrentHashMap.newKeySet();
    try (PaymentServer server =
        new PaymentServer(order -> Reply.of(seen.add(order.target()) ? 503 : 200, ""))) {
      long startNanos = System.nanoTime();
      CountDownLatch answers = new CountDownLatch(calls);
      for (int i = 0; i < calls; i++) {
        Request request = new Request.Builder().url(server.address() + "/orders/" + i).build();
        factory.newCall(request).enqueue(counting(answers));
      }
      DemoThreads.await(answers);
      System.out.printf(
          "   %-20s %4d calls   %s%n", title, calls, Page.seconds(System.nanoTime() - startNanos));
    }
  }

  private static Callback counting(CountDownLatch answers) {
    return new Callback() {
      @Override
      public void onResponse(Call call, Response response) {
        response.close();
        answers.countDown();
      }

      @Override
      public void onFailure(Call call, IOException failure) {
        answers.countDown();
      }
    };
  }
}
