package dev.steadfast.retry.soak;

import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.limit.QuotaPacing;
import dev.steadfast.retry.okhttp.RetryingCallFactory;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import okhttp3.Call;
import okhttp3.Callback;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;

/** A batch of calls to a server with a quota: how much of the quota it uses until its end. */
final class QuotaUse implements Callback {
  private static final int CALLS = 30_000;
  private static final int PER_SECOND = 1_000;

  private final CountDownLatch left = new CountDownLatch(CALLS);
  private final AtomicInteger accepted = new AtomicInteger();
  private final AtomicInteger refusedBefore = new AtomicInteger(Integer.MAX_VALUE); // by others
  private final AtomicInteger refused = new AtomicInteger();
  private final Request request;
  private final Call.Factory calls;

  QuotaUse(SecondJvm server, boolean wrapped, boolean named) {
    this.request = new Request.Builder().url(server.url("/quota")).build();
    OkHttpClient plain = new OkHttpClient();
    plain.dispatcher().setMaxRequestsPerHost(plain.dispatcher().getMaxRequests());
    this.calls = wrapped ? RetryingCallFactory.wrap(plain, retry(named)) : plain;
  }

  private static HttpRetry retry(boolean named) {
    QuotaPacing pacing =
        named
            ? QuotaPacing.builder().quota(PER_SECOND, Duration.ofSeconds(1)).build()
            : QuotaPacing.perOrigin();
    return HttpRetry.builder()
        .policy(RetryPolicy.builder().noTotalTimeout().build())
        .budget(RetryBudget.unlimited())
        .guard(pacing)
        .build();
  }

  String measure() throws InterruptedException {
    long start = System.nanoTime();
    for (int i = 0; i < CALLS; i++) {
      calls.newCall(request).enqueue(this);
    }
    boolean ended = left.await(3, TimeUnit.MINUTES);
    double seconds = (System.nanoTime() - start) / 1e9;
    return String.format(
        "%s%d accepted in %.1f s, %.0f %% of the quota, %d refused",
        ended ? "" : left.getCount() + " without an end, ",
        accepted.get(),
        seconds,
        100 * accepted.get() / (seconds * PER_SECOND),
        refused.get() - refusedBefore.get());
  }

  @Override
  public void onFailure(Call call, IOException failure) {
    left.countDown();
  }

  @Override
  public void onResponse(Call call, Response response) {
    int told = Integer.parseInt(response.header("Refused"));
    refusedBefore.accumulateAndGet(told - (response.isSuccessful() ? 0 : 1), Math::min);
    refused.accumulateAndGet(told, Math::max);
    accepted.addAndGet(response.isSuccessful() ? 1 : 0);
    response.close();
    left.countDown();
  }
}
