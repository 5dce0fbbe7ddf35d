package dev.steadfast.retry.httpclient;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.testkit.FakeTime;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The longest silence of a body is set in the policy. */
class BodyIdleTimeoutTest {
  private static final Duration IDLE = Duration.ofSeconds(2);

  private final FakeTime time = new FakeTime();
  private Peer peer;
  @TempDir private Path folder;

  @BeforeEach
  void listen() throws IOException {
    peer = new Peer();
  }

  @AfterEach
  void close() throws IOException {
    peer.close();
  }

  private HttpClient client(RetryPolicy.Builder policy) {
    HttpRetry retry =
        HttpRetry.builder()
            .policy(policy.maxAttempts(1).noTotalTimeout().build())
            .environment(time.environment())
            .build();
    return RetryingHttpClient.wrap(Bench.plain().build(), retry);
  }

  private void serve(Path file) throws IOException {
    peer.acceptRequest();
    peer.sendHead(200);
    peer.send("part");
    long patience = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while ((!Files.exists(file) || Files.size(file) < 4) && System.nanoTime() < patience) {
      Thread.onSpinWait();
    }
  }

  private HttpRequest get() {
    return HttpRequest.newBuilder(peer.uri()).build();
  }

  @ParameterizedTest
  @EnumSource
  void aDownloadThatStallsEndsAfterIt(Entry entry) throws Throwable {
    Path file = folder.resolve("download");
    HttpClient client = client(RetryPolicy.builder().bodyIdleTimeout(IDLE));
    try (UnderWay<Path> call = UnderWay.call(entry, client, get(), BodyHandlers.ofFile(file))) {
      serve(file);
      for (int i = 0; i < 20 && !call.doneSoon(); i++) {
        time.advance(IDLE);
      }
      assertThrows(HttpTimeoutException.class, call::outcome);
    }
  }

  @ParameterizedTest
  @EnumSource
  void anUploadThatStallsEndsAfterIt(Entry entry) throws Throwable {
    HttpRequest request =
        HttpRequest.newBuilder(peer.uri())
            .PUT(BodyPublishers.ofByteArray(new byte[24 << 20]))
            .build();
    HttpClient client = client(RetryPolicy.builder().bodyIdleTimeout(IDLE));
    try (UnderWay<String> call = UnderWay.call(entry, client, request, BodyHandlers.ofString())) {
      peer.acceptRequest();
      for (int i = 0; i < 20 && !call.doneSoon(); i++) {
        time.advance(IDLE);
      }
      assertThrows(HttpTimeoutException.class, call::outcome);
    }
  }

  @ParameterizedTest
  @EnumSource
  void byDefaultADownloadMayBeSilentForADay(Entry entry) throws Throwable {
    Path file = folder.resolve("download");
    HttpClient client = client(RetryPolicy.builder());
    try (UnderWay<Path> call = UnderWay.call(entry, client, get(), BodyHandlers.ofFile(file))) {
      serve(file);
      time.advance(Duration.ofDays(1));
      peer.closeConnection();
      assertEquals(file, call.outcome().body());
    }
  }
}
