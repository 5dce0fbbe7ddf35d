package dev.steadfast.retry.okhttp;

import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.tck.Client;
import dev.steadfast.retry.tck.EntryPoint;
import dev.steadfast.retry.tck.Follows;
import dev.steadfast.retry.tck.Interference;
import dev.steadfast.retry.tck.Trait;
import java.io.IOException;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import okhttp3.Call;
import okhttp3.Callback;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.Response;
import okhttp3.Route;

/** The three ways into the library for users of OkHttp. */
final class OkHttpEntryPoints {
  private static final boolean REPORTS_CANCELLATIONS =
      List.of(Call.class.getMethods()).stream()
          .anyMatch(method -> method.getName().equals("addEventListener"));

  private OkHttpEntryPoints() {}

  static EntryPoint[] all() {
    return new EntryPoint[] {new Factory(false), new Factory(true), new Intercepted()};
  }

  private static OkHttpClient plain() {
    return plain(Follows.NOTHING);
  }

  private static OkHttpClient plain(Follows follows) {
    OkHttpClient.Builder plain =
        new OkHttpClient.Builder()
            .protocols(List.of(Protocol.HTTP_1_1))
            .followRedirects(follows == Follows.REDIRECTS);
    return follows == Follows.CHALLENGES
        ? plain.authenticator(OkHttpEntryPoints::answer).build()
        : plain.build();
  }

  /** The request with a password; none after a second challenge. */
  private static Request answer(Route route, Response challenge) {
    return challenge.request().header("Authorization") != null
        ? null
        : challenge.request().newBuilder().header("Authorization", "Basic x").build();
  }

  private static final Set<Trait> TRAITS =
      EnumSet.of(Trait.BODY_AFTER_CALL, Trait.TRUSTS_BODIES, Trait.UNINTERRUPTIBLE_READS);

  private static Set<Trait> and(Trait own) {
    Set<Trait> traits = EnumSet.of(own);
    traits.addAll(TRAITS);
    return traits;
  }

  private record Factory(boolean enqueues) implements EntryPoint {
    @Override
    public String name() {
      return enqueues ? "OkHttp enqueue" : "OkHttp execute";
    }

    @Override
    public Set<Trait> traits() {
      return enqueues ? and(Trait.ASYNC) : TRAITS;
    }

    @Override
    public boolean takesInterceptors() {
      return true;
    }

    @Override
    public Client open(HttpRetry retry) {
      return open(retry, Interference.NONE);
    }

    @Override
    public Client open(HttpRetry retry, Interference interference) {
      OkHttpClient plain = plain();
      OkHttpClient users = new Interfering(plain, interference).in(plain.newBuilder()).build();
      return client(users, plain, retry);
    }

    @Override
    public boolean canFollow() {
      return true;
    }

    @Override
    public Client open(HttpRetry retry, Follows follows) {
      OkHttpClient plain = plain(follows);
      return client(plain, plain, retry);
    }

    private Client client(OkHttpClient users, OkHttpClient plain, HttpRetry retry) {
      OkHttpUnderTest.Way way = enqueues ? new Enqueue() : Call::execute;
      return new OkHttpUnderTest(RetryingCallFactory.wrap(users, retry), plain, way);
    }
  }

  private record Intercepted() implements EntryPoint {
    @Override
    public String name() {
      return "OkHttp interceptor";
    }

    @Override
    public Set<Trait> traits() {
      return and(Trait.OWN_TIMEOUTS);
    }

    @Override
    public int timersInWait() {
      return REPORTS_CANCELLATIONS ? 1 : 2; // somebody has to look
    }

    @Override
    public boolean takesInterceptors() {
      return true;
    }

    @Override
    public Client open(HttpRetry retry) {
      return open(retry, Interference.NONE);
    }

    @Override
    public Client open(HttpRetry retry, Interference interference) {
      OkHttpClient plain = plain();
      OkHttpClient.Builder client = RetryInterceptor.addTo(plain.newBuilder(), retry);
      client = new Interfering(plain, interference).in(client);
      return new OkHttpUnderTest(client.build(), plain, Call::execute);
    }

    @Override
    public boolean canFollow() {
      return true;
    }

    @Override
    public Client open(HttpRetry retry, Follows follows) {
      OkHttpClient plain = plain(follows);
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
