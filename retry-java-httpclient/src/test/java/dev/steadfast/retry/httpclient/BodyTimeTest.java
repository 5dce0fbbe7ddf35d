package dev.steadfast.retry.httpclient;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.testkit.FakeTime;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What bounds a body: the total timeout, the idle timeout or the caller's own deadline. */
class BodyTimeTest {
  private static final Duration TOTAL = Duration.ofSeconds(5);
  private static final Duration STEP = Duration.ofSeconds(10);
  private static final int STEPS = 5; // ten times the total timeout
  private static final Duration IDLE = Duration.ofSeconds(30);
  private static final int PART = 8 << 20; // more than the sockets buffer

  private final FakeTime time = new FakeTime();
  private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
  @AutoClose private Peer peer;
  @TempDir private Path folder;

  @BeforeEach
  void listen() throws IOException {
    peer = new Peer();
  }

  private RetryingHttpClient client(RetryPolicy.Builder policy) {
    HttpRetry retry =
        HttpRetry.builder().policy(policy.build()).environment(time.environment()).build();
    return RetryingHttpClient.wrap(Bench.plain().build(), retry);
  }

  private RetryingHttpClient client() {
    return client(RetryPolicy.builder().totalTimeout(TOTAL).bodyIdleTimeout(IDLE));
  }

  // A further attempt would be silent, too, and nothing would end it.
  private static RetryPolicy.Builder once() {
    return RetryPolicy.builder().noTotalTimeout().maxAttempts(1).bodyIdleTimeout(IDLE);
  }

  private RetryingHttpClient clientWithoutTotal() {
    return client(RetryPolicy.builder().noTotalTimeout().bodyIdleTimeout(IDLE));
  }

  private HttpRequest get() {
    return HttpRequest.newBuilder(peer.uri()).build();
  }

  private HttpRequest upload(int parts) {
    return HttpRequest.newBuilder(peer.uri())
        .PUT(BodyPublishers.ofByteArray(new byte[parts * PART]))
        .build();
  }

  private BodyHandler<Void> eventStream() {
    return BodyHandlers.fromLineSubscriber(new Lines());
  }

  private final class Lines implements Flow.Subscriber<String> {
    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      subscription.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(String line) {
      lines.add(line);
    }

    @Override
    public void onError(Throwable failure) {}

    @Override
    public void onComplete() {}
  }

  private void line(String line) throws Exception {
    peer.send(line + "\n");
    assertEquals(line, lines.poll(20, TimeUnit.SECONDS));
  }

  private static void awaitSize(Path file, int bytes) throws IOException {
    long patience = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (!Files.exists(file) || Files.size(file) < bytes) {
      assertTrue(System.nanoTime() < patience, "the file grows");
      Thread.onSpinWait();
    }
  }

  private void advanceUntilDone(CompletableFuture<?> end) throws InterruptedException {
    for (int i = 0; i < 20 && !UnderWay.doneSoon(end); i++) {
      time.advance(IDLE.plusSeconds(1));
    }
  }

  // ---- what may outlive the total timeout

  @ParameterizedTest
  @EnumSource
  void anEventStreamOutlivesTheTotalTimeout(Entry entry) throws Throwable {
    try (UnderWay<Void> call = UnderWay.call(entry, client(), get(), eventStream())) {
      peer.acceptRequest();
      peer.sendHead(200);
      line("begin");
      for (int i = 0; i < STEPS; i++) {
        time.advance(STEP);
        line("line " + i);
      }
      peer.closeConnection();
      assertEquals(200, call.outcome().statusCode());
    }
  }

  @ParameterizedTest
  @EnumSource
  void aDownloadToAFileOutlivesTheTotalTimeout(Entry entry) throws Throwable {
    Path file = folder.resolve("download");
    try (UnderWay<Path> call = UnderWay.call(entry, client(), get(), BodyHandlers.ofFile(file))) {
      peer.acceptRequest();
      peer.sendHead(200);
      peer.send("part");
      awaitSize(file, 4);
      for (int i = 0; i < STEPS; i++) {
        time.advance(STEP);
        peer.send("part");
        awaitSize(file, 4 * (i + 2));
      }
      peer.closeConnection();
      assertEquals(file, call.outcome().body());
    }
  }

  @ParameterizedTest
  @EnumSource
  void anUploadOutlivesTheTotalTimeout(Entry entry) throws Throwable {
    try (UnderWay<String> call =
        UnderWay.call(entry, client(), upload(STEPS + 1), BodyHandlers.ofString())) {
      peer.acceptRequest();
      for (int i = 0; i < STEPS; i++) {
        peer.readBody(PART);
        time.advance(STEP);
      }
      peer.readBody(PART);
      peer.sendEmptyAnswer(200);
      HttpResponse<String> response = call.outcome();
      assertEquals(200, response.statusCode());
      assertEquals(1, peer.accepted());
    }
  }

  @Test
  void aStreamThatWasHandedOverOutlivesTheTotalTimeout() throws Throwable {
    try (UnderWay<InputStream> call =
        UnderWay.call(Entry.SEND, client(), get(), BodyHandlers.ofInputStream())) {
      peer.acceptRequest();
      peer.sendHead(200);
      try (InputStream body = call.outcome().body()) {
        for (int i = 0; i < STEPS; i++) {
          peer.send("x");
          assertEquals('x', body.read());
          time.advance(STEP);
        }
      }
    }
  }

  // ---- what may not

  @ParameterizedTest
  @EnumSource
  void aBodyInMemoryEndsByTheTotalTimeout(Entry entry) throws Throwable {
    try (UnderWay<String> call = UnderWay.call(entry, client(), get(), BodyHandlers.ofString())) {
      peer.acceptRequest();
      peer.sendHead(200);
      for (int i = 0; i < 3 && !call.doneSoon(); i++) {
        peer.send("more");
        time.advance(TOTAL.dividedBy(2));
      }
      assertThrows(HttpTimeoutException.class, call::outcome);
    }
  }

  // ---- what stalls

  @ParameterizedTest
  @EnumSource
  void anEventStreamThatStallsEndsByTheIdleTimeout(Entry entry) throws Throwable {
    try (UnderWay<Void> call = UnderWay.call(entry, clientWithoutTotal(), get(), eventStream())) {
      peer.acceptRequest();
      peer.sendHead(200);
      line("begin");
      time.advance(IDLE.minusSeconds(1));
      line("just in time");
      time.advance(IDLE.minusSeconds(1));
      line("just in time again");
      advanceUntilDone(call.end());
      assertThrows(HttpTimeoutException.class, call::outcome);
    }
  }

  @ParameterizedTest
  @EnumSource
  void aDownloadThatStallsEndsByTheIdleTimeout(Entry entry) throws Throwable {
    Path file = folder.resolve("download");
    try (UnderWay<Path> call =
        UnderWay.call(entry, client(once()), get(), BodyHandlers.ofFile(file))) {
      peer.acceptRequest();
      peer.sendHead(200);
      peer.send("part");
      awaitSize(file, 4);
      advanceUntilDone(call.end());
      assertThrows(HttpTimeoutException.class, call::outcome);
    }
  }

  @ParameterizedTest
  @EnumSource
  void anUploadThatStallsEndsByTheIdleTimeout(Entry entry) throws Throwable {
    try (UnderWay<String> call =
        UnderWay.call(entry, client(once()), upload(3), BodyHandlers.ofString())) {
      peer.acceptRequest();
      peer.readBody(PART);
      advanceUntilDone(call.end());
      assertThrows(HttpTimeoutException.class, call::outcome);
    }
  }

  @Test
  void aStreamThatStallsAfterItWasHandedOverEndsByTheIdleTimeout() throws Throwable {
    try (UnderWay<InputStream> call =
        UnderWay.call(Entry.SEND, client(), get(), BodyHandlers.ofInputStream())) {
      peer.acceptRequest();
      peer.sendHead(200);
      peer.send("x");
      try (InputStream body = call.outcome().body()) {
        assertEquals('x', body.read());
        CompletableFuture<Integer> read = reading(body);
        advanceUntilDone(read);
        assertTimeoutOf(read);
      }
    }
  }

  private static CompletableFuture<Integer> reading(InputStream body) {
    CompletableFuture<Integer> read = new CompletableFuture<>();
    Thread reader =
        new Thread(
            () -> {
              try {
                read.complete(body.read());
              } catch (IOException failed) {
                read.completeExceptionally(failed);
              }
            },
            "reader");
    reader.setDaemon(true);
    reader.start();
    return read;
  }

  private static void assertTimeoutOf(CompletableFuture<Integer> read) throws Exception {
    ExecutionException thrown =
        assertThrows(ExecutionException.class, () -> read.get(20, TimeUnit.SECONDS));
    assertTrue(
        Stream.<Throwable>iterate(thrown, Objects::nonNull, Throwable::getCause)
            .anyMatch(HttpTimeoutException.class::isInstance),
        () -> "ended with " + thrown.getCause());
  }

  @ParameterizedTest
  @EnumSource
  void byDefaultADownloadMayBeSilentForADay(Entry entry) throws Throwable {
    Path file = folder.resolve("download");
    RetryPolicy.Builder usual = RetryPolicy.builder().noTotalTimeout().maxAttempts(1);
    try (UnderWay<Path> call =
        UnderWay.call(entry, client(usual), get(), BodyHandlers.ofFile(file))) {
      peer.acceptRequest();
      peer.sendHead(200);
      peer.send("part");
      awaitSize(file, 4);
      time.advance(Duration.ofDays(1));
      peer.closeConnection();
      assertEquals(file, call.outcome().body());
    }
  }

  // ---- what breaks late

  @ParameterizedTest
  @EnumSource
  void aBodyThatBreaksAfterTheTotalTimeoutIsNotRetried(Entry entry) throws Throwable {
    Path file = folder.resolve("download");
    try (UnderWay<Path> call = UnderWay.call(entry, client(), get(), BodyHandlers.ofFile(file))) {
      peer.acceptRequest();
      peer.send("HTTP/1.1 200 \r\nContent-Length: 100\r\n\r\npart");
      awaitSize(file, 4);
      time.advance(STEP);
      peer.closeConnection();
      IOException thrown = assertThrows(IOException.class, call::outcome);
      assertFalse(thrown instanceof HttpTimeoutException, thrown::toString);
      assertEquals(1, RetryReport.of(thrown).orElseThrow().attempts());
    }
  }

  // ---- the caller's own deadline bounds everything

  private HttpClient withDeadline() {
    RetryOptions options = RetryOptions.builder().deadline(TOTAL).build();
    return clientWithoutTotal().with(options);
  }

  @ParameterizedTest
  @EnumSource
  void anEventStreamEndsByADeadline(Entry entry) throws Throwable {
    try (UnderWay<Void> call = UnderWay.call(entry, withDeadline(), get(), eventStream())) {
      peer.acceptRequest();
      peer.sendHead(200);
      line("begin");
      time.advance(TOTAL.dividedBy(2));
      line("middle");
      time.advance(TOTAL.dividedBy(2));
      assertThrows(HttpTimeoutException.class, call::outcome);
    }
  }

  @ParameterizedTest
  @EnumSource
  void aDownloadEndsByADeadline(Entry entry) throws Throwable {
    Path file = folder.resolve("download");
    try (UnderWay<Path> call =
        UnderWay.call(entry, withDeadline(), get(), BodyHandlers.ofFile(file))) {
      peer.acceptRequest();
      peer.sendHead(200);
      peer.send("part");
      awaitSize(file, 4);
      time.advance(TOTAL);
      assertThrows(HttpTimeoutException.class, call::outcome);
    }
  }

  @ParameterizedTest
  @EnumSource
  void anUploadEndsByADeadline(Entry entry) throws Throwable {
    try (UnderWay<String> call =
        UnderWay.call(entry, withDeadline(), upload(3), BodyHandlers.ofString())) {
      peer.acceptRequest();
      peer.readBody(PART);
      time.advance(TOTAL);
      assertThrows(HttpTimeoutException.class, call::outcome);
    }
  }

  @ParameterizedTest
  @EnumSource
  void aStreamThatWasHandedOverEndsByADeadline(Entry entry) throws Throwable {
    try (UnderWay<InputStream> call =
        UnderWay.call(entry, withDeadline(), get(), BodyHandlers.ofInputStream())) {
      peer.acceptRequest();
      peer.sendHead(200);
      peer.send("x");
      try (InputStream body = call.outcome().body()) {
        assertEquals('x', body.read());
        CompletableFuture<Integer> read = reading(body);
        time.advance(TOTAL);
        assertTimeoutOf(read);
      }
    }
  }
}
