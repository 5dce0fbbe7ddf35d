package dev.steadfast.retry.httpclient;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.Retrier;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.tck.Reply;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpResponse.BodySubscriber;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** What a finished operation leaves behind: nothing but the outcome. */
class HeldMemoryTest {
  private final Bench bench = new Bench();
  private final CountDownLatch attached = new CountDownLatch(1);

  @AfterEach
  void close() {
    attached.countDown();
    bench.close();
  }

  // The client's own threads would hold the loader of the thread that made them start.
  private static HttpClient plain() {
    return Bench.plain()
        .executor(task -> {
          Thread thread = new Thread(task, "worker");
          thread.setContextClassLoader(HeldMemoryTest.class.getClassLoader());
          thread.start();
        })
        .build();
  }

  private static RetryingHttpClient client() {
    RetryPolicy policy =
        RetryPolicy.builder()
            .maxAttempts(2)
            .backoff(Backoff.fixed(Duration.ofMillis(1)))
            .totalTimeout(Duration.ofMinutes(1))
            .build();
    return RetryingHttpClient.wrap(plain(), HttpRetry.builder().policy(policy).build());
  }

  /** Objects that an operation gets and that nothing should hold after it, by name. */
  private record Given(Map<String, WeakReference<?>> references) {
    Given() {
      this(new TreeMap<>());
    }

    <T> T noting(String name, T object) {
      references.put(name, new WeakReference<>(object));
      return object;
    }

    /** The names of those that are still held after some collections. */
    List<String> held() {
      long patience = System.nanoTime() + Bench.PATIENCE.toNanos() / 2;
      while (!names().isEmpty() && System.nanoTime() < patience) {
        System.gc();
      }
      return names();
    }

    private List<String> names() {
      return references.entrySet().stream()
          .filter(each -> each.getValue().get() != null)
          .map(Map.Entry::getKey)
          .toList();
    }
  }

  private HttpRequest request(Given given) {
    byte[] body = given.noting("request body", new byte[1 << 20]);
    return HttpRequest.newBuilder(bench.server.uri("/"))
        .PUT(BodyPublishers.ofByteArray(body))
        .build();
  }

  private static BodyHandler<String> handler(Given given) {
    return new Holding(given.noting("handler", new Object()));
  }

  /** A handler that holds something of the caller's. */
  private record Holding(Object mine) implements BodyHandler<String> {
    @Override
    public BodySubscriber<String> apply(HttpResponse.ResponseInfo info) {
      return BodyHandlers.ofString().apply(info);
    }
  }

  private CompletableFuture<HttpResponse<String>> sent(Given given) {
    HttpClient client = given.noting("client", client());
    return withALoader(given, () -> client.sendAsync(request(given), handler(given)));
  }

  private static <T> T withALoader(Given given, Supplier<T> call) {
    ClassLoader before = Thread.currentThread().getContextClassLoader();
    Thread.currentThread()
        .setContextClassLoader(
            given.noting("class loader", new URLClassLoader(new URL[0], before)));
    try {
      return call.get();
    } finally {
      Thread.currentThread().setContextClassLoader(before);
    }
  }

  private static <T> T end(CompletableFuture<T> future) throws Exception {
    return future.get(20, TimeUnit.SECONDS);
  }

  // ---- futures

  @Test
  void aKeptFutureWithoutResponse() throws Exception {
    Given given = new Given();
    bench.server.enqueue(Reply.status(503).delayUntil(attached));
    CompletableFuture<Integer> kept = sent(given).thenApply(HttpResponse::statusCode);
    attached.countDown();
    assertEquals(200, end(kept));
    assertEquals(List.of(), given.held());
    assertNotNull(kept);
  }

  @Test
  void aKeptFutureThatWasDerivedAfterTheEnd() throws Exception {
    Given given = new Given();
    CompletableFuture<Integer> kept = derivedAfterTheEnd(given);
    assertEquals(200, end(kept));
    assertEquals(List.of(), given.held());
    assertNotNull(kept);
  }

  private CompletableFuture<Integer> derivedAfterTheEnd(Given given) throws Exception {
    CompletableFuture<HttpResponse<String>> future = sent(given);
    end(future);
    return future.thenApply(HttpResponse::statusCode);
  }

  @Test
  void aKeptFutureThatFailed() throws Exception {
    Given given = new Given();
    bench.server.defaultReply(Reply.closeAfterRequest());
    CompletableFuture<HttpResponse<String>> kept = sent(given);
    assertThrows(ExecutionException.class, () -> end(kept));
    assertEquals(List.of(), given.held());
    assertNotNull(kept);
  }

  @Test
  void aKeptFutureThatWasCancelled() throws Exception {
    Given given = new Given();
    bench.server.defaultReply(Reply.stallAfterRequest());
    CompletableFuture<HttpResponse<String>> kept = sent(given);
    bench.server.awaitRequests(1, Bench.PATIENCE);
    kept.cancel(true);
    bench.server.awaitNoOpenConnections(Bench.PATIENCE);
    assertEquals(List.of(), given.held());
    assertNotNull(kept);
  }

  @Test
  void aKeptFutureDerivedFromOneThatWasCancelled() throws Exception {
    Given given = new Given();
    bench.server.defaultReply(Reply.stallAfterRequest());
    CompletableFuture<Integer> kept = sent(given).thenApply(HttpResponse::statusCode);
    bench.server.awaitRequests(1, Bench.PATIENCE);
    kept.cancel(true);
    bench.server.awaitNoOpenConnections(Bench.PATIENCE);
    assertEquals(List.of(), given.held());
    assertNotNull(kept);
  }

  @Test
  void aKeptFutureThatEndedAtItsDeadline() throws Exception {
    Given given = new Given();
    bench.server.defaultReply(Reply.stallAfterRequest());
    CompletableFuture<Integer> kept = endedAtItsDeadline(given);
    assertThrows(ExecutionException.class, () -> end(kept));
    assertEquals(List.of(), given.held());
    assertNotNull(kept);
  }

  private CompletableFuture<Integer> endedAtItsDeadline(Given given) {
    RetryPolicy policy = RetryPolicy.builder().totalTimeout(Duration.ofMillis(300)).build();
    HttpClient client =
        RetryingHttpClient.wrap(plain(), HttpRetry.builder().policy(policy).build());
    return given
        .noting("client", client)
        .sendAsync(request(given), handler(given))
        .thenApply(HttpResponse::statusCode);
  }

  /** A response holds its request, with the plain client too; this one is without a body. */
  @Test
  void aKeptResponse() throws Exception {
    Given given = new Given();
    bench.server.enqueue(Reply.status(503));
    HttpResponse<String> kept = answerOfGet(given);
    assertEquals(List.of(), given.held());
    assertEquals(200, kept.statusCode());
  }

  private HttpResponse<String> answerOfGet(Given given) throws Exception {
    HttpClient client = given.noting("client", client());
    return client.send(bench.get(), handler(given));
  }

  // ---- exceptions

  @Test
  void aKeptExceptionOfSend() throws Exception {
    Given given = new Given();
    bench.server.defaultReply(Reply.closeAfterRequest());
    IOException kept = failureOfSend(given);
    assertEquals(List.of(), given.held());
    assertNotNull(kept);
  }

  private IOException failureOfSend(Given given) {
    HttpClient client = given.noting("client", client());
    HttpRequest request = request(given);
    BodyHandler<String> handler = handler(given);
    return assertThrows(IOException.class, () -> client.send(request, handler));
  }

  @Test
  void aKeptExceptionOfSendAsync() throws Exception {
    Given given = new Given();
    bench.server.defaultReply(Reply.closeAfterRequest());
    Throwable kept = failureOfSendAsync(given);
    assertEquals(List.of(), given.held());
    assertNotNull(kept);
  }

  private Throwable failureOfSendAsync(Given given) {
    CompletableFuture<HttpResponse<String>> future = sent(given);
    return assertThrows(ExecutionException.class, () -> end(future));
  }

  // ---- threads

  @Test
  void aThreadThatSent() throws Exception {
    Given given = new Given();
    bench.server.enqueue(Reply.status(503));
    ExecutorService pool = Executors.newSingleThreadExecutor();
    try {
      assertEquals(200, pool.submit(() -> sendWithALoader(given)).get());
      assertEquals(List.of(), given.held());
    } finally {
      pool.shutdownNow();
    }
  }

  private int sendWithALoader(Given given) {
    HttpClient client = given.noting("client", client());
    return withALoader(
        given,
        () -> {
          try {
            return client.send(request(given), handler(given)).statusCode();
          } catch (IOException | InterruptedException failed) {
            throw new IllegalStateException(failed);
          }
        });
  }

  /**
   * The threads that the library starts do not hold the loader of who was first to need them. They
   * end when they have been idle for 10 s, and the test waits for that.
   */
  @Test
  @EnabledIfSystemProperty(named = "steadfast.thorough", matches = "true")
  void theLibraryOfAnApplicationThatWasUndeployed() throws Exception {
    bench.server.defaultReply(Reply.status(200));
    List<URL> own =
        Stream.of(RetryingHttpClient.class, HttpRetry.class, Deployed.class, Bench.class)
            .map(each -> each.getProtectionDomain().getCodeSource().getLocation())
            .distinct()
            .toList();
    WeakReference<ClassLoader> loader = deployAndCall(own.toArray(URL[]::new));
    long patience = System.nanoTime() + Duration.ofSeconds(40).toNanos();
    while (loader.get() != null && System.nanoTime() < patience) {
      System.gc();
      new CountDownLatch(1).await(100, TimeUnit.MILLISECONDS);
    }
    assertNull(loader.get(), "the loader of the application");
  }

  private WeakReference<ClassLoader> deployAndCall(URL[] own) throws Exception {
    try (OwnClassesFirst loader = new OwnClassesFirst(own)) {
      ClassLoader before = Thread.currentThread().getContextClassLoader();
      Thread.currentThread().setContextClassLoader(loader);
      try {
        bench.server.enqueue(Reply.status(503));
        Callable<?> program =
            (Callable<?>)
                loader
                    .loadClass(Deployed.class.getName())
                    .getDeclaredConstructor(String.class)
                    .newInstance(bench.server.uri("/").toString());
        assertEquals(200, program.call());
      } finally {
        Thread.currentThread().setContextClassLoader(before);
      }
      return new WeakReference<>(loader);
    }
  }

  /** Loads the library again, as a servlet container does for each application. */
  private static final class OwnClassesFirst extends URLClassLoader {
    OwnClassesFirst(URL[] own) {
      super(own, HeldMemoryTest.class.getClassLoader());
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (!name.startsWith("dev.steadfast.")) {
        return super.loadClass(name, resolve);
      }
      synchronized (getClassLoadingLock(name)) {
        Class<?> loaded = findLoadedClass(name);
        return loaded == null ? findClass(name) : loaded;
      }
    }
  }

  /** What runs in the application that is undeployed. */
  public static final class Deployed implements Callable<Integer> {
    private final String uri;

    /** Made by reflection, as the class is not the test's own. */
    public Deployed(String uri) {
      this.uri = uri;
    }

    @Override
    public Integer call() throws Exception {
      HttpRequest request = HttpRequest.newBuilder(URI.create(uri)).build();
      RetryingHttpClient client = client();
      client.send(request, BodyHandlers.ofString());
      sendTwiceWithKeyAndPolicy(client);
      sendWithinALayer(client);
      return client.sendAsync(request, BodyHandlers.ofString()).get().statusCode();
    }

    private void sendTwiceWithKeyAndPolicy(RetryingHttpClient client) throws Exception {
      RetryPolicy policy = RetryPolicy.builder().maxAttempts(2).backoff(Backoff.none()).build();
      RetryingHttpClient view =
          client.with(RetryOptions.builder().policy(policy).idempotencyKey("key").build());
      HttpRequest request =
          HttpRequest.newBuilder(URI.create(uri)).POST(BodyPublishers.ofString("body")).build();
      view.send(request, BodyHandlers.ofString());
      view.send(request, BodyHandlers.ofString());
    }

    private void sendWithinALayer(HttpClient client) throws Exception {
      HttpRequest request = HttpRequest.newBuilder(URI.create(uri)).build();
      RetryBudget budget = RetryBudget.awsQuota().acrossOrigins();
      Retrier layer = Retrier.builder().budget(budget.and(RetryBudget.awsQuota())).build();
      layer.call(() -> client.send(request, BodyHandlers.ofString()));
    }
  }
}
