package dev.steadfast.retry.examples;

import dev.steadfast.retry.apache5.Apache5Reports;
import dev.steadfast.retry.apache5.Apache5Retry;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.RetryOptions;
import java.io.IOException;
import java.net.URI;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import org.apache.hc.client5.http.async.methods.SimpleHttpRequest;
import org.apache.hc.client5.http.async.methods.SimpleHttpResponse;
import org.apache.hc.client5.http.async.methods.SimpleRequestBuilder;
import org.apache.hc.client5.http.classic.methods.HttpPost;
import org.apache.hc.client5.http.impl.async.CloseableHttpAsyncClient;
import org.apache.hc.client5.http.impl.async.HttpAsyncClientBuilder;
import org.apache.hc.client5.http.impl.async.HttpAsyncClients;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClientBuilder;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.apache.hc.client5.http.impl.nio.PoolingAsyncClientConnectionManagerBuilder;
import org.apache.hc.client5.http.protocol.HttpClientContext;
import org.apache.hc.client5.http.ssl.ClientTlsStrategyBuilder;
import org.apache.hc.client5.http.ssl.DefaultClientTlsStrategy;
import org.apache.hc.core5.concurrent.FutureCallback;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.io.entity.StringEntity;
import org.apache.hc.core5.io.CloseMode;

/** Payments through Apache HttpClient 5, blocking or with a future. */
final class ApachePayments {
  private static final ContentType FORM = ContentType.APPLICATION_FORM_URLENCODED;
  private static final int CONNECTIONS =
      500; // by default 5 per host, for which payments would wait

  private ApachePayments() {}

  /** The calling thread waits. */
  static PaymentClient execute(HttpRetry retry, Certificate certificate) {
    return new Blocking(
        Apache5Retry.addTo(classic(certificate), retry).build(), DemoThreads.callers());
  }

  /** No thread waits. */
  static PaymentClient async(HttpRetry retry, Certificate certificate) {
    CloseableHttpAsyncClient http = Apache5Retry.addTo(asynchronous(certificate), retry).build();
    http.start();
    return new Asynchronous(http);
  }

  static HttpClientBuilder classic(Certificate certificate) {
    return HttpClients.custom()
        .setConnectionManager(
            PoolingHttpClientConnectionManagerBuilder.create()
                .setTlsSocketStrategy(
                    new DefaultClientTlsStrategy(certificate.client().sslContext()))
                .setMaxConnPerRoute(CONNECTIONS)
                .setMaxConnTotal(CONNECTIONS)
                .build());
  }

  static HttpAsyncClientBuilder asynchronous(Certificate certificate) {
    return HttpAsyncClients.custom()
        .setConnectionManager(
            PoolingAsyncClientConnectionManagerBuilder.create()
                .setTlsStrategy(
                    ClientTlsStrategyBuilder.create()
                        .setSslContext(certificate.client().sslContext())
                        .buildAsync())
                .setMaxConnPerRoute(CONNECTIONS)
                .setMaxConnTotal(CONNECTIONS)
                .build());
  }

  static HttpPost post(Payment payment, URI address) {
    HttpPost request = new HttpPost(address);
    request.setEntity(new StringEntity(payment.form(), FORM));
    return request;
  }

  static SimpleHttpRequest simple(Payment payment, URI address) {
    return SimpleRequestBuilder.post(address).setBody(payment.form(), FORM).build();
  }

  private static HttpClientContext named(Payment payment) {
    return Apache5Retry.with(
        HttpClientContext.create(), RetryOptions.builder().name(payment.title()).build());
  }

  private record Blocking(CloseableHttpClient http, ExecutorService callers)
      implements PaymentClient {
    @Override
    public CompletableFuture<Receipt> pay(Payment payment, URI address) {
      return DemoThreads.call(callers, () -> receipt(payment, address));
    }

    private Receipt receipt(Payment payment, URI address) throws IOException {
      return http.execute(
          post(payment, address),
          named(payment),
          response -> new Receipt(response.getCode(), Apache5Reports.of(response)));
    }

    @Override
    public void close() {
      callers.shutdown();
      http.close(CloseMode.GRACEFUL);
    }
  }

  private record Asynchronous(CloseableHttpAsyncClient http) implements PaymentClient {
    @Override
    public CompletableFuture<Receipt> pay(Payment payment, URI address) {
      CompletableFuture<Receipt> result = new CompletableFuture<>();
      http.execute(
          simple(payment, address),
          named(payment),
          new FutureCallback<SimpleHttpResponse>() {
            @Override
            public void completed(SimpleHttpResponse response) {
              result.complete(new Receipt(response.getCode(), Apache5Reports.of(response)));
            }

            @Override
            public void failed(Exception failure) {
              result.completeExceptionally(failure);
            }

            @Override
            public void cancelled() {
              result.cancel(false);
            }
          });
      return result;
    }

    @Override
    public void close() {
      http.close(CloseMode.GRACEFUL);
    }
  }
}
