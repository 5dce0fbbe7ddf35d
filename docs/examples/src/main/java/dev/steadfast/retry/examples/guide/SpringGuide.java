package dev.steadfast.retry.examples.guide;

import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.httpclient.RetryingHttpClient;
import java.net.http.HttpClient;
import java.time.Duration;
import org.springframework.http.MediaType;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.web.client.RestClient;

/** What the guides show of Spring. */
final class SpringGuide {
  private SpringGuide() {}

  static RestClient client(String url, HttpRetry retry) {
    // region spring
    HttpClient http = RetryingHttpClient.wrap(HttpClient.newHttpClient(), retry);
    RestClient payments =
        RestClient.builder()
            .baseUrl(url)
            .requestFactory(new JdkClientHttpRequestFactory(http))
            .bufferContent((uri, method) -> true) // a streamed body can be sent only once
            .build();
    // endregion
    return payments;
  }

  static HttpRetry timeouts() {
    // region spring-timeouts
    HttpRetry retry =
        HttpRetry.builder()
            .policy(
                RetryPolicy.builder()
                    .attemptTimeout(Duration.ofSeconds(5)) // what setReadTimeout is meant to do
                    .totalTimeout(Duration.ofSeconds(20))
                    .build())
            .build();
    // endregion
    return retry;
  }

  static String pay(RestClient payments, Object payment) {
    // region spring-key
    String receipt =
        payments
            .post()
            .uri("/payments")
            .header("Idempotency-Key", "order-12345-payment") // a key of one's own vouches, too
            .contentType(MediaType.APPLICATION_JSON)
            .body(payment)
            .retrieve()
            .body(String.class);
    // endregion
    return receipt;
  }
}
