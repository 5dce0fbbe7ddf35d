package app;

import com.sun.net.httpserver.HttpServer;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.apache5.Apache5Reports;
import dev.steadfast.retry.apache5.Apache5Retry;
import dev.steadfast.retry.effects.EffectResult;
import dev.steadfast.retry.effects.OkHttpEffects;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.httpclient.JdkReports;
import dev.steadfast.retry.httpclient.RetryingHttpClient;
import dev.steadfast.retry.jfr.RetryEvents;
import dev.steadfast.retry.micrometer.RetryMetrics;
import dev.steadfast.retry.okhttp.OkHttpReports;
import dev.steadfast.retry.okhttp.RetryingCallFactory;
import dev.steadfast.retry.opentelemetry.RetryTracing;
import dev.steadfast.retry.resilience4j.Resilience4jGuards;
import dev.steadfast.retry.server.HttpServerScope;
import dev.steadfast.retry.server.ServletScope;
import dev.steadfast.retry.spring.RetryAttributes;
import dev.steadfast.retry.spring.RetryingJdkRequestFactory;
import dev.steadfast.retry.testkit.FakeTime;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.opentelemetry.api.OpenTelemetry;
import jakarta.servlet.Filter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingFile;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.springframework.web.client.RestClient;

/** Uses each shipped module once. Every other answer of its server is a 503. */
public final class Main {
  public static void main(String[] arguments) throws Exception {
    AtomicInteger requests = new AtomicInteger();
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server
        .createContext(
            "/",
            exchange -> {
              exchange.sendResponseHeaders(requests.incrementAndGet() % 2 == 1 ? 503 : 204, -1);
              exchange.close();
            })
        .getFilters()
        .add(HttpServerScope.filter());
    server.start();
    try {
      URI uri =
          URI.create(
              "http://"
                  + server.getAddress().getAddress().getHostAddress()
                  + ":"
                  + server.getAddress().getPort()
                  + "/");
      FakeTime time = new FakeTime();
      MeterRegistry registry = new SimpleMeterRegistry();
      Recording recording = new Recording();
      recording.start();
      RetryTracing tracing = RetryTracing.of(OpenTelemetry.noop());
      HttpRetry retry =
          tracing
              .addTo(HttpRetry.builder())
              .guard(Resilience4jGuards.circuitBreaker(CircuitBreakerConfig.ofDefaults()))
              .environment(time.environment())
              .listener(time.skipWaits())
              .listener(RetryMetrics.builder(registry).executor(Runnable::run).build())
              .listener(new RetryEvents())
              .build();
      HttpResponse<String> jdk =
          RetryingHttpClient.wrap(HttpClient.newHttpClient(), retry)
              .send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
      System.out.println("java.net.http " + JdkReports.of(jdk).attempts());
      OkHttpClient client = new OkHttpClient();
      Request request = new Request.Builder().url(uri.toURL()).build();
      try (Response ok = RetryingCallFactory.wrap(client, retry).newCall(request).execute()) {
        System.out.println("OkHttp " + OkHttpReports.of(ok).attempts());
      }
      try (CloseableHttpClient apache = Apache5Retry.addTo(HttpClients.custom(), retry).build()) {
        int attempts =
            apache.execute(new HttpGet(uri), response -> Apache5Reports.of(response).attempts());
        System.out.println("HttpClient 5 " + attempts);
      }
      AtomicReference<RetryReport> report = new AtomicReference<>();
      RestClient.builder()
          .requestFactory(RetryingJdkRequestFactory.wrap(HttpClient.newHttpClient(), retry))
          .build()
          .get()
          .uri(uri)
          .attributes(RetryAttributes.report(report::set))
          .retrieve()
          .toBodilessEntity();
      System.out.println("RestClient " + report.get().attempts());
      EffectResult<String> read =
          OkHttpEffects.<String>readModifyWrite(
                  RetryingCallFactory.wrap(client, retry), String::new, String::getBytes)
              .build()
              .update(request, value -> null);
      System.out.println("effects " + read);
      System.out.println("meters " + registry.get("steadfast.retry.delay").timer().count());
      recording.stop();
      Path file = Files.createTempFile("steadfast", ".jfr");
      try {
        recording.dump(file);
        System.out.println(
            "events "
                + RecordingFile.readAllEvents(file).stream()
                    .filter(each -> each.getEventType().getName().equals("dev.steadfast.Wait"))
                    .count());
      } finally {
        Files.delete(file);
      }
      System.out.println("traces " + tracing.getClass().getModule().getName());
      Filter filter = new ServletScope();
      System.out.println("servlets " + filter.getClass().getModule().getName());
    } finally {
      server.stop(0);
    }
    System.exit(0); // OkHttp's idle threads
  }
}
