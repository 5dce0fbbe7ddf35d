package dev.steadfast.retry.httpclient;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.RetryReport.Effect;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.operations.OperationJournal.Refusal;
import dev.steadfast.retry.operations.OperationJournal.RefusedException;
import dev.steadfast.retry.operations.OperationJournal.State;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.internal.JournalUnderTest;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A kept answer goes through the body handler of each call, whatever handler the first one had. */
class KeptAnswerTest {
  private final Bench bench = new Bench();
  private final JournalUnderTest journal = new JournalUnderTest(null);
  private final RetryingHttpClient client =
      bench
          .client(bench.retry().journal(journal))
          .with(RetryOptions.builder().journaled("charge", "order-1").build());
  private final ExecutorService threads = Executors.newCachedThreadPool();

  @AfterEach
  void close() throws InterruptedException {
    bench.close();
    threads.shutdown();
    assertTrue(threads.awaitTermination(20, TimeUnit.SECONDS));
  }

  private <T> HttpResponse<T> call(Entry entry, BodyHandler<T> handler) throws Throwable {
    return entry.call(client, bench.put("5"), handler);
  }

  private void assertKept(Entry entry, String body) throws Throwable {
    HttpResponse<String> again = call(entry, BodyHandlers.ofString());
    assertEquals(body, again.body());
    assertTrue(JdkReports.of(again).saved().orElseThrow().handedBack());
    assertEquals(1, bench.server.requests().size());
  }

  @ParameterizedTest
  @EnumSource
  void whatAHandlerMakesOfABodyIsNotWhatIsKept(Entry entry) throws Throwable {
    BodyHandler<Integer> length =
        info ->
            BodySubscribers.mapping(
                BodySubscribers.ofString(StandardCharsets.UTF_8), String::length);
    bench.server.enqueue(Reply.status(200).body("whole"));
    assertEquals(5, call(entry, length).body());
    assertEquals(5, call(entry, length).body());
    assertKept(entry, "whole");
  }

  /** The mapper reads the stream within {@code getBody}, which the JDK calls on another thread. */
  @ParameterizedTest
  @EnumSource
  void aHandlerThatReadsAStreamIsKeptAndHandedBack(Entry entry) throws Throwable {
    BodyHandler<String> parsing =
        info -> BodySubscribers.mapping(BodySubscribers.ofInputStream(), KeptAnswerTest::read);
    bench.server.enqueue(Reply.status(200).body("parsed"));
    assertEquals("parsed", call(entry, parsing).body());
    assertEquals("parsed", call(entry, parsing).body());
    assertKept(entry, "parsed");
  }

  private static String read(InputStream stream) {
    try (stream) {
      return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException broken) {
      throw new AssertionError(broken);
    }
  }

  @ParameterizedTest
  @EnumSource
  void aDiscardedBodyIsKept(Entry entry) throws Throwable {
    bench.server.enqueue(Reply.status(200).body("unread"));
    call(entry, BodyHandlers.discarding());
    assertKept(entry, "unread");
  }

  @ParameterizedTest
  @EnumSource
  void aBodyIsWrittenToItsFileAgain(Entry entry, @TempDir Path directory) throws Throwable {
    Path first = directory.resolve("first");
    Path second = directory.resolve("second");
    bench.server.enqueue(Reply.status(200).body("on disk"));
    call(entry, BodyHandlers.ofFile(first));
    call(entry, BodyHandlers.ofFile(second));
    assertEquals("on disk", Files.readString(second));
    assertKept(entry, "on disk");
  }

  @ParameterizedTest
  @EnumSource
  void linesAndBytesComeFromTheKeptBody(Entry entry) throws Throwable {
    bench.server.enqueue(Reply.status(200).body("a\nb"));
    call(entry, BodyHandlers.ofString());
    try (Stream<String> lines = call(entry, BodyHandlers.ofLines()).body()) {
      assertEquals(List.of("a", "b"), lines.collect(Collectors.toList()));
    }
    Flow.Publisher<List<ByteBuffer>> published = call(entry, BodyHandlers.ofPublisher()).body();
    BodySubscriber<String> text = BodySubscribers.ofString(StandardCharsets.UTF_8);
    published.subscribe(text);
    assertEquals("a\nb", text.getBody().toCompletableFuture().get(20, TimeUnit.SECONDS));
  }

  @ParameterizedTest
  @EnumSource
  void aBodyThatIsHandedOverWithTheHeadIsTheCallersToRead(Entry entry) throws Throwable {
    bench.server.enqueue(Reply.status(200).body("once"));
    try (InputStream body = call(entry, BodyHandlers.ofInputStream()).body()) {
      assertEquals("once", new String(body.readAllBytes(), StandardCharsets.UTF_8));
    }
    RefusedException refused =
        assertThrows(RefusedException.class, () -> call(entry, BodyHandlers.ofString()));
    assertEquals(Refusal.ANSWER_NOT_KEPT, refused.refusal());
    RetryReport report = RetryReport.of(refused).orElseThrow();
    assertEquals(Effect.SUCCEEDED, report.saved().orElseThrow().effect());
  }

  /** A subscriber that throws where it is told to, and collects nothing. */
  private record Throwing(boolean atEnd, CompletableFuture<String> made)
      implements BodySubscriber<String> {
    @Override
    public CompletionStage<String> getBody() {
      return made;
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      subscription.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(List<ByteBuffer> buffers) {
      if (!atEnd) {
        throw new IllegalStateException("thrown by user code");
      }
    }

    @Override
    public void onError(Throwable failure) {
      made.completeExceptionally(failure);
    }

    @Override
    public void onComplete() {
      if (atEnd) {
        throw new IllegalStateException("thrown by user code");
      }
      made.complete("");
    }
  }

  private static BodyHandler<String> throwing(boolean atEnd) {
    return info -> new Throwing(atEnd, new CompletableFuture<>());
  }

  @ParameterizedTest
  @EnumSource
  void whatASubscriberThrowsLeavesTheOutcomeUnknown(Entry entry) throws Throwable {
    for (boolean atEnd : new boolean[] {false, true}) {
      bench.server.enqueue(Reply.status(200).body("body"));
      assertThrows(Exception.class, () -> call(entry, throwing(atEnd)));
    }
    journal.endings().forEach(each -> assertEquals(State.READY, each.state()));
    assertEquals(2, bench.server.requests().size());
    bench.server.enqueue(Reply.status(200).body("settled"));
    assertEquals("settled", call(entry, BodyHandlers.ofString()).body());
  }

  @ParameterizedTest
  @EnumSource
  void aHandlerThatDoesNotTakeAKeptAnswerIsToldThatItSucceeded(Entry entry) throws Throwable {
    bench.server.enqueue(Reply.status(200).body("kept"));
    call(entry, BodyHandlers.ofString());
    RuntimeException bug = new IllegalStateException("a bug");
    for (BodyHandler<String> bad :
        List.<BodyHandler<String>>of(
            throwing(false),
            throwing(true),
            info -> {
              throw bug;
            })) {
      Throwable thrown = assertThrows(Exception.class, () -> call(entry, bad));
      Throwable root = thrown.getCause() == null ? thrown : thrown.getCause();
      assertInstanceOf(IllegalStateException.class, root, "what the handler threw");
      RetryReport report = RetryReport.of(thrown).orElseThrow(() -> new AssertionError(thrown));
      assertEquals(Effect.SUCCEEDED, report.saved().orElseThrow().effect());
    }
    assertKept(entry, "kept");
  }

  /** A subscriber may ask for its bytes, and take them, on a thread of its own. */
  @ParameterizedTest
  @EnumSource
  void aSubscriberWithAThreadOfItsOwnGetsTheKeptBody(Entry entry) throws Throwable {
    bench.server.enqueue(Reply.status(200).body("kept"));
    call(entry, BodyHandlers.ofString());
    BodySubscriber<String> text = BodySubscribers.ofString(StandardCharsets.UTF_8);
    BodyHandler<String> elsewhere =
        info ->
            BodySubscribers.fromSubscriber(
                new Flow.Subscriber<List<ByteBuffer>>() {
                  @Override
                  public void onSubscribe(Flow.Subscription subscription) {
                    threads.execute(() -> text.onSubscribe(subscription));
                  }

                  @Override
                  public void onNext(List<ByteBuffer> buffers) {
                    text.onNext(buffers);
                  }

                  @Override
                  public void onError(Throwable failure) {
                    text.onError(failure);
                  }

                  @Override
                  public void onComplete() {
                    text.onComplete();
                  }
                },
                unused -> text.getBody().toCompletableFuture().join());
    assertEquals("kept", call(entry, elsewhere).body());
  }

  @ParameterizedTest
  @EnumSource
  void aHandlerWithoutASubscriberIsRefused(Entry entry) throws Throwable {
    bench.server.enqueue(Reply.status(200).body("kept"));
    call(entry, BodyHandlers.ofString());
    Throwable thrown = assertThrows(Throwable.class, () -> call(entry, info -> null));
    assertInstanceOf(
        NullPointerException.class, thrown.getCause() == null ? thrown : thrown.getCause());
    assertSame(
        Effect.SUCCEEDED, RetryReport.of(thrown).orElseThrow().saved().orElseThrow().effect());
  }
}
