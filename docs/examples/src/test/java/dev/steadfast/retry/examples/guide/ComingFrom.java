package dev.steadfast.retry.examples.guide;

import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.IdempotencyKeys;
import dev.steadfast.retry.httpclient.RetryingHttpClient;
import dev.steadfast.retry.okhttp.RetryingCallFactory;
import dev.steadfast.retry.spring.RetryingJdkRequestFactory;
import io.github.resilience4j.core.IntervalFunction;
import io.github.resilience4j.retry.Retry;
import io.github.resilience4j.retry.RetryConfig;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import okhttp3.Call;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.retry.support.RetryTemplate;
import org.springframework.web.client.HttpServerErrorException;
import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.client.RestClient;

/** Retries by other means, and the same calls with Steadfast. */
final class ComingFrom {
  private ComingFrom() {}

  static HttpRetry retry() {
    HttpRetry retry =
        HttpRetry.builder()
            .policy(
                RetryPolicy.builder()
                    .maxAttempts(3)
                    .backoff(Backoff.fullJitter(Duration.ofMillis(100), Duration.ofSeconds(20)))
                    .build())
            .idempotencyKeys(IdempotencyKeys.randomUuid()) // this server honours Idempotency-Key
            .build();
    return retry;
  }

  static String springBefore(String url, String payment) {
    // Named, because RestClient takes HttpClient 5 if it is there, which retries by itself.
    RestClient payments =
        RestClient.builder().baseUrl(url).requestFactory(new JdkClientHttpRequestFactory()).build();
    RetryTemplate template =
        RetryTemplate.builder()
            .maxAttempts(3)
            .exponentialBackoff(100, 2, 20_000, true)
            .retryOn(List.of(HttpServerErrorException.class, ResourceAccessException.class))
            .build();

    String receipt =
        template.execute(context ->
            payments.post().uri("/payments").body(payment).retrieve().body(String.class));
    return receipt;
  }

  static String springAfter(String url, String payment, HttpRetry retry) {
    RestClient payments =
        RestClient.builder()
            .baseUrl(url)
            .requestFactory(RetryingJdkRequestFactory.wrap(HttpClient.newHttpClient(), retry))
            .build();

    String receipt = payments.post().uri("/payments").body(payment).retrieve().body(String.class);
    return receipt;
  }

  static HttpResponse<String> resilience4jBefore(HttpRequest request) throws Exception {
    HttpClient http = HttpClient.newHttpClient();
    Retry retry =
        Retry.of(
            "payments",
            RetryConfig.<HttpResponse<String>>custom()
                .maxAttempts(3)
                .intervalFunction(IntervalFunction.ofExponentialRandomBackoff(100, 2))
                .retryExceptions(IOException.class)
                .retryOnResult(response -> response.statusCode() >= 500)
                .build());

    HttpResponse<String> response =
        retry.executeCallable(() -> http.send(request, BodyHandlers.ofString()));
    return response;
  }

  static HttpResponse<String> resilience4jAfter(HttpRequest request, HttpRetry retry)
      throws Exception {
    HttpClient http = RetryingHttpClient.wrap(HttpClient.newHttpClient(), retry);

    HttpResponse<String> response = http.send(request, BodyHandlers.ofString());
    return response;
  }

  static final class HandWritten implements Interceptor {
    @Override
    public Response intercept(Chain chain) throws IOException {
      for (int attempt = 1; ; attempt++) {
        try {
          Response response = chain.proceed(chain.request());
          if (response.code() < 500 || attempt == 3) {
            return response;
          }
          response.close();
        } catch (IOException failure) {
          if (attempt == 3) {
            throw failure;
          }
        }
        pause(100L << attempt); // a method of yours that sleeps
      }
    }
  }

  /** Does not sleep here: the tests count requests and not time. */
  private static void pause(long millis) {
    assert millis > 0;
  }

  static Call interceptorBefore(Request request) {
    OkHttpClient client = new OkHttpClient.Builder().addInterceptor(new HandWritten()).build();
    Call call = client.newCall(request);
    return call;
  }

  static Call interceptorAfter(Request request, HttpRetry retry) {
    Call.Factory calls = RetryingCallFactory.wrap(new OkHttpClient(), retry);
    Call call = calls.newCall(request);
    return call;
  }
}
