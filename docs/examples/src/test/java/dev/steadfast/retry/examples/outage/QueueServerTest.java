package dev.steadfast.retry.examples.outage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.http.HttpRetry;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class QueueServerTest {
  private static final Duration SHORT = Duration.ofNanos(1000);

  private final Tally tally = new Tally(3600);

  private QueueServer server(Duration meanService) throws Exception {
    Stall none = new Stall(0, 0);
    FifoQueue queue = new FifoQueue(1, meanService, none, new SplittableRandom(1));
    World well = new World(World.Kind.STALL, queue, none);
    return new QueueServer(well, tally, System.nanoTime());
  }

  @Test
  void failsAtOnceWhileItRefuses() throws Exception {
    Stall always = new Stall(Long.MIN_VALUE, Long.MAX_VALUE);
    FifoQueue stuck = new FifoQueue(1, SHORT, always, new SplittableRandom(1));
    World failing = new World(World.Kind.FAIL_FAST, stuck, always);
    try (QueueServer server = new QueueServer(failing, tally, System.nanoTime())) {
      HttpRequest request = HttpRequest.newBuilder(server.address()).build();
      int status = HttpClient.newHttpClient().send(request, BodyHandlers.discarding()).statusCode();
      assertEquals(503, status);
      assertEquals(1, attempts());
    }
  }

  @Test
  void countsFirstTriesAndRetries() throws Exception {
    try (QueueServer server = server(SHORT)) {
      HttpClient client = HttpClient.newHttpClient();
      HttpRequest.Builder request = HttpRequest.newBuilder(server.address());
      client.send(request.build(), BodyHandlers.discarding());
      request.header(Policy.RETRY_HEADER, "1");
      int status = client.send(request.build(), BodyHandlers.discarding()).statusCode();
      assertEquals(200, status);
      assertEquals(2, attempts());
      assertEquals(1, firstTries());
    }
  }

  @ParameterizedTest
  @EnumSource(OutageRun.Client.class)
  void bothClientsGetTheirAnswers(OutageRun.Client name) throws Exception {
    try (QueueServer server = server(SHORT);
        OutageClient client = name.connect(server.address(), HttpRetry.defaults())) {
      assertTrue(client.call().get());
    }
  }

  private int attempts() {
    return IntStream.range(0, tally.seconds()).map(tally::attemptsIn).sum();
  }

  private int firstTries() {
    return IntStream.range(0, tally.seconds()).map(tally::firstTriesIn).sum();
  }
}
