package dev.steadfast.retry.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import okhttp3.Call;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;
import okhttp3.Response;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What is the interceptor's own; the rest is in the tests of both. */
class RetryInterceptorTest {
  @RegisterExtension private final Rig rig = new Rig();
  private final ScriptedServer server = rig.server();

  @Test
  void anInterceptorThatIsAddedAfterwardsSeesTheRealExceptionAsACause() {
    List<IOException> seen = new CopyOnWriteArrayList<>();
    Interceptor wrapping =
        chain -> {
          try {
            return chain.proceed(chain.request());
          } catch (IOException failure) {
            seen.add(failure);
            throw new IOException("backend", failure);
          }
        };
    server.enqueue(Reply.closeAfterRequest());
    Call.Factory calls =
        rig.client(RetryInterceptor.addTo(Rig.builder(), rig.once()).addInterceptor(wrapping));

    Entry.Outcome got = Entry.EXECUTE.make(calls.newCall(Calls.post(server)));

    IOException internal = seen.get(0);
    assertTrue(internal.getStackTrace().length > 0);
    assertTrue(String.valueOf(internal.getMessage()).startsWith("unexpected end of stream"));
    assertEquals(IOException.class, internal.getCause().getClass());
    assertSame(internal, got.failure().getCause());
  }

  @Test
  void isAddedOnce() {
    OkHttpClient.Builder builder = Rig.builder();
    assertSame(builder, RetryInterceptor.addTo(builder, rig.once()));
    assertThrows(IllegalStateException.class, () -> RetryInterceptor.addTo(builder, rig.once()));
    assertThrows(NullPointerException.class, () -> RetryInterceptor.addTo(null, rig.once()));
    OkHttpClient.Builder fresh = Rig.builder();
    assertThrows(NullPointerException.class, () -> RetryInterceptor.addTo(fresh, null));
    assertTrue(fresh.interceptors().isEmpty() && fresh.networkInterceptors().isEmpty());
    assertTrue(builder.interceptors().get(0).toString().startsWith("RetryInterceptor(HttpRetry("));
  }

  @Test
  void interceptorsBeforeItRunOncePerCallThoseAfterItOncePerAttempt() throws Exception {
    List<String> seen = new CopyOnWriteArrayList<>();
    OkHttpClient.Builder builder = Rig.builder();
    builder.addInterceptor(chain -> {
      seen.add("outer");
      return chain.proceed(chain.request());
    });
    builder.addNetworkInterceptor(chain -> {
      seen.add("network");
      return chain.proceed(chain.request());
    });
    RetryInterceptor.addTo(builder, rig.retry().build());
    builder.addInterceptor(chain -> {
      seen.add("inner");
      return chain.proceed(chain.request());
    });
    server.enqueue(Reply.status(503));
    try (Response response = rig.client(builder).newCall(Calls.get(server)).execute()) {
      assertEquals(200, response.code());
      assertEquals(2, OkHttpReports.of(response).attempts());
    }
    assertEquals(List.of("outer", "inner", "network", "inner", "network"), seen);
  }

  @Test
  void executesAndEnqueues() throws Exception {
    OkHttpClient client = rig.client(RetryInterceptor.addTo(Rig.builder(), rig.keyed()));
    server.enqueue(Reply.status(503), Reply.closeAfterRequest());
    Call call = client.newCall(Calls.post(server));
    Entry.Answers answers = new Entry.Answers();
    call.enqueue(answers);
    try (Response response = answers.get()) {
      assertEquals("ok", response.body().string());
      assertEquals(3, OkHttpReports.of(response).attempts());
    }
    assertSame(call, answers.call());
  }

  /** Enqueued, cancelled while it waits: the thread is free at once on OkHttp 5. */
  @Test
  void aCancelEndsTheWaitOfAnEnqueuedCall() throws Exception {
    OkHttpClient client =
        rig.client(
            RetryInterceptor.addTo(
                Rig.builder(),
                rig.frozen().policy(Calls.seconds().noTotalTimeout().build()).build()));
    server.enqueue(Reply.status(503));
    Call call = client.newCall(Calls.get(server));
    Entry.Answers answers = new Entry.Answers();
    call.enqueue(answers);
    rig.time.awaitPending(Calls.okHttp4() ? 2 : 1);

    client.dispatcher().cancelAll();
    if (Calls.okHttp4()) {
      rig.time.advance(Duration.ofMillis(50));
    }

    IOException failure = answers.failure();
    assertEquals("Canceled", failure.getMessage());
  }
}
