package dev.steadfast.retry.httpclient;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.tck.Reply;
import java.net.http.HttpClient;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A head that the client cannot take: it would come again, so the request is sent once, whatever
 * the class of the client's exception and the way into the client.
 */
class BrokenAnswerTest {
  @RegisterExtension private final Bench bench = new Bench();

  static Stream<Arguments> brokenHeads() {
    return Stream.of(
            "GARBAGE\r\n\r\n",
            "HTTP/1.1 abc OK\r\n\r\n",
            "HTTP/9.9 200 OK\r\n\r\n",
            "HTTP/1.1 99 X\r\n\r\n",
            "HTTP/1.1 101 Switching Protocols\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
            "HTTP/1.1 200 OK\r\nX: " + "y".repeat(500_000) + "\r\n\r\n",
            "HTTP/1.1 204 No Content\r\nContent-Length: 2\r\n\r\nno",
            "HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n",
            "HTTP/1.1 302 Found\r\nLocation: http://[bad\r\nContent-Length: 0\r\n\r\n")
        .flatMap(head -> Arrays.stream(Entry.values()).map(entry -> Arguments.of(entry, head)));
  }

  @ParameterizedTest
  @MethodSource("brokenHeads")
  void itIsSentOnce(Entry entry, String head) {
    bench.server.defaultReply(Reply.partialHead(head).thenClose());
    HttpClient plain = Bench.plain().followRedirects(HttpClient.Redirect.NORMAL).build();
    HttpClient client = RetryingHttpClient.wrap(plain, bench.retry().build());

    Exception thrown =
        assertThrows(
            Exception.class, () -> entry.call(client, bench.put("x"), BodyHandlers.ofString()));

    RetryReport report = RetryReport.of(thrown).orElseThrow();
    assertEquals(StopReason.NOT_RETRYABLE, report.reason(), report::toString);
    assertEquals(1, report.attempts());
    assertTrue(report.serverMayHaveActed());
    assertEquals(1, bench.server.requests().size());
  }
}
