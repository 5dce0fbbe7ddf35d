package dev.steadfast.retry.okhttp;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.limit.QuotaPacing;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import okhttp3.Call;
import okhttp3.Callback;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;
import okhttp3.Response;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What an enqueued call keeps of its last attempt while it waits for the next one. */
class WaitingCallTest {
  @RegisterExtension private final Rig rig = new Rig();
  private final ScriptedServer server = rig.server();
  private final CountDownLatch ended = new CountDownLatch(1);

  private volatile WeakReference<Response> response;
  private volatile WeakReference<Call> attempt;

  private Response noting(Interceptor.Chain chain) throws IOException {
    Response answer = chain.proceed(chain.request());
    response = new WeakReference<>(answer);
    attempt = new WeakReference<>(chain.call());
    return answer;
  }

  private final class Ending implements Callback {
    @Override
    public void onFailure(Call call, IOException failure) {
      ended.countDown();
    }

    @Override
    public void onResponse(Call call, Response answer) {
      answer.close();
      ended.countDown();
    }
  }

  @ParameterizedTest
  @CsvSource({"0, false", "60, false", "0, true", "60, true"})
  void noResponse_andNoCallOfOkHttps(int callTimeoutSeconds, boolean guarded) throws Exception {
    server.enqueue(Reply.status(503));
    OkHttpClient.Builder builder =
        Rig.builder()
            .callTimeout(Duration.ofSeconds(callTimeoutSeconds))
            .addInterceptor(this::noting);
    RetryPolicy policy =
        RetryPolicy.builder().backoff(Backoff.fixed(Duration.ofSeconds(5))).build();
    HttpRetry.Builder retry = rig.frozen().policy(policy);
    if (guarded) {
      retry.guard(QuotaPacing.perOrigin());
    }
    Call call = rig.calls(Entry.ENQUEUE, builder, retry.build()).newCall(Calls.get(server));
    call.enqueue(new Ending());
    while (rig.recorder.waits().isEmpty()) {
      Thread.onSpinWait();
    }
    rig.time.awaitPending(1);
    long patience = System.nanoTime() + Duration.ofSeconds(20).toNanos();
    while ((response.get() != null || attempt.get() != null) && System.nanoTime() < patience) {
      System.gc();
    }
    assertNull(response.get(), "the response");
    assertNull(attempt.get(), "OkHttp's call");
    assertFalse(call.isCanceled());
    call.cancel();
    assertTrue(ended.await(20, TimeUnit.SECONDS));
  }
}
