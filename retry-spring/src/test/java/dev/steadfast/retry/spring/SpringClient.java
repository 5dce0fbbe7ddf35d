package dev.steadfast.retry.spring;

import dev.steadfast.retry.http.HttpRetry;
import java.net.http.HttpClient;
import java.time.Duration;
import okhttp3.OkHttpClient;
import org.springframework.http.client.ClientHttpRequestFactory;

/** Both request factories, so that each test runs on both. */
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
  };

  abstract ClientHttpRequestFactory requests(HttpRetry retry);

  abstract ClientHttpRequestFactory readingFor(HttpRetry retry, Duration readTimeout);

  abstract ClientHttpRequestFactory keeping(HttpRetry retry, int bytes);
}
