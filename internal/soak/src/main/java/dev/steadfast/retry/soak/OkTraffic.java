package dev.steadfast.retry.soak;

import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.okhttp.RetryInterceptor;
import dev.steadfast.retry.okhttp.RetryingCallFactory;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import okhttp3.Call;
import okhttp3.Callback;
import okhttp3.ConnectionPool;
import okhttp3.Dispatcher;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;

/** Calls of OkHttp: executed and enqueued, through the factory and through the interceptor. */
final class OkTraffic {
  private final Traffic traffic;
  private final ConnectionPool connections = new ConnectionPool(20, 2, TimeUnit.SECONDS);
  private final Call.Factory factory;
  private final Call.Factory intercepted;

  OkTraffic(Traffic traffic, HttpRetry retry) {
    this.traffic = traffic;
    this.factory = RetryingCallFactory.wrap(client("factory").build(), retry);
    this.intercepted = RetryInterceptor.addTo(client("interceptor"), retry).build();
  }

  private OkHttpClient.Builder client(String name) {
    Dispatcher dispatcher = new Dispatcher(Pools.fixed("dispatcher-" + name, 64));
    dispatcher.setMaxRequests(64);
    dispatcher.setMaxRequestsPerHost(64);
    return new OkHttpClient.Builder()
        .dispatcher(dispatcher)
        .connectionPool(connections)
        .readTimeout(Duration.ofMillis(400));
  }

  List<Runnable> kinds() {
    return List.of(
        () -> execute("OkHttp execute", factory),
        () -> enqueue("OkHttp enqueue", factory),
        () -> execute("OkHttp execute, interceptor", intercepted),
        () -> enqueue("OkHttp enqueue, interceptor", intercepted));
  }

  private Request request() {
    Request.Builder request = new Request.Builder().url(traffic.path());
    return switch (ThreadLocalRandom.current().nextInt(4)) {
      case 0 -> request.put(RequestBody.create(new byte[1_000])).build();
      case 1 -> request.post(RequestBody.create(new byte[1_000])).build();
      default -> request.build();
    };
  }

  private void execute(String name, Call.Factory calls) {
    traffic.call(
        name,
        operation -> {
          Call call = calls.newCall(request());
          operation.perhapsCancel(call::cancel);
          try (Response response = call.execute()) {
            operation.ended(Runnable::run, () -> use(response));
          } catch (IOException failed) {
            operation.ended();
          }
        });
  }

  private void enqueue(String name, Call.Factory calls) {
    Traffic.Operation operation = traffic.begin(name);
    Call call = calls.newCall(request());
    operation.perhapsCancel(call::cancel);
    call.enqueue(
        new Callback() {
          @Override
          public void onResponse(Call of, Response response) {
            operation.ended(Runnable::run, () -> use(response));
          }

          @Override
          public void onFailure(Call of, IOException failed) {
            operation.ended();
          }
        });
  }

  /** Reads all, a part or nothing. */
  private static void use(Response response) throws IOException {
    try (response) {
      InputStream body = response.body().byteStream();
      switch (ThreadLocalRandom.current().nextInt(4)) {
        case 0 -> body.readNBytes(100);
        case 1 -> {}
        default -> body.readAllBytes();
      }
    }
  }

  /** How many connections are in use. */
  int busyConnections() {
    return connections.connectionCount() - connections.idleConnectionCount();
  }
}
