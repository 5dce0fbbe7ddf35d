package dev.steadfast.retry.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import okhttp3.Call;
import okhttp3.Callback;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Cancelling the attempts of calls by way of their dispatcher is cancelling the calls. */
class DispatcherCancelTest {
  private final ScriptedServer server = ScriptedServer.start();
  private final OkHttpClient client = new OkHttpClient();
  private final Call call =
      RetryingCallFactory.wrap(client, HttpRetry.defaults())
          .newCall(new Request.Builder().url(server.uri("/a").toString()).build());

  @BeforeEach
  void cancelAtTheFirstRequest() {
    server.enqueue(Reply.stallAfterRequest());
    server.whenRequest(request -> client.dispatcher().cancelAll());
  }

  @AfterEach
  void close() {
    client.dispatcher().executorService().shutdown();
    client.connectionPool().evictAll();
    server.close();
  }

  @Test
  void execute_isCancelled() {
    assertCancelled(assertThrows(IOException.class, call::execute));
  }

  @Test
  void enqueue_isCancelled() {
    CompletableFuture<Response> outcome = new CompletableFuture<>();
    call.enqueue(
        new Callback() {
          @Override
          public void onFailure(Call failed, IOException failure) {
            outcome.completeExceptionally(failure);
          }

          @Override
          public void onResponse(Call answered, Response response) {
            outcome.complete(response);
          }
        });
    assertCancelled(assertThrows(ExecutionException.class, outcome::get).getCause());
  }

  private void assertCancelled(Throwable failure) {
    assertEquals("Canceled", failure.getMessage());
    assertEquals(StopReason.CANCELLED, RetryReport.of(failure).orElseThrow().reason());
    assertEquals(1, server.requests().size());
    assertEquals(true, call.isCanceled());
  }
}
