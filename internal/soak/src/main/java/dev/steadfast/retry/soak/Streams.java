package dev.steadfast.retry.soak;

import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.httpclient.RetryingHttpClient;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/**
 * Bodies that are streamed from a healthy server, by a client with the defaults: none may fail, and
 * none may be short.
 */
final class Streams {
  private static final int BODIES = 100_000;
  private static final int THREADS = 4;

  private final SecondJvm server;
  private final HttpClient client;
  private final AtomicInteger next = new AtomicInteger();
  private final Map<String, Integer> failures = new TreeMap<>();

  private Streams(SecondJvm server, HttpClient client) {
    this.server = server;
    this.client = client;
  }

  /** Prints a line for each run of 100,000 bodies. Returns whether there was no failure. */
  static boolean run(int runs) throws Exception {
    boolean clean = true;
    for (int i = 1; i <= runs; i++) {
      long start = System.nanoTime();
      try (SecondJvm server = SecondJvm.start()) {
        HttpClient plain = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        Streams streams = new Streams(server, RetryingHttpClient.wrap(plain, HttpRetry.defaults()));
        streams.read();
        int failed = streams.failures.values().stream().mapToInt(Integer::intValue).sum();
        clean &= failed == 0;
        System.out.printf(
            "run %d: %d bodies, %d failures %s, %d s%n",
            i, BODIES, failed, streams.failures, (System.nanoTime() - start) / 1_000_000_000);
      }
    }
    return clean;
  }

  private void read() throws InterruptedException {
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      Thread thread = Pools.daemons("reads").newThread(this::readMany);
      threads.add(thread);
      thread.start();
    }
    for (Thread each : threads) {
      each.join();
    }
  }

  private void readMany() {
    for (int i = next.getAndIncrement(); i < BODIES; i = next.getAndIncrement()) {
      int size = i % 50 == 0 ? 100_000 : i % 3_000;
      try {
        long got = read(i, size);
        if (got != size) {
          failed("short");
        }
      } catch (Exception broken) {
        failed(broken.toString());
      }
    }
  }

  private synchronized void failed(String how) {
    failures.merge(how, 1, Integer::sum);
  }

  /** Reads a body by one of the ways. Returns how many bytes came. */
  private long read(int number, int size) throws Exception {
    HttpRequest request = HttpRequest.newBuilder(URI.create(server.url("/size/" + size))).build();
    boolean async = number / 4 % 2 == 0;
    return switch (number % 4) {
      case 0 -> {
        try (InputStream body = get(async, request, BodyHandlers.ofInputStream())) {
          yield body.readAllBytes().length;
        }
      }
      case 1 -> {
        // Each line of the server's has one more character, its end; the last one may have none.
        try (Stream<String> lines = get(async, request, BodyHandlers.ofLines())) {
          long characters = lines.mapToLong(line -> line.length() + 1).sum();
          yield characters == size + 1 ? size : characters;
        }
      }
      case 2 -> {
        Counting counting = new Counting();
        get(async, request, BodyHandlers.ofPublisher()).subscribe(counting);
        yield counting.bytes.get(60, TimeUnit.SECONDS);
      }
      default -> {
        Counting counting = new Counting();
        get(async, request, BodyHandlers.fromSubscriber(counting));
        yield counting.bytes.get(60, TimeUnit.SECONDS);
      }
    };
  }

  private <T> T get(boolean async, HttpRequest request, BodyHandler<T> handler)
      throws IOException, InterruptedException {
    HttpResponse<T> response =
        async ? client.sendAsync(request, handler).join() : client.send(request, handler);
    return response.body();
  }

  /** Counts the bytes of a body, one list at a time. */
  private static final class Counting implements Flow.Subscriber<List<ByteBuffer>> {
    final CompletableFuture<Long> bytes = new CompletableFuture<>();
    private Flow.Subscription subscription;
    private long count;

    @Override
    public void onSubscribe(Flow.Subscription to) {
      subscription = to;
      to.request(1);
    }

    @Override
    public void onNext(List<ByteBuffer> buffers) {
      buffers.forEach(each -> count += each.remaining());
      subscription.request(1);
    }

    @Override
    public void onError(Throwable thrown) {
      bytes.completeExceptionally(thrown);
    }

    @Override
    public void onComplete() {
      bytes.complete(count);
    }
  }
}
