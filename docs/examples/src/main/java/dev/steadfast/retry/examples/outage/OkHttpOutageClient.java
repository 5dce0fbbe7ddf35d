package dev.steadfast.retry.examples.outage;

import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.okhttp.RetryingCallFactory;
import java.io.IOException;
import java.net.URI;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import okhttp3.Call;
import okhttp3.Callback;
import okhttp3.ConnectionPool;
import okhttp3.Dispatcher;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;

/** OkHttp, with calls that are enqueued. */
final class OkHttpOutageClient implements OutageClient {
  // Beyond what any run needs: a queue in the client would be a bulkhead and hide the storm.
  private static final int NO_LIMIT = 100_000;
  private static final int IDLE_CONNECTIONS = 200;

  private final OkHttpClient client;
  private final Call.Factory calls;
  private final Request request;

  OkHttpOutageClient(URI address, HttpRetry retry) {
    Dispatcher dispatcher = new Dispatcher();
    dispatcher.setMaxRequests(NO_LIMIT);
    dispatcher.setMaxRequestsPerHost(NO_LIMIT);
    client =
        new OkHttpClient.Builder()
            .dispatcher(dispatcher)
            .fastFallback(false) // one address: nothing to race, so no second thread per connect
            .connectionPool(new ConnectionPool(IDLE_CONNECTIONS, 1, TimeUnit.MINUTES))
            .build();
    calls = RetryingCallFactory.wrap(client, retry);
    request = new Request.Builder().url(address.toString()).build();
  }

  @Override
  public CompletableFuture<Boolean> call() {
    CompletableFuture<Boolean> succeeded = new CompletableFuture<>();
    calls
        .newCall(request)
        .enqueue(
            new Callback() {
              @Override
              public void onResponse(Call call, Response response) {
                try (response) {
                  succeeded.complete(response.isSuccessful());
                }
              }

              @Override
              public void onFailure(Call call, IOException failure) {
                succeeded.complete(false);
              }
            });
    return succeeded;
  }

  @Override
  public void close() {
    client.dispatcher().executorService().shutdown();
    client.connectionPool().evictAll();
  }
}
