package dev.steadfast.retry.examples.guide;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.util.concurrent.ListenableFuture;
import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.RetryListener;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.httpclient.RetryingHttpClient;
import dev.steadfast.retry.okhttp.RetryingCallFactory;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import kotlin.coroutines.Continuation;
import kotlin.coroutines.EmptyCoroutineContext;
import kotlin.jvm.functions.Function2;
import kotlinx.coroutines.BuildersKt;
import kotlinx.coroutines.CoroutineScope;
import kotlinx.coroutines.CoroutineStart;
import kotlinx.coroutines.GlobalScope;
import kotlinx.coroutines.Job;
import kotlinx.coroutines.future.FutureKt;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import okhttp3.coroutines.ExecuteAsyncKt;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.Disposable;

/**
 * Runs what the guide shows of Reactor, Guava and Kotlin: an operation that is retried, and one
 * that is cancelled while the server is silent. Kotlin's functions are called as compiled Kotlin
 * does.
 */
@Timeout(30)
final class AsyncTypesGuideTest {
  private static final Duration LIMIT = Duration.ofSeconds(20);

  @AutoClose private final ScriptedServer server = ScriptedServer.start();
  private final CompletableFuture<RetryReport> ended = new CompletableFuture<>();
  private final HttpRetry retry =
      HttpRetry.builder()
          .policy(RetryPolicy.builder().backoff(Backoff.fixed(Duration.ofMillis(1))).build())
          .listener(
              new RetryListener() {
                @Override
                public void ended(OperationInfo operation, RetryReport report) {
                  ended.complete(report);
                }
              })
          .build();
  private final RetryingHttpClient jdk = RetryingHttpClient.wrap(HttpClient.newHttpClient(), retry);
  private final RetryingCallFactory okHttp = RetryingCallFactory.wrap(new OkHttpClient(), retry);

  private HttpRequest request() {
    return HttpRequest.newBuilder(server.uri("/orders")).build();
  }

  private Request okHttpRequest() {
    return new Request.Builder().url(server.uri("/orders").toString()).build();
  }

  private void failsOnce() {
    server.enqueue(Reply.status(503), Reply.status(200).body("paid"));
  }

  /** Cancels an operation whose request the server has, and checks how it ended. */
  private void cancels(Runnable cancel) throws Exception {
    server.awaitRequests(1, LIMIT);
    cancel.run();
    assertEquals(StopReason.CANCELLED, ended.get().reason());
    assertEquals(1, server.requests().size());
  }

  @Test
  void reactorOverTheJdk() {
    failsOnce();
    assertEquals("paid", AsyncTypesGuide.reactor(jdk, request()).block().body());
    assertEquals(2, server.requests().size());
  }

  @Test
  void reactorCancelsTheJdk() throws Exception {
    server.defaultReply(Reply.stallAfterRequest());
    Disposable answer = AsyncTypesGuide.reactor(jdk, request()).subscribe();
    cancels(answer::dispose);
  }

  @Test
  void reactorOverOkHttp() {
    failsOnce();
    assertEquals("paid", AsyncTypesGuide.body(okHttp, okHttpRequest()).block());
    assertEquals(2, server.requests().size());
  }

  @Test
  void reactorCancelsOkHttp() throws Exception {
    server.defaultReply(Reply.stallAfterRequest());
    Disposable answer = AsyncTypesGuide.body(okHttp, okHttpRequest()).subscribe();
    cancels(answer::dispose);
  }

  @Test
  void guava() throws Exception {
    failsOnce();
    ListenableFuture<HttpResponse<String>> answer =
        AsyncTypesGuide.listenable(jdk.sendAsync(request(), BodyHandlers.ofString()));
    assertEquals("paid", answer.get().body());
  }

  @Test
  void guavaCancels() throws Exception {
    server.defaultReply(Reply.stallAfterRequest());
    ListenableFuture<?> answer =
        AsyncTypesGuide.listenable(jdk.sendAsync(request(), BodyHandlers.ofString()));
    cancels(() -> assertTrue(answer.cancel(true)));
  }

  private static Object run(Function2<CoroutineScope, Continuation<? super Object>, Object> work)
      throws InterruptedException {
    return BuildersKt.runBlocking(EmptyCoroutineContext.INSTANCE, work);
  }

  private static Job launch(Function2<CoroutineScope, Continuation<? super Object>, Object> work) {
    return BuildersKt.async(
        GlobalScope.INSTANCE, EmptyCoroutineContext.INSTANCE, CoroutineStart.DEFAULT, work);
  }

  @Test
  void coroutinesOverTheJdk() throws Exception {
    failsOnce();
    Object answer =
        run((scope, then) ->
            FutureKt.await(jdk.sendAsync(request(), BodyHandlers.ofString()), then));
    assertEquals("paid", ((HttpResponse<?>) answer).body());
  }

  @Test
  void coroutinesCancelTheJdk() throws Exception {
    server.defaultReply(Reply.stallAfterRequest());
    Job job =
        launch((scope, then) ->
            FutureKt.await(jdk.sendAsync(request(), BodyHandlers.ofString()), then));
    cancels(() -> job.cancel(null));
  }

  @Test
  void coroutinesOverOkHttp() throws Exception {
    failsOnce();
    Object answer =
        run((scope, then) -> ExecuteAsyncKt.executeAsync(okHttp.newCall(okHttpRequest()), then));
    try (Response response = (Response) answer) {
      assertEquals("paid", response.body().string());
    }
  }

  @Test
  void coroutinesCancelOkHttp() throws Exception {
    server.defaultReply(Reply.stallAfterRequest());
    Job job =
        launch((scope, then) -> ExecuteAsyncKt.executeAsync(okHttp.newCall(okHttpRequest()), then));
    cancels(() -> job.cancel(null));
  }
}
