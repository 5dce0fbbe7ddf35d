package dev.steadfast.retry.examples;

import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.okhttp.OkHttpReports;
import dev.steadfast.retry.okhttp.RetryInterceptor;
import dev.steadfast.retry.okhttp.RetryingCallFactory;
import java.io.IOException;
import java.net.URI;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import okhttp3.Call;
import okhttp3.Callback;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;

/** Payments through OkHttp: as calls of a retrying factory, or through an interceptor. */
final class OkHttpPayments {
  private static final MediaType FORM = MediaType.get("application/x-www-form-urlencoded");

  private OkHttpPayments() {}

  /** A factory, and the calling thread waits. */
  static PaymentClient execute(HttpRetry retry, Certificate certificate) {
    OkHttpClient client = client(certificate);
    return new Blocking(client, RetryingCallFactory.wrap(client, retry));
  }

  /** A factory, and no thread waits. */
  static PaymentClient enqueue(HttpRetry retry, Certificate certificate) {
    OkHttpClient client = client(certificate);
    return new Enqueueing(client, RetryingCallFactory.wrap(client, retry));
  }

  /** An interceptor within the client. */
  static PaymentClient interceptor(HttpRetry retry, Certificate certificate) {
    OkHttpClient client = RetryInterceptor.addTo(client(certificate).newBuilder(), retry).build();
    return new Blocking(client, client);
  }

  static OkHttpClient client(Certificate certificate) {
    return new OkHttpClient.Builder()
        .sslSocketFactory(
            certificate.client().sslSocketFactory(), certificate.client().trustManager())
        .build();
  }

  static Request request(Payment payment, URI address) {
    return new Request.Builder()
        .url(address.toString())
        .post(RequestBody.create(payment.form(), FORM))
        .tag(RetryOptions.class, RetryOptions.builder().name(payment.title()).build())
        .build();
  }

  static void close(OkHttpClient client) {
    client.dispatcher().executorService().shutdown();
    client.connectionPool().evictAll();
  }

  private static Receipt receipt(Response response) {
    try (response) {
      return new Receipt(response.code(), OkHttpReports.of(response));
    }
  }

  private static final class Blocking implements PaymentClient {
    private final OkHttpClient client;
    private final Call.Factory calls;
    private final ExecutorService callers = DemoThreads.callers();

    Blocking(OkHttpClient client, Call.Factory calls) {
      this.client = client;
      this.calls = calls;
    }

    @Override
    public CompletableFuture<Receipt> pay(Payment payment, URI address) {
      return DemoThreads.call(
          callers, () -> receipt(calls.newCall(request(payment, address)).execute()));
    }

    @Override
    public void close() {
      callers.shutdown();
      OkHttpPayments.close(client);
    }
  }

  private record Enqueueing(OkHttpClient client, Call.Factory calls) implements PaymentClient {
    @Override
    public CompletableFuture<Receipt> pay(Payment payment, URI address) {
      CompletableFuture<Receipt> result = new CompletableFuture<>();
      calls
          .newCall(request(payment, address))
          .enqueue(
              new Callback() {
                @Override
                public void onResponse(Call call, Response response) {
                  result.complete(receipt(response));
                }

                @Override
                public void onFailure(Call call, IOException failure) {
                  result.completeExceptionally(failure);
                }
              });
      return result;
    }

    @Override
    public void close() {
      OkHttpPayments.close(client);
    }
  }
}
