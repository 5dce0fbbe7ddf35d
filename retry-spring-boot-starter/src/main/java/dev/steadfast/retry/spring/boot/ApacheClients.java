package dev.steadfast.retry.spring.boot;

import dev.steadfast.retry.apache5.Apache5Retry;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.Journaling;
import dev.steadfast.retry.spring.RetryingApacheRequestFactory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.springframework.boot.http.client.HttpClientSettings;
import org.springframework.http.client.ClientHttpRequestFactory;

/** Apache HttpClient 5 as Boot builds it. Loaded only where that library is there. */
final class ApacheClients {
  private ApacheClients() {}

  /** A factory around a client with Boot's settings, the changes of customizers, and retries. */
  static RetryingApacheRequestFactory requests(
      BootClients boot, HttpClientSettings settings, HttpRetry retry) {
    CloseableHttpClient client =
        (CloseableHttpClient)
            boot.apache()
                .withHttpClientCustomizer(builder -> Apache5Retry.addTo(builder, retry)) // last
                .build(settings)
                .getHttpClient();
    Duration reading = settings.readTimeout(); // Boot has given it to the connections
    return reading == null
        ? RetryingApacheRequestFactory.wrap(client)
        : RetryingApacheRequestFactory.wrap(client, reading);
  }

  static CloseableHttpClient client(ClientHttpRequestFactory requests) {
    return ((RetryingApacheRequestFactory) requests).client();
  }

  static Journaling.Sender sender(ClientHttpRequestFactory requests) {
    return Apache5Retry.sender(client(requests));
  }

  /** Ends all operations. */
  static void cancelAll(ClientHttpRequestFactory requests) {
    ((RetryingApacheRequestFactory) requests).cancelAll();
  }

  /** Closes its connections. */
  static void close(ClientHttpRequestFactory requests) {
    try {
      client(requests).close();
    } catch (IOException broken) {
      throw new UncheckedIOException(broken);
    }
  }
}
