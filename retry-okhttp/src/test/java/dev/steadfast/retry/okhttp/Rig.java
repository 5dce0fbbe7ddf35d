package dev.steadfast.retry.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.IdempotencyKeys;
import dev.steadfast.retry.tck.ScriptedServer;
import dev.steadfast.retry.testkit.FakeTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import okhttp3.Call;
import okhttp3.ConnectionPool;
import okhttp3.Dispatcher;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;
import okhttp3.RequestBody;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Clients of one test, and what must be left of them at its end: nothing. */
final class Rig implements AutoCloseable, AfterEachCallback {
  static final RequestBody BODY = RequestBody.create("charge 5", null);

  // Makes the TLS defaults once; each client gets its own pool and dispatcher.
  private static final OkHttpClient BASE = new OkHttpClient();

  final FakeTime time = new FakeTime();
  final Recorder recorder = new Recorder();
  private final List<OkHttpClient> clients = new ArrayList<>();
  private final List<RetryingCallFactory> factories = new ArrayList<>();
  private final List<ScriptedServer> servers = new ArrayList<>();
  private final List<Target> targets = new ArrayList<>();

  /** A server that ends with the test, and has no leaks then. */
  ScriptedServer server() {
    ScriptedServer server = ScriptedServer.start();
    servers.add(server);
    return server;
  }

  /** As {@link #server}, over HTTP/2 if need be. */
  Target target(boolean h2) {
    Target target = new Target(h2);
    targets.add(target);
    return target;
  }

  /** Retries in virtual time, without waiting for them. */
  HttpRetry.Builder retry() {
    return frozen().listener(time.skipWaits());
  }

  /** Retries in virtual time, which the test moves. */
  HttpRetry.Builder frozen() {
    return HttpRetry.builder().environment(time.environment()).listener(recorder);
  }

  HttpRetry once() {
    return retry().policy(RetryPolicy.noRetry()).build();
  }

  HttpRetry keyed() {
    return retry().idempotencyKeys(IdempotencyKeys.randomUuid()).build();
  }

  /** A client with its own pool and dispatcher. */
  static OkHttpClient.Builder builder() {
    return BASE.newBuilder().connectionPool(new ConnectionPool()).dispatcher(new Dispatcher());
  }

  OkHttpClient client(OkHttpClient.Builder builder) {
    OkHttpClient client = builder.build();
    clients.add(client);
    return client;
  }

  Call.Factory plain(OkHttpClient.Builder builder) {
    return client(builder);
  }

  RetryingCallFactory factory(OkHttpClient client, HttpRetry retry) {
    RetryingCallFactory factory = RetryingCallFactory.wrap(client, retry);
    factories.add(factory);
    return factory;
  }

  RetryingCallFactory factory(
      OkHttpClient client, Function<OkHttpClient, Call.Factory> around, HttpRetry retry) {
    RetryingCallFactory factory = RetryingCallFactory.wrap(client, around, retry);
    factories.add(factory);
    return factory;
  }

  RetryingCallFactory factory(HttpRetry retry) {
    return factory(client(builder()), retry);
  }

  Call.Factory calls(Entry entry, OkHttpClient.Builder builder, HttpRetry retry) {
    return entry == Entry.INTERCEPTOR
        ? client(RetryInterceptor.addTo(builder, retry))
        : factory(client(builder), retry);
  }

  /** Ends the clients' threads, and sees that nothing is left behind. */
  @Override
  public void close() throws InterruptedException {
    for (OkHttpClient client : clients) {
      ExecutorService threads = client.dispatcher().executorService();
      threads.shutdown();
      assertTrue(threads.awaitTermination(20, TimeUnit.SECONDS), "callbacks under way");
    }
    for (OkHttpClient client : clients) {
      assertEquals(0, client.dispatcher().runningCallsCount(), "running calls");
      assertEquals(0, client.dispatcher().queuedCallsCount(), "queued calls");
      client.connectionPool().evictAll();
      assertEquals(0, client.connectionPool().connectionCount(), "connections in use");
      for (Interceptor each : client.interceptors()) {
        if (each instanceof RetryInterceptor ours) {
          assertEquals(0, ours.registry().size(), "attempts under way");
          assertEquals(0, ours.around().size(), "calls under way");
        }
      }
    }
    for (RetryingCallFactory factory : factories) {
      assertEquals(0, factory.registry().size(), "attempts under way");
      assertEquals(0, factory.underWay(), "operations under way");
    }
    time.awaitIdle(); // the thread that told the end may still be cancelling its timer
  }

  @Override
  public void afterEach(ExtensionContext context) throws InterruptedException {
    try {
      close();
      for (ScriptedServer server : servers) {
        server.assertNoLeaks();
      }
      for (Target target : targets) {
        target.assertNoLeaks();
      }
    } finally {
      servers.forEach(ScriptedServer::close);
      targets.forEach(Target::close);
    }
  }
}
