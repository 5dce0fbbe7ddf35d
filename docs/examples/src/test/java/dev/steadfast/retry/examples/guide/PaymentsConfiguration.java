package dev.steadfast.retry.examples.guide;

import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.httpclient.RetryingHttpClient;
import java.net.http.HttpClient;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.web.client.RestClient;

@Configuration
class PaymentsConfiguration {
  @Bean
  HttpRetry httpRetry() {
    return HttpRetry.builder().build();
  }

  @Bean
  RestClient paymentsClient(
      RestClient.Builder builder, HttpRetry retry, @Value("${payments.url}") String url) {
    RetryingHttpClient http = RetryingHttpClient.wrap(HttpClient.newHttpClient(), retry);
    return builder
        .baseUrl(url)
        .requestFactory(new JdkClientHttpRequestFactory(http))
        .bufferContent((uri, method) -> true)
        .build();
  }
}
