package dev.steadfast.retry.examples.springboot;

import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.IdempotencyKeys;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.spring.RetryAttributes;
import dev.steadfast.retry.spring.RetryingJdkRequestFactory;
import dev.steadfast.retry.spring.boot.SteadfastClients;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.function.Consumer;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.web.client.RestClient;

/** Code of the guide for Spring. */
final class SpringGuide {
  @Bean
  RestClient paymentsClient(SteadfastClients clients) {
    return clients.get("payments").restClient().build();
  }

  // region spring-boot3-bean
  @Bean
  RestClient shopPayments(RestClient.Builder builder, @Value("${payments.url}") String url) {
    HttpRetry retry =
        HttpRetry.builder()
            .policy(RetryPolicy.valueOf("maxAttempts=4; totalTimeout=10s"))
            .idempotencyKeys(IdempotencyKeys.randomUuid()) // the server supports Idempotency-Key
            .build();
    RetryingJdkRequestFactory requests =
        RetryingJdkRequestFactory.wrap(HttpClient.newHttpClient(), retry)
            .readTimeout(Duration.ofSeconds(5));
    return builder.baseUrl(url).requestFactory(requests).build();
  }

  // endregion

  static void oneRequest(RestClient payments, Object payment, Consumer<RetryReport> reports) {
    // region spring-attributes
    RetryOptions options =
        RetryOptions.builder()
            .idempotencyKey("order-12345-payment")
            .deadline(Duration.ofSeconds(3))
            .build();
    payments
        .post()
        .uri("/payments")
        .attributes(RetryAttributes.options(options))
        .attributes(RetryAttributes.report(reports))
        .body(payment)
        .retrieve()
        .toBodilessEntity();
    // endregion
  }
}
