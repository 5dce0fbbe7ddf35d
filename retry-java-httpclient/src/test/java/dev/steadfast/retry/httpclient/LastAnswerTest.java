package dev.steadfast.retry.httpclient;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.tck.Reply;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A request body that cannot be sent again: the caller gets the answer to the attempt before. */
class LastAnswerTest {
  private static final byte[] ORDER = "order".getBytes(StandardCharsets.UTF_8);

  @RegisterExtension private final Bench bench = new Bench();

  /** Can be read once: from the second time on it fails. */
  private static BodyPublisher once(Throwable failure) {
    AtomicInteger asked = new AtomicInteger();
    BodyPublisher bytes = BodyPublishers.ofByteArray(ORDER);
    Flow.Publisher<ByteBuffer> publisher =
        subscriber -> {
          if (asked.getAndIncrement() == 0) {
            bytes.subscribe(subscriber);
            return;
          }
          subscriber.onSubscribe(
              new Flow.Subscription() {
                @Override
                public void request(long n) {
                  subscriber.onError(failure);
                }

                @Override
                public void cancel() {}
              });
        };
    return BodyPublishers.fromPublisher(publisher, ORDER.length);
  }

  private static BodyPublisher oneStream(InputStream stream) {
    return BodyPublishers.fromPublisher(BodyPublishers.ofInputStream(() -> stream), ORDER.length);
  }

  private HttpRequest put(BodyPublisher body) {
    return HttpRequest.newBuilder(bench.server.uri("/things")).PUT(body).build();
  }

  private static void ends(StopReason reason, int attempts, RetryReport report) {
    assertEquals(reason, report.reason());
    assertEquals(attempts, report.attempts());
  }

  @ParameterizedTest
  @EnumSource
  void bodyThatFailsTheSecondTime(Entry entry) throws Throwable {
    bench.server.enqueue(Reply.status(503).header("X-Why", "load").body("busy"));
    AtomicInteger handled = new AtomicInteger();

    HttpResponse<String> response =
        entry.call(
            bench.client(),
            put(once(new IOException("spent"))),
            info -> {
              handled.incrementAndGet();
              assertEquals(503, info.statusCode());
              assertEquals("load", info.headers().firstValue("X-Why").orElseThrow());
              return BodyHandlers.ofString().apply(info);
            });

    assertEquals(503, response.statusCode());
    assertEquals("busy", response.body());
    assertEquals("load", response.headers().firstValue("X-Why").orElseThrow());
    assertEquals(bench.server.uri("/things"), response.uri());
    assertEquals(1, handled.get());
    ends(StopReason.BODY_NOT_REPEATABLE, 2, JdkReports.of(response));
    assertEquals(1, bench.server.requests().size());
  }

  @ParameterizedTest
  @EnumSource
  void streamThatIsClosedTheSecondTime(Entry entry) throws Throwable {
    bench.server.enqueue(Reply.status(503).body("busy"));
    InputStream stream =
        new ByteArrayInputStream(ORDER) {
          private boolean closed;

          @Override
          public synchronized int read(byte[] bytes, int offset, int length) {
            if (closed) {
              throw new IllegalStateException("closed");
            }
            return super.read(bytes, offset, length);
          }

          @Override
          public void close() {
            closed = true;
          }
        };

    HttpResponse<byte[]> response =
        entry.call(bench.client(), put(oneStream(stream)), BodyHandlers.ofByteArray());

    assertArrayEquals("busy".getBytes(StandardCharsets.UTF_8), response.body());
    ends(StopReason.BODY_NOT_REPEATABLE, 2, JdkReports.of(response));
  }

  @ParameterizedTest
  @EnumSource
  void bodyThatYieldsNothingTheSecondTime(Entry entry) throws Throwable {
    bench.server.enqueue(Reply.status(503).body("busy"));

    HttpResponse<InputStream> response =
        entry.call(
            bench.client(),
            put(oneStream(new ByteArrayInputStream(ORDER))),
            BodyHandlers.ofInputStream());

    assertEquals("busy", new String(response.body().readAllBytes(), StandardCharsets.UTF_8));
    ends(StopReason.BODY_CHANGED, 2, JdkReports.of(response));
  }

  @ParameterizedTest
  @EnumSource
  void answerWithoutABody(Entry entry) throws Throwable {
    bench.server.enqueue(Reply.status(503));

    HttpResponse<String> response =
        entry.call(bench.client(), put(once(new IOException("spent"))), BodyHandlers.ofString());

    assertEquals("", response.body());
    ends(StopReason.BODY_NOT_REPEATABLE, 2, JdkReports.of(response));
  }

  @ParameterizedTest
  @EnumSource
  void answerThatIsTooLongToKeep(Entry entry) {
    bench.server.enqueue(Reply.status(503).body("x".repeat(64 * 1024 + 1)));

    failsByItself(entry);
  }

  @ParameterizedTest
  @EnumSource
  void noAnswer(Entry entry) {
    bench.server.enqueue(Reply.closeAfterRequest());

    failsByItself(entry);
  }

  @ParameterizedTest
  @EnumSource
  void noAnswerToTheAttemptBefore(Entry entry) {
    bench.server.enqueue(Reply.status(503).body("busy"), Reply.closeAfterRequest());
    AtomicInteger asked = new AtomicInteger();
    IllegalStateException spent = new IllegalStateException("spent");
    BodyPublisher bytes = BodyPublishers.ofByteArray(ORDER);
    BodyPublisher twice =
        BodyPublishers.fromPublisher(
            subscriber -> {
              if (asked.incrementAndGet() == 3) {
                throw spent;
              }
              bytes.subscribe(subscriber);
            },
            ORDER.length);

    Throwable thrown =
        assertThrows(
            Throwable.class, () -> entry.call(bench.client(), put(twice), BodyHandlers.ofString()));

    assertSame(spent, root(thrown));
    ends(StopReason.USER_CODE_FAILED, 3, RetryReport.of(thrown).orElseThrow());
  }

  private void failsByItself(Entry entry) {
    IOException spent = new IOException("spent");

    Throwable thrown =
        assertThrows(
            Throwable.class,
            () -> entry.call(bench.client(), put(once(spent)), BodyHandlers.ofString()));

    assertSame(spent, root(thrown));
    ends(StopReason.USER_CODE_FAILED, 2, RetryReport.of(thrown).orElseThrow());
  }

  private static Throwable root(Throwable thrown) {
    return thrown.getCause() == null ? thrown : root(thrown.getCause());
  }

  /** An error tells of the process, not of the body. */
  @ParameterizedTest
  @EnumSource
  void errorOfTheBody(Entry entry) {
    bench.server.enqueue(Reply.status(503).body("busy"));
    AssertionError mine = new AssertionError("mine");

    Throwable thrown =
        assertThrows(
            Throwable.class,
            () -> entry.call(bench.client(), put(once(mine)), BodyHandlers.ofString()));

    assertSame(mine, root(thrown));
    ends(StopReason.USER_CODE_FAILED, 2, RetryReport.of(thrown).orElseThrow());
  }

  @ParameterizedTest
  @EnumSource
  void handlerThatThrows(Entry entry) {
    bench.server.enqueue(Reply.status(503).body("busy"));
    IllegalStateException mine = new IllegalStateException("mine");

    Throwable thrown =
        assertThrows(
            Throwable.class,
            () ->
                entry.call(
                    bench.client(),
                    put(once(new IOException("spent"))),
                    info -> {
                      throw mine;
                    }));

    assertSame(mine, root(thrown));
    ends(StopReason.USER_CODE_FAILED, 2, RetryReport.of(thrown).orElseThrow());
  }

  /** The latest answer counts. */
  @ParameterizedTest
  @EnumSource
  void secondAnswer(Entry entry) throws Throwable {
    bench.server.enqueue(Reply.status(503).body("busy"), Reply.status(503).body("again"));
    AtomicInteger asked = new AtomicInteger();
    BodyPublisher bytes = BodyPublishers.ofByteArray(ORDER);
    BodyPublisher twice =
        BodyPublishers.fromPublisher(
            subscriber -> {
              if (asked.incrementAndGet() == 3) {
                throw new IllegalStateException("spent");
              }
              bytes.subscribe(subscriber);
            },
            ORDER.length);

    HttpResponse<String> response = entry.call(bench.client(), put(twice), BodyHandlers.ofString());

    assertEquals("again", response.body());
    ends(StopReason.BODY_NOT_REPEATABLE, 3, JdkReports.of(response));
  }
}
