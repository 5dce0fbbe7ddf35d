package dev.steadfast.retry.spring;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.RetryListener;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.IdempotencyKeys;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import dev.steadfast.retry.testkit.FakeTime;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.InputStreamResource;
import org.springframework.core.io.Resource;
import org.springframework.http.StreamingHttpOutputMessage;
import org.springframework.http.client.ClientHttpRequestFactory;
import org.springframework.web.client.HttpServerErrorException;
import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestClientException;

/** Bodies that are longer than what is kept. */
final class LongBodyTest {
  private static final int LIMIT = 1000;
  private static final ThreadLocal<String> BOUND = new ThreadLocal<>();

  private final FakeTime time = new FakeTime();
  private final ScriptedServer server = ScriptedServer.start();
  private final AtomicReference<RetryReport> report = new AtomicReference<>();
  private final byte[] bytes = new byte[300_000];

  LongBodyTest() {
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) (i * 31 + i / 1000);
    }
  }

  @AfterEach
  void close() {
    BOUND.remove();
    server.close();
  }

  private HttpRetry.Builder retry() {
    return HttpRetry.builder()
        .environment(time.environment())
        .listener(time.skipWaits())
        .idempotencyKeys(IdempotencyKeys.randomUuid());
  }

  private RestClient.RequestBodySpec put(SpringClient client) {
    return put(client, retry().build());
  }

  private RestClient.RequestBodySpec put(SpringClient client, HttpRetry retry) {
    return put(client.keeping(retry, LIMIT));
  }

  private RestClient.RequestBodySpec put(ClientHttpRequestFactory requests) {
    return RestClient.builder()
        .requestFactory(requests)
        .build()
        .put()
        .uri(server.uri("/upload"))
        .attributes(RetryAttributes.report(report::set));
  }

  // Of unknown length.
  private Resource stream() {
    return new InputStreamResource(new ByteArrayInputStream(bytes));
  }

  @ParameterizedTest
  @EnumSource
  void aLongStreamArrives(SpringClient client) {
    server.enqueue(Reply.status(200));
    put(client).body(stream()).retrieve().toBodilessEntity();
    assertArrayEquals(bytes, server.requests().get(0).body());
    assertEquals(Optional.of("chunked"), server.requests().get(0).header("Transfer-Encoding"));
  }

  @ParameterizedTest
  @EnumSource
  void aLongBodyOfKnownLengthArrives(SpringClient client) {
    server.enqueue(Reply.status(200));
    put(client).body(new ByteArrayResource(bytes)).retrieve().toBodilessEntity();
    assertArrayEquals(bytes, server.requests().get(0).body());
    assertEquals(Optional.of("300000"), server.requests().get(0).header("Content-Length"));
  }

  @ParameterizedTest
  @EnumSource
  void isSentOnce_andTheReportSaysWhy(SpringClient client) {
    server.enqueue(Reply.status(503).body("busy"));
    HttpServerErrorException thrown =
        assertThrows(
            HttpServerErrorException.ServiceUnavailable.class,
            () -> put(client).body(stream()).retrieve().toBodilessEntity());
    assertEquals("busy", thrown.getResponseBodyAsString());
    assertEquals(StopReason.BODY_NOT_REPEATABLE, report.get().reason());
    assertEquals(1, report.get().attempts());
    assertEquals(1, server.requests().size());
  }

  /** Spring says that it can be written again, as that of an array or of a file. */
  @ParameterizedTest
  @EnumSource
  void aLongBodyThatCanBeWrittenAgainIsSentAgain(SpringClient client) {
    for (boolean known : new boolean[] {true, false}) {
      server.enqueue(
          Reply.status(503), Reply.status(307).header("Location", "/next"), Reply.status(200));
      int before = server.requests().size();
      put(following(client)).body(repeatable(known)).retrieve().toBodilessEntity();
      assertEquals(2, report.get().attempts());
      assertEquals(3, server.requests().size() - before);
      server.requests().stream()
          .skip(before)
          .forEach(each -> assertArrayEquals(bytes, each.body()));
    }
  }

  /** The JDK's client follows no redirect by itself. */
  private ClientHttpRequestFactory following(SpringClient client) {
    HttpRetry retry = retry().build();
    return client == SpringClient.JDK
        ? RetryingJdkRequestFactory.wrap(
                HttpClient.newBuilder().followRedirects(HttpClient.Redirect.NORMAL).build(), retry)
            .keepBodiesUpTo(LIMIT)
        : client.keeping(retry, LIMIT);
  }

  private Resource repeatable(boolean known) {
    return new ByteArrayResource(bytes) {
      @Override
      public long contentLength() {
        return known ? super.contentLength() : -1;
      }
    };
  }

  @ParameterizedTest
  @EnumSource
  void aShortStreamIsSentAgain(SpringClient client) {
    server.enqueue(Reply.status(503), Reply.status(200));
    byte[] few = Arrays.copyOf(bytes, LIMIT);
    Resource body = new InputStreamResource(new ByteArrayInputStream(few));
    put(client).body(body).retrieve().toBodilessEntity();
    assertArrayEquals(few, server.requests().get(1).body());
  }

  // A body is streamed only if it is longer than the limit, whatever length was declared.
  @ParameterizedTest
  @EnumSource
  void theLimitItselfIsKept_andOneByteMoreIsNot(SpringClient client) {
    for (int length : new int[] {LIMIT, LIMIT + 1}) {
      byte[] body = Arrays.copyOf(bytes, length);
      StreamingHttpOutputMessage.Body singly =
          output -> {
            for (byte each : body) {
              output.write(each);
            }
          };
      boolean kept = length == LIMIT;
      server.defaultReply(Reply.status(503));
      int before = server.requests().size();
      assertThrows(
          HttpServerErrorException.class,
          () -> put(client).body(singly).retrieve().toBodilessEntity());
      assertEquals(kept ? 3 : 1, report.get().attempts());
      assertEquals(kept ? 3 : 1, server.requests().size() - before);
      server.requests().stream().skip(before).forEach(each -> assertArrayEquals(body, each.body()));
    }
  }

  @ParameterizedTest
  @EnumSource
  void aLengthThatIsDeclaredWrongFails(SpringClient client) {
    server.defaultReply(Reply.status(200));
    for (int length : new int[] {LIMIT + 500, LIMIT + 2500}) {
      StreamingHttpOutputMessage.Body other = output -> output.write(Arrays.copyOf(bytes, length));
      ResourceAccessException thrown =
          assertThrows(
              ResourceAccessException.class,
              () ->
                  put(client)
                      .contentLength(LIMIT + 1000)
                      .body(other)
                      .retrieve()
                      .toBodilessEntity());
      assertEquals(1, RetryReport.of(thrown).orElseThrow().attempts());
    }
  }

  /** A file that was cut while it is read would be stored as if it were whole. */
  @ParameterizedTest
  @EnumSource
  void soDoesTheLengthOfAShortBody(SpringClient client) {
    for (int length : new int[] {LIMIT - 500, LIMIT}) {
      for (boolean repeatable : new boolean[] {false, true}) {
        ResourceAccessException thrown =
            assertThrows(
                ResourceAccessException.class,
                () ->
                    put(client)
                        .contentLength(LIMIT - 100)
                        .body(written(length, repeatable))
                        .retrieve()
                        .toBodilessEntity());
        assertEquals(
            "request body: " + length + " bytes (expected: the 900 of Content-Length)",
            thrown.getCause().getMessage());
      }
    }
    assertEquals(0, server.requests().size());
  }

  private StreamingHttpOutputMessage.Body written(int length, boolean repeatable) {
    return new StreamingHttpOutputMessage.Body() {
      @Override
      public void writeTo(OutputStream output) throws IOException {
        output.write(bytes, 0, length);
      }

      @Override
      public boolean repeatable() {
        return repeatable;
      }
    };
  }

  @ParameterizedTest
  @EnumSource
  void aConnectionThatBreaksEndsTheWriting(SpringClient client) {
    server.enqueue(Reply.resetAfterRequest().onHead());
    ResourceAccessException thrown =
        assertThrows(
            ResourceAccessException.class,
            () -> put(client).body(endless()).retrieve().toBodilessEntity());
    assertEquals(StopReason.BODY_NOT_REPEATABLE, RetryReport.of(thrown).orElseThrow().reason());
  }

  // Only the end of the request ends it.
  private StreamingHttpOutputMessage.Body endless() {
    return output -> {
      while (true) {
        output.write(bytes);
      }
    };
  }

  /** A repeatable body that only the end of its request ends, on whatever thread it is written. */
  @ParameterizedTest
  @EnumSource
  void noThreadGoesOnWriting(SpringClient client) throws Exception {
    StreamingHttpOutputMessage.Body endless = endless();
    StreamingHttpOutputMessage.Body again =
        new StreamingHttpOutputMessage.Body() {
          @Override
          public void writeTo(OutputStream output) throws IOException {
            endless.writeTo(output);
          }

          @Override
          public boolean repeatable() {
            return true;
          }
        };
    server.defaultReply(Reply.resetAfterRequest().onHead());
    RestClientException thrown =
        assertThrows(
            RestClientException.class, () -> put(client).body(again).retrieve().toBodilessEntity());
    assertTrue(report.get().attempts() > 1, thrown + ", " + report.get());
    for (Thread each : Thread.getAllStackTraces().keySet()) {
      if (each.getName().equals("steadfast-upload")) {
        each.join(30_000);
        assertFalse(each.isAlive());
      }
    }
    server.awaitNoOpenConnections(Duration.ofSeconds(30));
  }

  @ParameterizedTest
  @EnumSource
  void whatTheConverterThrowsReachesTheCaller(SpringClient client) throws Exception {
    IllegalStateException broken = new IllegalStateException("no more data");
    StreamingHttpOutputMessage.Body body =
        output -> {
          output.write(bytes);
          throw broken;
        };
    assertSame(
        broken,
        assertThrows(
            IllegalStateException.class,
            () -> put(client).body(body).retrieve().toBodilessEntity()));
    server.awaitNoOpenConnections(Duration.ofSeconds(30));
  }

  @ParameterizedTest
  @EnumSource
  void whatTheConverterThrowsBeforeTheLimitReachesTheCaller(SpringClient client) {
    IOException broken = new IOException("no data");
    StreamingHttpOutputMessage.Body body =
        output -> {
          throw broken;
        };
    assertSame(
        broken,
        assertThrows(
                ResourceAccessException.class,
                () -> put(client).body(body).retrieve().toBodilessEntity())
            .getCause());
    assertEquals(List.of(), server.requests());
  }

  @ParameterizedTest
  @EnumSource
  void theCallersContextGoesAlong(SpringClient client) {
    server.enqueue(Reply.status(200));
    List<String> seen = new CopyOnWriteArrayList<>();
    RetryListener listener =
        new RetryListener() {
          @Override
          public void attemptStarted(OperationInfo operation, int attempt, Object request) {
            seen.add(String.valueOf(BOUND.get()));
          }
        };
    HttpRetry carrying =
        retry()
            .listener(listener)
            .context(() -> {
              String bound = BOUND.get();
              return () -> {
                String before = BOUND.get();
                BOUND.set(bound);
                return () -> BOUND.set(before);
              };
            })
            .build();
    BOUND.set("trace-1");
    StreamingHttpOutputMessage.Body body =
        output -> {
          seen.add(BOUND.get());
          output.write(bytes);
        };
    put(client, carrying).body(body).retrieve().toBodilessEntity();
    server.enqueue(Reply.status(503), Reply.status(200));
    put(client, carrying).body(output -> seen.add(BOUND.get())).retrieve().toBodilessEntity();
    assertEquals(List.of("trace-1", "trace-1", "trace-1", "trace-1", "trace-1"), seen);
  }
}
