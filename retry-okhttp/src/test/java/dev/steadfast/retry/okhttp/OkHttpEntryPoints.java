package dev.steadfast.retry.okhttp;

import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.scenarios.Client;
import dev.steadfast.retry.scenarios.EntryPoint;
import dev.steadfast.retry.scenarios.Via;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import okhttp3.Call;
import okhttp3.Callback;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Response;

/** The three ways into the library for users of OkHttp. */
final class OkHttpEntryPoints {
  private static final boolean REPORTS_CANCELLATIONS =
      List.of(Call.class.getMethods()).stream()
          .anyMatch(method -> method.getName().equals("addEventListener"));

  private OkHttpEntryPoints() {}

  static EntryPoint[] all() {
    return new EntryPoint[] {
      new Factory(Via.OKHTTP_EXECUTE), new Factory(Via.OKHTTP_ENQUEUE), new Intercepted()
    };
  }

  private static OkHttpClient plain() {
    return new OkHttpClient.Builder()
        .protocols(List.of(Protocol.HTTP_1_1))
        .followRedirects(false)
        .build();
  }

  private record Factory(Via via) implements EntryPoint {
    @Override
    public Client open(HttpRetry retry) {
      OkHttpClient plain = plain();
      OkHttpUnderTest.Way way = via == Via.OKHTTP_ENQUEUE ? new Enqueue() : Call::execute;
      return new OkHttpUnderTest(RetryingCallFactory.wrap(plain, retry), plain, way);
    }
  }

  private record Intercepted() implements EntryPoint {
    @Override
    public Via via() {
      return Via.OKHTTP_INTERCEPTOR;
    }

    @Override
    public int timersInWait() {
      return REPORTS_CANCELLATIONS ? 1 : 2; // somebody has to look
    }

    @Override
    public Client open(HttpRetry retry) {
      OkHttpClient plain = plain();
      OkHttpClient client = RetryInterceptor.addTo(plain.newBuilder(), retry).build();
      return new OkHttpUnderTest(client, plain, Call::execute);
    }
  }

  /** Enqueues and waits for the callback, which must come once and not from who cancels. */
  private static final class Enqueue implements OkHttpUnderTest.Way {
    private volatile Thread canceller;

    @Override
    public void cancel(Call call) {
      canceller = Thread.currentThread();
      call.cancel();
      canceller = null;
    }

    @Override
    public Response carryOut(Call call) throws IOException {
      CompletableFuture<Response> outcome = new CompletableFuture<>();
      call.enqueue(
          new Callback() {
            @Override
            public void onFailure(Call failed, IOException failure) {
              once(failed, outcome.completeExceptionally(failure));
            }

            @Override
            public void onResponse(Call answered, Response response) {
              once(answered, outcome.complete(response));
            }

            private void once(Call told, boolean first) {
              if (!first || Thread.currentThread().equals(canceller) || !told.equals(call)) {
                throw new AssertionError("second callback, wrong thread or wrong call");
              }
            }
          });
      try {
        return outcome.get();
      } catch (ExecutionException failed) {
        throw (IOException) failed.getCause();
      } catch (InterruptedException unwanted) {
        throw new AssertionError(unwanted);
      }
    }
  }
}
