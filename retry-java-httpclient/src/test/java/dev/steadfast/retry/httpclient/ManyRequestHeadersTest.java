package dev.steadfast.retry.httpclient;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.tck.Received;
import dev.steadfast.retry.tck.Reply;
import java.lang.management.ManagementFactory;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is added to a request costs little beside what the client does with its headers. */
class ManyRequestHeadersTest {
  private static final int HEADERS = 4_000;
  // A copy by the JDK's builder makes 336 bytes or more of each.
  private static final long MOST_BYTES_PER_HEADER = 250;

  @RegisterExtension private final Bench bench = new Bench();

  private HttpRequest request(int headers) {
    HttpRequest.Builder builder =
        HttpRequest.newBuilder(bench.server.uri("/pay")).POST(BodyPublishers.ofString("100"));
    for (int i = 0; i < headers; i++) {
      builder.header("h" + i, "v");
    }
    return builder.build();
  }

  private static long allocated() {
    return ((ThreadMXBean) ManagementFactory.getThreadMXBean()).getCurrentThreadAllocatedBytes();
  }

  /** What the calling thread allocates before the client gets the request. */
  private long prepared(Entry entry, int headers) throws Throwable {
    HttpRequest request = request(headers);
    long[] atClient = new long[1];
    HttpClient client =
        RetryingHttpClient.wrap(
                new OwnDelegate(Bench.plain().build(), () -> atClient[0] = allocated()),
                HttpRetry.builder()
                    .oncePerAttempt(
                        "x-attempt", (operation, number) -> Optional.of(Integer.toString(number)))
                    .build())
            .with(RetryOptions.builder().idempotencyKey("order-1").build());
    long before = allocated();
    entry.call(client, request, BodyHandlers.ofString());
    return atClient[0] - before;
  }

  @ParameterizedTest
  @EnumSource
  void theHeadersOfTheCallerAreCopiedOnce(Entry entry) throws Throwable {
    prepared(entry, 1); // loads classes
    long few = prepared(entry, 1);
    long many = prepared(entry, HEADERS);
    long perHeader = (many - few) / (HEADERS - 1);
    assertTrue(perHeader <= MOST_BYTES_PER_HEADER, perHeader + " bytes per header");
  }

  @Test
  void theCallersHeadersAndBodyStay() throws Throwable {
    bench.server.enqueue(Reply.status(503));
    HttpClient client =
        bench.client(
            bench
                .retry()
                .oncePerAttempt(
                    "x-attempt", (operation, number) -> Optional.of(Integer.toString(number))));
    HttpRequest request =
        HttpRequest.newBuilder(bench.server.uri("/things"))
            .header("X-Several", "a")
            .header("X-Several", "b")
            .PUT(BodyPublishers.ofString("100"))
            .build();

    client.send(request, BodyHandlers.ofString());

    List<Received> requests = bench.server.requests();
    assertEquals(2, requests.size());
    for (int i = 0; i < 2; i++) {
      Received each = requests.get(i);
      assertEquals(List.of(Integer.toString(i + 1)), each.headerValues("x-attempt"));
      assertEquals(List.of("a", "b"), each.headerValues("X-Several"));
      assertEquals("100", each.bodyText());
    }
  }
}
