package dev.steadfast.retry.examples.chain;

import com.sun.net.httpserver.Filter;
import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.httpclient.RetryingHttpClient;
import dev.steadfast.retry.server.HttpServerScope;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntUnaryOperator;

/** The bottom, the services A, B and C, and the driver that calls A. */
final class CallChain implements AutoCloseable {
  static final int ATTEMPTS = 3;
  static final int LAYERS = 4; // the driver, A, B and C

  /**
   * Requests at the top that are under way at one time, and so the threads that a service needs.
   */
  private static final int TOGETHER = 8;

  private static final HttpClient PLAIN =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  // No waits, which would change the time that it takes and nothing else.
  private static final RetryPolicy POLICY =
      RetryPolicy.builder()
          .maxAttempts(ATTEMPTS)
          .backoff(Backoff.none())
          .totalTimeout(Duration.ofMinutes(2))
          .build();

  private final Layering layering;
  private final AtomicLong arrivals = new AtomicLong();
  private final Deque<Service> services = new ArrayDeque<>(); // the first one is called
  private final IntUnaryOperator driver;

  CallChain(Layering layering, Coin coin) throws IOException {
    this.layering = layering;
    start(
        number -> {
          arrivals.incrementAndGet();
          return coin.fails(number) ? 503 : 200;
        },
        List.of());
    List<Filter> filters =
        layering == Layering.EVERY_LAYER ? List.of() : List.of(HttpServerScope.filter());
    for (int layer = 1; layer < LAYERS; layer++) {
      start(caller(false), filters);
    }
    this.driver = caller(true);
  }

  private void start(IntUnaryOperator statusOf, List<Filter> filters) throws IOException {
    services.push(new Service(statusOf, filters, Executors.newFixedThreadPool(TOGETHER)));
  }

  /** Calls the service that was started last, and answers as it does. */
  private IntUnaryOperator caller(boolean owner) {
    String next = services.element().origin();
    HttpRetry retry = layering.configure(HttpRetry.builder().policy(POLICY), owner, next).build();
    // The JDK resends a GET by itself when a connection breaks, which would count as a request; a
    // POST it does not, and here it may be repeated.
    RetryOptions repeatable = RetryOptions.builder().replayable(true).paidRepeats(100).build();
    RetryingHttpClient client = RetryingHttpClient.wrap(PLAIN, retry).with(repeatable);
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(next)).POST(BodyPublishers.noBody()).build();
    return number -> status(client, request, number);
  }

  private static int status(RetryingHttpClient client, HttpRequest request, int number) {
    HttpRequest numbered =
        HttpRequest.newBuilder(request, (name, value) -> true)
            .header(Service.NUMBER, Integer.toString(number))
            .build();
    try {
      return client.send(numbered, BodyHandlers.discarding()).statusCode();
    } catch (IOException | InterruptedException broken) {
      throw new IllegalStateException("request " + number + " got no answer", broken);
    }
  }

  Run run(int requests) throws InterruptedException {
    AtomicInteger next = new AtomicInteger();
    ExecutorService threads = Executors.newFixedThreadPool(TOGETHER);
    long start = System.nanoTime();
    try {
      List<Future<?>> workers = new ArrayList<>();
      for (int i = 0; i < TOGETHER; i++) {
        workers.add(threads.submit(() -> drive(next, requests)));
      }
      for (Future<?> worker : workers) {
        worker.get();
      }
    } catch (ExecutionException broken) {
      throw new IllegalStateException(broken.getCause());
    } finally {
      threads.shutdownNow();
    }
    return new Run(requests, arrivals.get(), (System.nanoTime() - start) / 1e9);
  }

  private void drive(AtomicInteger next, int requests) {
    for (int number = next.getAndIncrement(); number < requests; number = next.getAndIncrement()) {
      int status = driver.applyAsInt(number);
      if (status != 200 && status != 503) {
        throw new IllegalStateException("request " + number + " was answered with " + status);
      }
    }
  }

  @Override
  public void close() {
    services.forEach(Service::close);
  }
}
