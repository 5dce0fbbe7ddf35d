package dev.steadfast.retry.httpclient;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.testsupport.Tls;
import java.io.IOException;
import java.net.InetAddress;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.util.concurrent.Flow;
import java.util.stream.Stream;
import mockwebserver3.MockWebServer;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** A publisher that is wrong about its length would be so again: its request is sent once. */
class BrokenPublisherTest {
  @RegisterExtension private final Bench bench = new Bench();
  @AutoClose private final MockWebServer server = new MockWebServer();

  @BeforeEach
  void start() throws IOException {
    server.useHttps(Tls.LOOPBACK.sslSocketFactory());
    server.start(InetAddress.getLoopbackAddress(), 0);
  }

  private static HttpClient plain(Version version) {
    return HttpClient.newBuilder().version(version).sslContext(Tls.LOOPBACK.sslContext()).build();
  }

  private HttpRequest put(BodyPublisher body) {
    return HttpRequest.newBuilder(server.url("/things").uri()).PUT(body).build();
  }

  static Stream<Arguments> lengths() {
    return Stream.of(Entry.values())
        .flatMap(entry ->
            Stream.of(Version.values())
                .flatMap(
                    version -> Stream.of(3, 6).map(size -> Arguments.of(entry, version, size))));
  }

  @ParameterizedTest
  @MethodSource("lengths")
  void anotherLengthThanItsOwn(Entry entry, Version version, long length) {
    HttpRequest request =
        put(BodyPublishers.fromPublisher(BodyPublishers.ofString("four"), length));
    Throwable expected = thrown(entry, plain(version), request);
    Throwable actual =
        thrown(entry, RetryingHttpClient.wrap(plain(version), bench.retry().build()), request);
    assertEquals(expected.getClass(), actual.getClass());
    RetryReport report = RetryReport.of(actual).orElseThrow();
    assertEquals(1, report.attempts(), actual::toString);
    assertEquals(StopReason.NOT_RETRYABLE, report.reason());
  }

  /** It cannot tell its length. */
  private record NoLength() implements BodyPublisher {
    @Override
    public long contentLength() {
      throw new IllegalStateException("mine");
    }

    @Override
    public void subscribe(Flow.Subscriber<? super ByteBuffer> subscriber) {
      BodyPublishers.ofString("four").subscribe(subscriber);
    }
  }

  @ParameterizedTest
  @EnumSource
  void aLengthThatThrows(Entry entry) {
    HttpRequest request = put(new NoLength());
    Throwable expected = thrown(entry, plain(Version.HTTP_1_1), request);
    Throwable actual =
        thrown(
            entry,
            RetryingHttpClient.wrap(plain(Version.HTTP_1_1), bench.retry().build()),
            request);
    assertEquals(expected.getClass(), actual.getClass());
    assertEquals(expected.getMessage(), actual.getMessage());
    RetryReport report = RetryReport.of(actual).orElseThrow();
    assertEquals(1, report.attempts());
    assertEquals(StopReason.USER_CODE_FAILED, report.reason());
  }

  private static Throwable thrown(Entry entry, HttpClient client, HttpRequest request) {
    return assertThrows(
        Throwable.class, () -> entry.call(client, request, BodyHandlers.ofString()));
  }
}
