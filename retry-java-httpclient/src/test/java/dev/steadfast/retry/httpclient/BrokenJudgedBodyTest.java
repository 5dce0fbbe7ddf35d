package dev.steadfast.retry.httpclient;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.http.StandardRules;
import dev.steadfast.retry.tck.Reply;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpResponse.BodySubscribers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The body of a failure that breaks before it is the caller's: the head decides, and the caller's
 * handler sees what the plain client would have shown it.
 */
class BrokenJudgedBodyTest {
  @RegisterExtension private final Bench bench = new Bench();

  // On more threads the client may see the break before it has asked for the body, and then fails
  // with any handler.
  private final ExecutorService inTurn = Executors.newSingleThreadExecutor();

  @AfterEach
  void close() {
    inTurn.shutdown();
  }

  private HttpClient.Builder plain() {
    return Bench.plain().executor(inTurn);
  }

  @BeforeEach
  void breaks() {
    bench.server.defaultReply(Reply.truncatedBody(503, 10, "bus"));
  }

  private HttpClient readsBodies() {
    StandardRules rules = StandardRules.builder().neverRetry(503, "spent").build();
    return RetryingHttpClient.wrap(plain().build(), bench.retry().classifier(rules).build());
  }

  /** The client may have redirected the request, so only the end of its call tells all. */
  private HttpClient follows() {
    HttpClient plain = plain().followRedirects(HttpClient.Redirect.NORMAL).build();
    return RetryingHttpClient.wrap(plain, bench.retry().build());
  }

  @ParameterizedTest
  @EnumSource
  void bodyThatRulesRead(Entry entry) throws Throwable {
    RetryReport report = assertStreamAsPlain(entry, readsBodies(), bench.put("x"));

    assertEquals(StopReason.ATTEMPTS_EXHAUSTED, report.reason());
    assertEquals(3, report.attempts());
  }

  @ParameterizedTest
  @EnumSource
  void bodyThatIsKeptForARedirect(Entry entry) throws Throwable {
    RetryReport report = assertStreamAsPlain(entry, follows(), bench.post("x"));

    assertEquals(StopReason.NOT_REPLAYABLE, report.reason());
    assertEquals(1, report.attempts());
  }

  /**
   * The client may hear of the break before it has asked for the body: it must not ask too soon.
   */
  @ParameterizedTest
  @EnumSource
  void bodyThatBreaksAtItsFirstByte(Entry entry) throws Throwable {
    bench.server.defaultReply(Reply.truncatedBody(503, 10, ""));
    HttpClient client = RetryingHttpClient.wrap(plain().build(), bench.retry().build());
    for (int call = 0; call < 100; call++) {
      // Not beside the plain client, which itself loses about one such answer in a thousand.
      HttpResponse<InputStream> stream =
          entry.call(client, bench.put("x"), BodyHandlers.ofInputStream());
      assertEquals(503, stream.statusCode());
      assertThrows(IOException.class, stream.body()::readAllBytes);
      Stream<String> lines = entry.call(client, bench.put("x"), BodyHandlers.ofLines()).body();
      assertThrows(UncheckedIOException.class, lines::count);
    }
  }

  private RetryReport assertStreamAsPlain(Entry entry, HttpClient client, HttpRequest request)
      throws Throwable {
    HttpResponse<InputStream> plain =
        entry.call(plain().build(), request, BodyHandlers.ofInputStream());
    HttpResponse<InputStream> wrapped = entry.call(client, request, BodyHandlers.ofInputStream());

    assertEquals(plain.statusCode(), wrapped.statusCode());
    assertEquals(failureOf(plain.body()), failureOf(wrapped.body()));
    return JdkReports.of(wrapped);
  }

  /** A mapper may read the whole stream before it returns, as the JDK's documentation allows. */
  @ParameterizedTest
  @EnumSource
  void longBodyThatAMapperReads(Entry entry) throws Throwable {
    String body = "x".repeat(300_000);
    bench.server.defaultReply(Reply.status(503).body(body));

    assertEquals(body, entry.call(readsBodies(), bench.put("x"), MAPPED).body());
    assertEquals(body, entry.call(follows(), bench.post("x"), MAPPED).body());
  }

  private static final BodyHandler<String> MAPPED =
      info -> BodySubscribers.mapping(BodySubscribers.ofInputStream(), BrokenJudgedBodyTest::read);

  private static String read(InputStream stream) {
    try (stream) {
      return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException broken) {
      throw new UncheckedIOException(broken);
    }
  }

  /** The JDK's stream may fail before it has given what came of the body: that is a race. */
  private static String failureOf(InputStream body) {
    Throwable thrown = assertThrows(IOException.class, body::readAllBytes);
    while (thrown.getCause() != null) {
      thrown = thrown.getCause();
    }
    return thrown.toString();
  }

  /** The rules wait for the body on the calling thread. */
  @Test
  void interruptWhileTheRulesWait() throws Exception {
    bench.server.defaultReply(Reply.stalledBody(503, 10, "bus"));
    HttpClient client =
        RetryingHttpClient.wrap(
            plain().build(),
            bench
                .retryWithWaits()
                .classifier(StandardRules.builder().neverRetry(503, "spent").build())
                .build());
    FutureTask<Exception> call =
        new FutureTask<>(() ->
            assertThrows(
                Exception.class, () -> client.send(bench.put("x"), BodyHandlers.ofString())));
    Thread caller = new Thread(call);
    caller.start();
    bench.awaitWait(Duration.ofSeconds(2)); // for the body

    caller.interrupt();

    assertInstanceOf(InterruptedException.class, call.get(20, TimeUnit.SECONDS));
    assertEquals(1, bench.server.requests().size());
    bench.awaitNothingScheduled();
  }

  @ParameterizedTest
  @EnumSource
  void handlerThatCollects(Entry entry) {
    Throwable plain = failure(entry, plain().build(), bench.put("x"));
    Throwable read = failure(entry, readsBodies(), bench.put("x"));
    Throwable kept = failure(entry, follows(), bench.post("x"));

    assertEquals(plain.toString(), read.toString());
    assertEquals(plain.toString(), kept.toString());
    assertEquals(3, RetryReport.of(read).orElseThrow().attempts());
    assertEquals(1, RetryReport.of(kept).orElseThrow().attempts());
  }

  private static Throwable failure(Entry entry, HttpClient client, HttpRequest request) {
    return assertThrows(
        IOException.class, () -> entry.call(client, request, BodyHandlers.ofString()));
  }
}
