package dev.steadfast.retry.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.apache5.Apache5Retry;
import dev.steadfast.retry.http.HttpRetry;
import java.net.http.HttpClient;
import java.time.Duration;
import okhttp3.OkHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.core5.util.Timeout;
import org.springframework.http.client.ClientHttpRequestFactory;

/** All request factories, so that each test runs on both. */
enum SpringClient {
  JDK {
    @Override
    ClientHttpRequestFactory requests(HttpRetry retry) {
      return RetryingJdkRequestFactory.wrap(plain(), retry);
    }

    @Override
    ClientHttpRequestFactory readingFor(HttpRetry retry, Duration readTimeout) {
      return RetryingJdkRequestFactory.wrap(plain(), retry).readTimeout(readTimeout);
    }

    @Override
    ClientHttpRequestFactory keeping(HttpRetry retry, int bytes) {
      return RetryingJdkRequestFactory.wrap(plain(), retry).keepBodiesUpTo(bytes);
    }

    @Override
    Duration readTimeoutOf(ClientHttpRequestFactory requests) {
      RetryPolicy policy = ((RetryingJdkRequestFactory) requests).retry().policy();
      Duration attempt = policy.attemptTimeouts().stream().findFirst().orElse(Duration.ZERO);
      assertEquals(attempt, policy.bodyIdleTimeout().orElse(Duration.ZERO));
      return attempt;
    }

    private HttpClient plain() {
      return HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    }
  },
  OKHTTP {
    @Override
    ClientHttpRequestFactory requests(HttpRetry retry) {
      return RetryingOkHttpRequestFactory.wrap(new OkHttpClient(), retry);
    }

    @Override
    ClientHttpRequestFactory readingFor(HttpRetry retry, Duration readTimeout) {
      return RetryingOkHttpRequestFactory.wrap(new OkHttpClient(), retry).readTimeout(readTimeout);
    }

    @Override
    ClientHttpRequestFactory keeping(HttpRetry retry, int bytes) {
      return RetryingOkHttpRequestFactory.wrap(new OkHttpClient(), retry).keepBodiesUpTo(bytes);
    }

    @Override
    Duration readTimeoutOf(ClientHttpRequestFactory requests) {
      RetryingOkHttpRequestFactory factory = (RetryingOkHttpRequestFactory) requests;
      assertEquals(RetryPolicy.defaults(), factory.retry().policy());
      return Duration.ofMillis(factory.client().readTimeoutMillis());
    }
  },
  APACHE {
    @Override
    ClientHttpRequestFactory requests(HttpRetry retry) {
      return wrapped(retry);
    }

    @Override
    ClientHttpRequestFactory readingFor(HttpRetry retry, Duration readTimeout) {
      return wrapped(retry).readTimeout(readTimeout);
    }

    @Override
    ClientHttpRequestFactory keeping(HttpRetry retry, int bytes) {
      return wrapped(retry).keepBodiesUpTo(bytes);
    }

    @Override
    Duration readTimeoutOf(ClientHttpRequestFactory requests) {
      RetryingApacheRequestFactory factory = (RetryingApacheRequestFactory) requests;
      assertEquals(RetryPolicy.defaults(), factory.retry().policy());
      Timeout timeout = factory.config().getResponseTimeout();
      return timeout == null ? Duration.ZERO : timeout.toDuration();
    }

    private RetryingApacheRequestFactory wrapped(HttpRetry retry) {
      return RetryingApacheRequestFactory.wrap(
          Apache5Retry.addTo(HttpClients.custom(), retry).build());
    }
  };

  abstract ClientHttpRequestFactory requests(HttpRetry retry);

  abstract ClientHttpRequestFactory readingFor(HttpRetry retry, Duration readTimeout);

  abstract ClientHttpRequestFactory keeping(HttpRetry retry, int bytes);

  /** The limits of an attempt and of a body that stalls, zero for none. */
  abstract Duration readTimeoutOf(ClientHttpRequestFactory requests);
}
