package dev.steadfast.retry.ordinary.rows;

import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.ordinary.Entry.Library;
import dev.steadfast.retry.ordinary.Entry.Way;
import dev.steadfast.retry.ordinary.Exchange;
import dev.steadfast.retry.ordinary.Policy;
import dev.steadfast.retry.ordinary.Row;
import java.io.IOException;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** Endpoints that are slower than the defaults, with timeouts that let them live. */
final class SlowRows {
  private SlowRows() {}

  static List<Row> rows() {
    return scaled().toList();
  }

  /** They begin before all others, which run while these wait. */
  static List<Row> inRealTime() {
    return real().toList();
  }

  /** With all limits small: 1.5 s for the attempt or the whole, and a body that takes 2 s. */
  private static Stream<Row> scaled() {
    return Stream.of(
        slow("body that takes longer than the total timeout", 0, 2_000)
            .retry(policy(each -> each.totalTimeout(Duration.ofMillis(1_500))))
            .okHttp(client -> client.get("/"))
            .jdk(client -> client.send(client.request("/").build(), BodyHandlers.ofInputStream())),
        slow("head that takes longer than the attempts before it", 600, 0)
            .retry(policy(each -> each.attemptTimeout(Duration.ofSeconds(20)))),
        slow("body that takes longer than the attempt timeout", 0, 2_000)
            .retry(policy(each -> each.attemptTimeout(Duration.ofMillis(1_500))))
            .okHttp(client -> client.get("/"))
            .jdk(client -> client.send(client.request("/").build(), BodyHandlers.ofInputStream())));
  }

  /** In real time; each way is a row of its own, so that they wait at the same time. */
  private static Stream<Row> real() {
    return Arrays.stream(Way.values()).flatMap(SlowRows::real);
  }

  private static Stream<Row> real(Way way) {
    Row body =
        real("body that takes 35 s", way, 0, 35_000)
            .jdk(client -> client.send(client.request("/").build(), BodyHandlers.ofInputStream()));
    Row request =
        real("head after 12 s, timeout of the request 20 s", way, 12_000, 0)
            .jdk(client ->
                client.send(
                    client.request("/").timeout(Duration.ofSeconds(20)).build(),
                    BodyHandlers.ofString()));
    Row attempt =
        real("head after 12 s, attempt timeout 20 s", way, 12_000, 0)
            .retry(policy(each -> each.attemptTimeout(Duration.ofSeconds(20))));
    Row none = real("head after 12 s, no timeout", way, 12_000, 0);
    return way.library() == Library.OKHTTP
        ? Stream.of(body, attempt, none)
        : Stream.of(body, request, attempt, none);
  }

  private static Row real(String name, Way way, int headMillis, int bodyMillis) {
    return slow(name + ", " + way, headMillis, bodyMillis)
        .ways(way)
        .okHttpClient((builder, run) -> builder.readTimeout(60, TimeUnit.SECONDS))
        .policies(Policy.DEFAULTS)
        .slow();
  }

  private static Consumer<HttpRetry.Builder> policy(Consumer<RetryPolicy.Builder> change) {
    return builder -> {
      RetryPolicy.Builder policy = RetryPolicy.builder();
      change.accept(policy);
      builder.policy(policy.build());
    };
  }

  private static Row slow(String name, int headMillis, int bodyMillis) {
    return Row.named("slow: " + name)
        .answers(exchange -> answer(exchange, headMillis, bodyMillis))
        .program(client -> client.get("/"));
  }

  /** A body in ten parts, over the given time. */
  private static void answer(Exchange exchange, int headMillis, int bodyMillis)
      throws IOException, InterruptedException {
    pause(headMillis);
    exchange.raw(Exchange.head(200, "Content-Length: 50"));
    for (int i = 0; i < 10; i++) {
      exchange.raw("five\n");
      pause(bodyMillis / 10);
    }
  }

  private static void pause(long millis) throws InterruptedException {
    boolean never = new CountDownLatch(1).await(millis, TimeUnit.MILLISECONDS);
    if (never) {
      throw new AssertionError();
    }
  }
}
