package dev.steadfast.retry.sdks;

import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.httpclient.RetryingHttpClient;
import java.net.Authenticator;
import java.net.CookieHandler;
import java.net.ProxySelector;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.concurrent.Executor;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;

/** Builds a client and wraps it, for SDKs that take a builder and nothing else. */
final class RetryingJdkBuilder implements HttpClient.Builder {
  private final HttpClient.Builder plain = HttpClient.newBuilder();
  private final HttpRetry retry;

  private RetryingJdkBuilder(HttpRetry retry) {
    this.retry = retry;
  }

  static HttpClient.Builder newBuilder(HttpRetry retry) {
    return new RetryingJdkBuilder(retry);
  }

  @Override
  public HttpClient.Builder cookieHandler(CookieHandler cookieHandler) {
    plain.cookieHandler(cookieHandler);
    return this;
  }

  @Override
  public HttpClient.Builder connectTimeout(Duration duration) {
    plain.connectTimeout(duration);
    return this;
  }

  @Override
  public HttpClient.Builder sslContext(SSLContext sslContext) {
    plain.sslContext(sslContext);
    return this;
  }

  @Override
  public HttpClient.Builder sslParameters(SSLParameters sslParameters) {
    plain.sslParameters(sslParameters);
    return this;
  }

  @Override
  public HttpClient.Builder executor(Executor executor) {
    plain.executor(executor);
    return this;
  }

  @Override
  public HttpClient.Builder followRedirects(HttpClient.Redirect policy) {
    plain.followRedirects(policy);
    return this;
  }

  @Override
  public HttpClient.Builder version(HttpClient.Version version) {
    plain.version(version);
    return this;
  }

  @Override
  public HttpClient.Builder priority(int priority) {
    plain.priority(priority);
    return this;
  }

  @Override
  public HttpClient.Builder proxy(ProxySelector proxySelector) {
    plain.proxy(proxySelector);
    return this;
  }

  @Override
  public HttpClient.Builder authenticator(Authenticator authenticator) {
    plain.authenticator(authenticator);
    return this;
  }

  @Override
  public HttpClient build() {
    return RetryingHttpClient.wrap(plain.build(), retry);
  }
}
