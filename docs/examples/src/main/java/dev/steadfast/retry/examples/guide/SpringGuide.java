package dev.steadfast.retry.examples.guide;

import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.httpclient.RetryingHttpClient;
import java.net.http.HttpClient;
import java.time.Duration;
import org.springframework.http.MediaType;
import org.springframework.http.client.BufferingClientHttpRequestFactory;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestTemplate;

/** What the guides show of Spring. */
final class SpringGuide {
  private SpringGuide() {}

  static RestClient client(String url, HttpRetry retry) {
    RetryingHttpClient http = RetryingHttpClient.wrap(HttpClient.newHttpClient(), retry);
    RestClient payments =
        RestClient.builder()
            .baseUrl(url)
            .requestFactory(new JdkClientHttpRequestFactory(http))
            .bufferContent((uri, method) -> true) // a body of unknown length is sent only once
            .build();
    return payments;
  }

  static HttpRetry timeouts() {
    HttpRetry retry =
        HttpRetry.builder()
            .policy(
                RetryPolicy.builder()
                    .attemptTimeout(Duration.ofSeconds(5)) // instead of setReadTimeout
                    .totalTimeout(Duration.ofSeconds(20)) // all attempts and waits
                    .build())
            .build();
    return retry;
  }

  static RestClient streaming(String url, RetryingHttpClient http) {
    RetryOptions repeatable = RetryOptions.builder().bodyRepeatable(true).build();
    RestClient uploads =
        RestClient.builder()
            .baseUrl(url)
            .requestFactory(new JdkClientHttpRequestFactory(http.with(repeatable)))
            .build();
    return uploads;
  }

  static RestTemplate template(RetryingHttpClient http) {
    RestTemplate template =
        new RestTemplate(
            new BufferingClientHttpRequestFactory(new JdkClientHttpRequestFactory(http)));
    return template;
  }

  static String pay(RestClient payments, Object payment) {
    return payments
        .post()
        .uri("/payments")
        .header("Idempotency-Key", "order-12345-payment")
        .contentType(MediaType.APPLICATION_JSON)
        .body(payment)
        .retrieve()
        .body(String.class);
  }
}
