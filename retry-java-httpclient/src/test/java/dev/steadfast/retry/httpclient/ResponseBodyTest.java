package dev.steadfast.retry.httpclient;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.TRUNCATE_EXISTING;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.Disposition;
import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.tck.Reply;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.net.http.HttpTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which bodies reach the caller's handler, and what becomes of the others. */
class ResponseBodyTest {
  private static final Duration LONGEST_DISCARD = Duration.ofNanos(99_999_999);

  @RegisterExtension private final Bench bench = new Bench();
  private final AtomicInteger handled = new AtomicInteger();

  private <T> BodyHandler<T> counting(BodyHandler<T> handler) {
    return info -> {
      handled.incrementAndGet();
      return handler.apply(info);
    };
  }

  private static RetryReport report(Throwable thrown) {
    return RetryReport.of(thrown).orElseThrow();
  }

  // ---- responses that are followed by another attempt

  @ParameterizedTest
  @EnumSource
  void errorPageOfARetriedAttemptNeverReachesTheHandler(Entry entry, @TempDir Path folder)
      throws Throwable {
    Path file = folder.resolve("download");
    bench.server.enqueue(
        Reply.status(503).body("a long page about an error"),
        Reply.status(502).body("another"),
        Reply.status(200).body("data"));

    HttpResponse<Path> response =
        entry.call(bench.client(), bench.get(), counting(BodyHandlers.ofFile(file)));

    assertEquals(file, response.body());
    assertEquals("data", Files.readString(file));
    assertEquals(1, handled.get());
  }

  @Test
  void stalledDiscardedBodyIsCutOff() throws Throwable {
    bench.server.enqueue(Reply.stalledBody(503, 100, "abc"));
    CompletableFuture<HttpResponse<String>> future =
        bench
            .client(bench.retryWithWaits())
            .sendAsync(bench.get(), counting(BodyHandlers.ofString()));
    bench.awaitWait(LONGEST_DISCARD);

    bench.time.advance(LONGEST_DISCARD);

    HttpResponse<String> response = Entry.outcome(future);
    assertEquals("ok", response.body());
    assertEquals(1, handled.get());
    assertEquals(1, JdkReports.of(response).last().orElseThrow().startedAfter().toMillis() / 99);
  }

  @Test
  void deadlineEndsADiscardToo() throws Exception {
    bench.server.defaultReply(Reply.stalledBody(503, 100, "abc"));
    RetryPolicy policy = RetryPolicy.builder().totalTimeout(Duration.ofMillis(50)).build();
    CompletableFuture<HttpResponse<String>> future =
        bench
            .client(bench.retryWithWaits().policy(policy))
            .sendAsync(bench.get(), BodyHandlers.ofString());
    bench.awaitWait(LONGEST_DISCARD);

    bench.time.advance(Duration.ofMillis(50));

    Throwable thrown = assertThrows(HttpTimeoutException.class, () -> Entry.outcome(future));
    assertEquals(StopReason.DEADLINE, report(thrown).reason());
    bench.server.awaitNoOpenConnections(Bench.PATIENCE);
    bench.awaitNothingScheduled();
  }

  // ---- bodies that break

  @ParameterizedTest
  @EnumSource
  void bodyThatBreaksWhileItIsCollectedIsRetriedWithANewHandler(Entry entry) throws Throwable {
    bench.server.enqueue(Reply.truncatedBody(200, 100, "abc"));
    HttpResponse<String> response =
        entry.call(bench.client(), bench.put("a"), counting(BodyHandlers.ofString()));
    assertEquals("ok", response.body());
    assertEquals(2, handled.get());
    RetryReport report = JdkReports.of(response);
    assertEquals(FailureKind.BROKEN_BODY, report.attemptReports().get(0).kind().orElseThrow());
    assertEquals(Disposition.ANSWERED, report.attemptReports().get(0).disposition());
    assertTrue(report.earlierAttemptMayHaveActed());
  }

  @Test
  void fileIsWrittenFromItsStartAfterABodyThatBroke(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("download");
    bench.server.enqueue(Reply.truncatedBody(200, 100, "a long beginning"));
    bench
        .client()
        .send(bench.put("a"), BodyHandlers.ofFile(file, CREATE, WRITE, TRUNCATE_EXISTING));
    assertEquals("ok", Files.readString(file));
  }

  @Test
  void fileThatIsNotTruncatedKeepsTheTailOfABodyThatBroke(@TempDir Path folder) throws Exception {
    // What ofFile does without options, and why the documentation names them.
    Path file = folder.resolve("download");
    bench.server.enqueue(Reply.truncatedBody(200, 100, "a long beginning"));
    bench.client().send(bench.put("a"), BodyHandlers.ofFile(file));
    assertEquals("oklong beginning", Files.readString(file));
  }

  /** It has seen the beginning, and the error: nothing may follow that. */
  @ParameterizedTest
  @ValueSource(strings = {"lines", "buffers", "consumer", "buffering", "mapping", "own"})
  void brokenBodyIsNotHandedTwiceToTheCallersCode(String kind) {
    bench.server.enqueue(Reply.truncatedBody(200, 100, "a\nb\n"));
    List<String> seen = new CopyOnWriteArrayList<>();
    IOException thrown =
        assertThrows(
            IOException.class, () -> bench.client().send(bench.put("a"), handingOn(kind, seen)));
    assertEquals(StopReason.NOT_RETRYABLE, report(thrown).reason());
    assertEquals(FailureKind.BROKEN_BODY, report(thrown).last().orElseThrow().kind().orElseThrow());
    assertEquals(1, bench.server.requests().size());
    assertEquals(1, seen.stream().filter(each -> each.startsWith("a")).count(), seen::toString);
  }

  private static BodyHandler<Void> handingOn(String kind, List<String> seen) {
    return switch (kind) {
      case "lines" -> BodyHandlers.fromLineSubscriber(new Noting<String>(seen, line -> line));
      case "buffers" ->
          BodyHandlers.fromSubscriber(new Noting<>(seen, ResponseBodyTest::firstAsText));
      case "buffering" -> BodyHandlers.buffering(handingOn("buffers", seen), 1);
      case "mapping" ->
          info ->
              BodySubscribers.mapping(
                  handingOn("buffers", seen).apply(info), UnaryOperator.identity());
      case "own" -> info -> new PassingSubscriber<>(handingOn("buffers", seen).apply(info));
      default ->
          BodyHandlers.ofByteArrayConsumer(bytes ->
              seen.add(bytes.map(some -> new String(some, StandardCharsets.UTF_8)).orElse("end")));
    };
  }

  private static String firstAsText(List<ByteBuffer> buffers) {
    return StandardCharsets.UTF_8.decode(buffers.get(0)).toString();
  }

  private record Noting<T>(List<String> seen, Function<T, String> text)
      implements Flow.Subscriber<T> {
    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      subscription.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(T item) {
      seen.add(text.apply(item));
    }

    @Override
    public void onError(Throwable failure) {
      seen.add("error");
    }

    @Override
    public void onComplete() {
      seen.add("end");
    }
  }

  @Test
  void bodyThatBreaksOnALastFailureEndsAsThatFailure() {
    bench.server.defaultReply(Reply.truncatedBody(404, 100, "abc"));
    IOException thrown =
        assertThrows(
            IOException.class, () -> bench.client().send(bench.put("a"), BodyHandlers.ofString()));
    assertEquals(StopReason.NOT_RETRYABLE, report(thrown).reason());
    assertEquals(404, report(thrown).last().orElseThrow().status().orElseThrow());
    assertEquals(1, bench.server.requests().size());
  }

  @Test
  void readingAStreamIsTheCallers() throws Exception {
    bench.server.defaultReply(Reply.truncatedBody(200, 100, "abc"));
    HttpResponse<InputStream> response =
        bench.client().send(bench.put("a"), BodyHandlers.ofInputStream());
    assertEquals(JdkReports.of(response).reason(), StopReason.ACCEPTED);
    assertThrows(IOException.class, () -> response.body().readAllBytes());
    assertEquals(1, bench.server.requests().size());
  }

  @Test
  void deadlineDoesNotReachAStreamThatWasHandedOver() throws Exception {
    bench.server.defaultReply(Reply.endlessBody(200));
    RetryPolicy policy = RetryPolicy.builder().noBodyIdleTimeout().build();
    HttpResponse<InputStream> response =
        bench
            .client()
            .with(RetryOptions.builder().policy(policy).build())
            .send(bench.get(), BodyHandlers.ofInputStream());
    bench.time.advance(Duration.ofHours(1));
    try (InputStream body = response.body()) {
      int more = 50_000_000; // than can be on its way
      body.skipNBytes(more);
    }
  }

  // ---- bodies that do not come

  private void advanceOnAnotherThread(Duration duration) {
    new Thread(() -> bench.time.advance(duration), "clock").start();
  }

  @Test
  void timeOfAnAttemptEndsWithTheHead() throws Throwable {
    CountDownLatch collecting = new CountDownLatch(1);
    bench.server.defaultReply(Reply.stalledBody(200, 100, "abc"));
    RetryPolicy policy = RetryPolicy.builder().attemptTimeout(Duration.ofSeconds(5)).build();
    CompletableFuture<HttpResponse<String>> future =
        bench
            .client(bench.retry().policy(policy))
            .sendAsync(
                bench.get(),
                info -> {
                  collecting.countDown();
                  return BodyHandlers.ofString().apply(info);
                });
    assertTrue(collecting.await(20, TimeUnit.SECONDS));

    bench.time.advance(Duration.ofSeconds(29));
    assertFalse(future.isDone());
    bench.time.advance(Duration.ofSeconds(1));

    Throwable thrown = assertThrows(HttpTimeoutException.class, () -> Entry.outcome(future));
    assertEquals(StopReason.DEADLINE, report(thrown).reason());
    assertEquals(1, report(thrown).attempts());
    assertEquals(Duration.ofSeconds(30), report(thrown).elapsed());
  }

  @Test
  void deadlineEndsAHandlerThatNeverFinishes() throws Throwable {
    CompletableFuture<HttpResponse<Void>> future =
        bench
            .client()
            .with(RetryOptions.builder().deadline(Duration.ofSeconds(30)).build())
            .sendAsync(
                bench.get(),
                info -> {
                  advanceOnAnotherThread(Duration.ofSeconds(30));
                  return new OwnSubscriber<>(new CompletableFuture<Void>());
                });
    Throwable thrown = assertThrows(HttpTimeoutException.class, () -> Entry.outcome(future));
    assertEquals(StopReason.DEADLINE, report(thrown).reason());
  }

  // ---- code of the caller's

  private void endsWith(Throwable mine, BodyHandler<Object> handler) {
    for (Entry entry : Entry.values()) {
      int before = bench.server.requests().size();
      Throwable thrown =
          assertThrows(Throwable.class, () -> entry.call(bench.client(), bench.put("a"), handler));
      // The client's send wraps it in an exception with the frames of the caller.
      assertTrue(mine.equals(thrown) || mine.equals(thrown.getCause()), thrown::toString);
      assertEquals(StopReason.USER_CODE_FAILED, report(thrown).reason());
      assertEquals(Disposition.ANSWERED, report(thrown).last().orElseThrow().disposition());
      assertEquals(before + 1, bench.server.requests().size());
    }
  }

  @Test
  void bodyThatFailsByTheCallersOwnDoing() throws Exception {
    IOException mine = new IOException("disk full");
    endsWith(mine, info -> new OwnSubscriber<Object>(CompletableFuture.failedFuture(mine)));
  }

  @Test
  void subscriberThatGivesUp() {
    IOException mine = new IOException("too long");
    endsWith(
        mine,
        info ->
            new OwnSubscriber<Object>(new CompletableFuture<>()) {
              @Override
              public void onNext(List<ByteBuffer> buffers) {
                subscription().cancel();
                fail(mine);
              }
            });
  }

  @Test
  void fileThatCannotBeWritten(@TempDir Path folder) {
    Path nowhere = folder.resolve("missing").resolve("file");
    Throwable thrown =
        assertThrows(
            IOException.class,
            () -> bench.client().send(bench.put("a"), BodyHandlers.ofFile(nowhere)));
    assertInstanceOf(NoSuchFileException.class, thrown.getCause());
    assertEquals(StopReason.USER_CODE_FAILED, report(thrown).reason());
    assertEquals(1, bench.server.requests().size());
  }

  /** A subscriber that takes all and has the body that it was given. */
  private static class OwnSubscriber<T> implements BodySubscriber<T> {
    private final CompletableFuture<T> body;
    private Flow.Subscription subscription;

    OwnSubscriber(CompletableFuture<T> body) {
      this.body = body;
    }

    Flow.Subscription subscription() {
      return subscription;
    }

    void fail(Throwable failure) {
      body.completeExceptionally(failure);
    }

    @Override
    public CompletionStage<T> getBody() {
      return body;
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      this.subscription = subscription;
      subscription.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(List<ByteBuffer> buffers) {}

    @Override
    public void onError(Throwable failure) {
      fail(failure);
    }

    @Override
    public void onComplete() {}
  }
}
