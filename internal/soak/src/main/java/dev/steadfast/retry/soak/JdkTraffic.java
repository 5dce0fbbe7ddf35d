package dev.steadfast.retry.soak;

import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.httpclient.RetryingHttpClient;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Requests of java.net.http: sent and sent asynchronously, with bodies and streams of all kinds.
 */
final class JdkTraffic {
  private final Traffic traffic;
  private final HttpClient client;

  JdkTraffic(Traffic traffic, HttpRetry retry) {
    this.traffic = traffic;
    HttpClient plain =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .executor(Pools.fixed("jdk-client", 16))
            .build();
    this.client = RetryingHttpClient.wrap(plain, retry);
  }

  List<Runnable> kinds() {
    return List.of(
        () -> send("send, ofByteArray", BodyHandlers.ofByteArray(), body -> {}),
        () -> sendAsync("sendAsync, ofString", BodyHandlers.ofString(), body -> {}),
        () -> sendAsync("sendAsync, discarding", BodyHandlers.discarding(), body -> {}),
        () -> send("send, ofInputStream", BodyHandlers.ofInputStream(), JdkTraffic::read),
        () -> sendAsync("sendAsync, ofInputStream", BodyHandlers.ofInputStream(), JdkTraffic::read),
        () -> send("send, ofLines", BodyHandlers.ofLines(), JdkTraffic::readLines),
        () -> sendAsync("sendAsync, ofLines", BodyHandlers.ofLines(), JdkTraffic::readLines),
        () -> sendAsync("sendAsync, ofPublisher", BodyHandlers.ofPublisher(), this::subscribe),
        () -> sendAsync("sendAsync, subscriber", subscriber(), body -> {}));
  }

  /** What a program does with a body. */
  private interface Use<T> {
    void of(T body) throws Exception;
  }

  private HttpRequest request() {
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(traffic.path()));
    return switch (ThreadLocalRandom.current().nextInt(4)) {
      case 0 -> request.PUT(BodyPublishers.ofByteArray(new byte[1_000])).build();
      case 1 -> request.POST(BodyPublishers.ofByteArray(new byte[1_000])).build();
      default -> request.build();
    };
  }

  private <T> void send(String name, BodyHandler<T> handler, Use<T> use) {
    traffic.call(
        name,
        operation -> {
          T body;
          try {
            body = client.send(request(), handler).body();
          } catch (IOException | InterruptedException failed) {
            operation.ended();
            return;
          }
          operation.ended(Runnable::run, () -> use.of(body));
        });
  }

  private <T> void sendAsync(String name, BodyHandler<T> handler, Use<T> use) {
    Traffic.Operation operation = traffic.begin(name);
    CompletableFuture<java.net.http.HttpResponse<T>> future = client.sendAsync(request(), handler);
    // Of a response that comes with the cancel nobody has the body, so the body ends the wait.
    operation.perhapsCancel(() -> future.cancel(true));
    future.whenComplete((response, thrown) -> {
      if (response == null) {
        operation.ended();
      } else {
        operation.ended(traffic.readers, () -> use.of(response.body()));
      }
    });
  }

  /** Reads all, a part or nothing; sometimes late. */
  private static void read(InputStream body) throws IOException, InterruptedException {
    try (body) {
      switch (ThreadLocalRandom.current().nextInt(4)) {
        case 0 -> body.readNBytes(100);
        case 1 -> Thread.sleep(ThreadLocalRandom.current().nextInt(300)); // and then unread
        default -> body.readAllBytes();
      }
    }
  }

  private static void readLines(Stream<String> lines) {
    try (lines) {
      long most = ThreadLocalRandom.current().nextBoolean() ? 1 : Long.MAX_VALUE;
      lines.limit(most).forEach(line -> {});
    }
  }

  private void subscribe(Flow.Publisher<List<ByteBuffer>> body) throws Exception {
    Taking taking = new Taking(traffic.ledger, ThreadLocalRandom.current().nextBoolean());
    body.subscribe(taking);
    taking.over.get(10, TimeUnit.SECONDS);
  }

  private BodyHandler<Void> subscriber() {
    return BodyHandlers.fromSubscriber(new Taking(traffic.ledger, false));
  }

  /** A subscriber of a program's own, which takes one list at a time. */
  private static final class Taking implements Flow.Subscriber<List<ByteBuffer>> {
    final CompletableFuture<Void> over = new CompletableFuture<>();
    private final Ledger ledger;
    private final boolean leaves;
    private Flow.Subscription subscription;

    Taking(Ledger ledger, boolean leaves) {
      this.ledger = ledger;
      this.leaves = leaves;
    }

    @Override
    public void onSubscribe(Flow.Subscription to) {
      if (subscription != null) {
        ledger.defect("a subscriber was subscribed twice");
      }
      subscription = to;
      to.request(1);
    }

    @Override
    public void onNext(List<ByteBuffer> buffers) {
      if (leaves) {
        subscription.cancel();
        over.complete(null);
      } else {
        subscription.request(1);
      }
    }

    @Override
    public void onError(Throwable thrown) {
      end();
    }

    @Override
    public void onComplete() {
      end();
    }

    private void end() {
      if (!over.complete(null) && !leaves) {
        ledger.defect("a subscriber was told of two ends");
      }
    }
  }
}
