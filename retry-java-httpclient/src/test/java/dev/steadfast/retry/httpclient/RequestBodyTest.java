package dev.steadfast.retry.httpclient;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.Disposition;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.engine.RequestBodyChangedException;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.IdempotencyKeys;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.tck.Received;
import dev.steadfast.retry.tck.RefusedPort;
import dev.steadfast.retry.tck.Reply;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Which request bodies are sent again, and what is done to be sure that they are the same. */
class RequestBodyTest {
  private static final RetryOptions REPEATABLE =
      RetryOptions.builder().bodyRepeatable(true).build();
  private static final RetryOptions ONE_SHOT = RetryOptions.builder().bodyRepeatable(false).build();

  @RegisterExtension private final Bench bench = new Bench();

  private HttpRequest put(BodyPublisher body) {
    return put(bench.server.uri("/things"), body);
  }

  private static HttpRequest put(URI uri, BodyPublisher body) {
    return HttpRequest.newBuilder(uri).PUT(body).build();
  }

  private static InputStream stream(String text) {
    return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
  }

  /** Yields another text each time, and the last one for ever; its length is not known. */
  private static BodyPublisher each(String... texts) {
    Iterator<String> next = Arrays.asList(texts).iterator();
    String[] last = new String[1];
    return BodyPublishers.ofInputStream(() -> {
      last[0] = next.hasNext() ? next.next() : last[0];
      return stream(last[0]);
    });
  }

  private static BodyPublisher withLength(long length, BodyPublisher body) {
    return BodyPublishers.fromPublisher(body, length);
  }

  private List<String> bodies() {
    return bench.server.requests().stream().map(Received::bodyText).toList();
  }

  private static RetryReport report(Throwable thrown) {
    return RetryReport.of(thrown).orElseThrow();
  }

  // ---- one-shot or not

  @ParameterizedTest
  @EnumSource
  void bodyOfUnknownLengthIsSentOnce(Entry entry) throws Throwable {
    bench.server.defaultReply(Reply.status(503).body("sorry"));
    HttpResponse<String> response =
        entry.call(bench.client(), put(each("a")), BodyHandlers.ofString());
    assertEquals("sorry", response.body());
    assertEquals(StopReason.BODY_NOT_REPEATABLE, JdkReports.of(response).reason());
    assertEquals(List.of("a"), bodies());
  }

  @Test
  void bodyThatWasNeverAskedForMayStillBeSent() {
    try (RefusedPort nobody = RefusedPort.open()) {
      ConnectException thrown =
          assertThrows(
              ConnectException.class,
              () -> bench.client().send(put(nobody.uri("/"), each("a")), BodyHandlers.ofString()));
      assertEquals(StopReason.ATTEMPTS_EXHAUSTED, report(thrown).reason());
      assertEquals(Disposition.UNSENT, report(thrown).last().orElseThrow().disposition());
    }
  }

  @Test
  void callerMaySayThatABodyIsOneShot() throws Exception {
    bench.server.defaultReply(Reply.status(503));
    HttpResponse<String> response =
        bench.client().with(ONE_SHOT).send(bench.put("a"), BodyHandlers.ofString());
    assertEquals(StopReason.BODY_NOT_REPEATABLE, JdkReports.of(response).reason());
    assertEquals(List.of("a"), bodies());
  }

  @Test
  void emptyBodyHasNothingToRepeat() throws Exception {
    bench.server.enqueue(Reply.status(503));
    HttpResponse<String> response =
        bench.client().with(ONE_SHOT).send(put(BodyPublishers.noBody()), BodyHandlers.ofString());
    assertEquals(2, JdkReports.of(response).attempts());
  }

  @Test
  void fileIsSentAgain(@TempDir Path folder) throws Exception {
    Path file = Files.writeString(folder.resolve("upload"), "x".repeat(100_000));
    bench.server.enqueue(Reply.status(503));
    bench.client().send(put(BodyPublishers.ofFile(file)), BodyHandlers.ofString());
    assertEquals(List.of("x".repeat(100_000), "x".repeat(100_000)), bodies());
  }

  // ---- bodies that change

  @Test
  void oneStreamForAllAttemptsIsCaught() throws Exception {
    // The second attempt would send an empty body under the same key.
    bench.server.enqueue(Reply.closeAfterRequest());
    InputStream same = stream("order");
    RequestBodyChangedException thrown =
        assertThrows(
            RequestBodyChangedException.class,
            () ->
                bench
                    .client()
                    .with(REPEATABLE)
                    .send(put(BodyPublishers.ofInputStream(() -> same)), BodyHandlers.ofString()));
    assertEquals(StopReason.BODY_CHANGED, report(thrown).reason());
    assertTrue(report(thrown).earlierAttemptMayHaveActed());
    assertEquals(List.of("order"), bodies());
  }

  @Test
  void oneStreamOfKnownLengthIsCaughtToo() throws Exception {
    bench.server.enqueue(Reply.status(503));
    InputStream same = stream("order");
    HttpResponse<String> response =
        bench
            .client()
            .send(
                put(withLength(5, BodyPublishers.ofInputStream(() -> same))),
                BodyHandlers.ofString());
    assertEquals(StopReason.BODY_CHANGED, JdkReports.of(response).reason());
    assertEquals(List.of("order"), bodies());
  }

  @Test
  void bodyThatAResendOfTheJdksOwnWouldChangeIsCaught() throws Exception {
    bench.server.enqueue(Reply.status(307).header("Location", "/elsewhere"));
    InputStream same = stream("order");
    RetryingHttpClient client =
        RetryingHttpClient.wrap(
            Bench.plain().followRedirects(java.net.http.HttpClient.Redirect.NORMAL).build(),
            bench.retry().build());
    assertThrows(
        RequestBodyChangedException.class,
        () -> client.send(put(BodyPublishers.ofInputStream(() -> same)), BodyHandlers.ofString()));
    assertEquals(List.of("order"), bodies());
  }

  // ---- bodies that fail

  private void failsWith(Throwable mine, BodyPublisher body) {
    for (Entry entry : Entry.values()) {
      Throwable thrown =
          assertThrows(
              Throwable.class,
              () -> entry.call(bench.client(), put(body), BodyHandlers.ofString()));
      // The JDK's send wraps what the body threw.
      assertSame(mine, entry == Entry.SEND ? thrown.getCause() : thrown);
      assertSame(entry == Entry.SEND ? IOException.class : mine.getClass(), thrown.getClass());
      assertEquals(mine.getMessage(), thrown.getMessage());
      assertEquals(StopReason.USER_CODE_FAILED, report(thrown).reason());
      assertEquals(1, report(thrown).attempts());
    }
  }

  @Test
  void supplierThatThrows() {
    IllegalStateException mine = new IllegalStateException("mine");
    failsWith(
        mine,
        withLength(
            3,
            BodyPublishers.ofInputStream(() -> {
              throw mine;
            })));
  }

  @Test
  void streamThatFails() {
    IOException mine = new IOException("mine");
    InputStream broken =
        new InputStream() {
          @Override
          public int read() throws IOException {
            throw mine;
          }

          @Override
          public int read(byte[] bytes, int offset, int length) throws IOException {
            throw mine;
          }
        };
    IOException thrown =
        assertThrows(
            IOException.class,
            () ->
                bench
                    .client()
                    .send(
                        put(withLength(3, BodyPublishers.ofInputStream(() -> broken))),
                        BodyHandlers.ofString()));
    assertInstanceOf(UncheckedIOException.class, thrown.getCause());
    assertSame(mine, thrown.getCause().getCause());
    assertEquals(StopReason.USER_CODE_FAILED, report(thrown).reason());
  }

  @Test
  void fileThatIsGone(@TempDir Path folder) throws Exception {
    Path file = Files.writeString(folder.resolve("upload"), "data");
    bench.server.enqueue(Reply.status(503));
    bench.server.whenRequest(request -> assertTrue(file.toFile().delete()));
    BodyPublisher body = BodyPublishers.ofFile(file);
    HttpResponse<String> response = bench.client().send(put(body), BodyHandlers.ofString());
    assertEquals(503, response.statusCode());
    assertEquals(StopReason.BODY_NOT_REPEATABLE, JdkReports.of(response).reason());
    assertEquals(2, JdkReports.of(response).attempts());
  }

  // ---- keys that are hashes of the body

  private RetryingHttpClient hashing() {
    HttpRetry.Builder retry = bench.retry().idempotencyKeys(IdempotencyKeys.requestHash());
    return bench.client(retry);
  }

  private String key(RetryingHttpClient client, BodyPublisher body) throws Exception {
    HttpRequest request = HttpRequest.newBuilder(bench.server.uri("/")).POST(body).build();
    client.send(request, BodyHandlers.ofString());
    List<Received> requests = bench.server.requests();
    return requests.get(requests.size() - 1).header("Idempotency-Key").orElseThrow();
  }

  @Test
  void keyIsAHashOfTheBody() throws Exception {
    RetryingHttpClient client = hashing();
    String key = key(client, BodyPublishers.ofString("order 1"));
    assertEquals(
        key, key(client, BodyPublishers.ofByteArray("order 1".getBytes(StandardCharsets.UTF_8))));
    assertEquals(key, key(client, withLength(7, each("order 1"))));
    assertEquals(key, key(client.with(REPEATABLE), each("order 1")));
    assertTrue(!key.equals(key(client, BodyPublishers.ofString("order 2"))));
    assertEquals(List.of("order 1", "order 1", "order 1", "order 1", "order 2"), bodies());
  }

  @Test
  void emptyBodyHasAHashToo() throws Exception {
    assertEquals(
        key(hashing(), BodyPublishers.noBody()), key(hashing(), BodyPublishers.ofString("")));
  }

  @Test
  void oneShotBodyHasNoHash() {
    assertThrows(IllegalArgumentException.class, () -> key(hashing(), each("order")));
    assertEquals(List.of(), bodies());
  }

  @Test
  void bodyThatIsTooLongHasNoHash() {
    byte[] tooLong = new byte[(1 << 20) + 1];
    assertThrows(
        IllegalArgumentException.class, () -> key(hashing(), BodyPublishers.ofByteArray(tooLong)));
    assertThrows(
        IllegalArgumentException.class,
        () ->
            key(
                hashing().with(REPEATABLE),
                BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(tooLong))));
    assertEquals(List.of(), bodies());
  }

  @Test
  void bodyThatIsNotTheHashedOneIsCaught() {
    RequestBodyChangedException thrown =
        assertThrows(
            RequestBodyChangedException.class,
            () -> key(hashing(), withLength(7, each("order 1", "order 2"))));
    assertEquals(StopReason.BODY_CHANGED, report(thrown).reason());
    assertEquals(List.of(), bodies());
  }
}
