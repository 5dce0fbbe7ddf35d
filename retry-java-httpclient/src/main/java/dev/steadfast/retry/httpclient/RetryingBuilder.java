package dev.steadfast.retry.httpclient;

import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.internal.Checks;
import java.net.Authenticator;
import java.net.CookieHandler;
import java.net.InetAddress;
import java.net.ProxySelector;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Redirect;
import java.net.http.HttpClient.Version;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;

/** The JDK's builder, with a client around the one that it builds. */
final class RetryingBuilder implements HttpClient.Builder {
  private final HttpClient.Builder plain = HttpClient.newBuilder();
  private final HttpRetry retry;
  private final RetryOptions options;
  private Consumer<HttpClient.Builder> unreadable = builder -> {}; // settings without a getter

  RetryingBuilder(HttpRetry retry, RetryOptions options) {
    this.retry = Checks.notNull("retry", retry);
    this.options = Checks.notNull("options", options);
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
  public HttpClient.Builder followRedirects(Redirect policy) {
    plain.followRedirects(policy);
    return this;
  }

  @Override
  public HttpClient.Builder version(Version version) {
    plain.version(version);
    return this;
  }

  @Override
  public HttpClient.Builder priority(int priority) {
    plain.priority(priority);
    unreadable = unreadable.andThen(builder -> builder.priority(priority));
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

  /** A method of Java 19; not an override on the Java that this is compiled for. */
  public HttpClient.Builder localAddress(InetAddress localAddress) {
    NewerMethods.localAddress(plain, localAddress);
    unreadable = unreadable.andThen(builder -> NewerMethods.localAddress(builder, localAddress));
    return this;
  }

  @Override
  public HttpClient build() {
    RetryingHttpClient client = RetryingHttpClient.wrap(plain.build(), retry, unreadable);
    return options.equals(RetryOptions.none()) ? client : client.with(options);
  }

  @Override
  public String toString() {
    return "RetryingBuilder(" + retry + ")";
  }
}
