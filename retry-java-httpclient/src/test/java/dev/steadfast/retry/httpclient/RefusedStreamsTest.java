package dev.steadfast.retry.httpclient;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.steadfast.retry.Disposition;
import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.testkit.FakeTime;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import mockwebserver3.Dispatcher;
import mockwebserver3.MockResponse;
import mockwebserver3.MockWebServer;
import mockwebserver3.RecordedRequest;
import mockwebserver3.SocketEffect;
import okhttp3.tls.HandshakeCertificates;
import okhttp3.tls.HeldCertificate;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RefusedStreamsTest {
  private static final int REFUSED_STREAM = 7;

  /**
   * Newer JDKs send again once by themselves, so two refusals are what an attempt can see. The POST
   * has no body: MockWebServer answers a DATA frame of a closed stream with a second RST_STREAM of
   * another code, and JDK 17 may report that one.
   */
  @ParameterizedTest
  @EnumSource
  void aRefusedStreamWasNotProcessed_soAnyMethodIsRetried(Entry entry) throws Throwable {
    FakeTime time = new FakeTime();
    HttpRetry retry =
        HttpRetry.builder().environment(time.environment()).listener(time.skipWaits()).build();
    HeldCertificate held =
        new HeldCertificate.Builder().addSubjectAlternativeName("localhost").build();
    try (MockWebServer server = refusing(2, held)) {
      HttpRequest keyless =
          HttpRequest.newBuilder(server.url("/").uri()).POST(BodyPublishers.noBody()).build();
      HttpResponse<String> response =
          entry.call(
              RetryingHttpClient.wrap(trusting(held), retry), keyless, BodyHandlers.ofString());

      assertEquals(200, response.statusCode());
      RetryReport report = JdkReports.of(response);
      List<Disposition> refused =
          report.attemptReports().stream()
              .filter(each -> each.kind().filter(FailureKind.REFUSED_STREAM::equals).isPresent())
              .map(each -> each.disposition())
              .distinct()
              .toList();
      assertEquals(List.of(Disposition.REFUSED), refused, report.toString());
    }
  }

  private static MockWebServer refusing(int streams, HeldCertificate held) throws Exception {
    AtomicInteger refused = new AtomicInteger();
    MockWebServer server = new MockWebServer();
    server.useHttps(
        new HandshakeCertificates.Builder().heldCertificate(held).build().sslSocketFactory());
    server.setDispatcher(
        new Dispatcher() {
          @Override
          public MockResponse peek() {
            MockResponse.Builder response = new MockResponse.Builder();
            return refused.get() < streams
                ? response.onRequestStart(new SocketEffect.CloseStream(REFUSED_STREAM)).build()
                : response.build();
          }

          @Override
          public MockResponse dispatch(RecordedRequest request) {
            refused.incrementAndGet(); // it gets refused streams, too
            return new MockResponse.Builder().build();
          }
        });
    server.start();
    return server;
  }

  private static HttpClient trusting(HeldCertificate held) {
    return HttpClient.newBuilder()
        .sslContext(
            new HandshakeCertificates.Builder()
                .addTrustedCertificate(held.certificate())
                .build()
                .sslContext())
        .build();
  }
}
