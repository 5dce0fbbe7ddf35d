package dev.steadfast.retry.spring.boot;

import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.spring.RetryingOkHttpRequestFactory;
import java.util.stream.Stream;
import javax.net.ssl.X509TrustManager;
import okhttp3.ConnectionSpec;
import okhttp3.CookieJar;
import okhttp3.OkHttpClient;
import org.springframework.boot.http.client.HttpClientSettings;
import org.springframework.boot.http.client.HttpCookieHandling;
import org.springframework.boot.http.client.HttpRedirects;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslOptions;

/** OkHttp with Boot's settings. Loaded only where OkHttp is there. */
final class OkHttpClients {
  private OkHttpClients() {}

  /** A factory around a copy of the base, with the settings that are set. */
  static RetryingOkHttpRequestFactory requests(
      OkHttpClient base, HttpClientSettings settings, HttpRetry retry) {
    OkHttpClient.Builder builder = base.newBuilder();
    if (settings.connectTimeout() != null) {
      builder.connectTimeout(settings.connectTimeout());
    }
    if (settings.readTimeout() != null) {
      builder.readTimeout(settings.readTimeout());
    }
    if (settings.redirects() != null) {
      builder.followRedirects(settings.redirects() != HttpRedirects.DONT_FOLLOW);
    }
    if (settings.cookieHandling() == HttpCookieHandling.DISABLE) {
      builder.cookieJar(CookieJar.NO_COOKIES);
    }
    if (settings.sslBundle() != null) {
      secure(builder, base, settings.sslBundle());
    }
    if (settings.inetAddressFilter() != null) {
      AllowedAddresses.restrict(builder, base, settings.inetAddressFilter());
    }
    return RetryingOkHttpRequestFactory.wrap(builder.build(), retry);
  }

  /** OkHttp by itself has no jar for cookies. */
  static boolean lacksCookies(OkHttpClient base, HttpClientSettings settings) {
    return settings.cookieHandling() == HttpCookieHandling.ENABLE
        && base.cookieJar().equals(CookieJar.NO_COOKIES);
  }

  /** Closes the idle connections of a client, and ends the idle threads of its dispatcher. */
  static void close(OkHttpClient client) {
    client.dispatcher().executorService().shutdown();
    client.connectionPool().evictAll();
  }

  private static void secure(OkHttpClient.Builder builder, OkHttpClient base, SslBundle bundle) {
    X509TrustManager trust =
        Stream.of(bundle.getManagers().getTrustManagers())
            .filter(X509TrustManager.class::isInstance)
            .map(X509TrustManager.class::cast)
            .findFirst()
            .orElseThrow(() -> new IllegalStateException("no X.509 trust manager in " + bundle));
    builder.sslSocketFactory(bundle.createSslContext().getSocketFactory(), trust);
    SslOptions options = bundle.getOptions();
    if (options.isSpecified()) {
      builder.connectionSpecs(
          base.connectionSpecs().stream()
              .map(each -> each.isTls() ? restricted(each, options) : each)
              .toList());
    }
  }

  private static ConnectionSpec restricted(ConnectionSpec base, SslOptions options) {
    ConnectionSpec.Builder spec = new ConnectionSpec.Builder(base);
    if (options.getCiphers() != null) {
      spec.cipherSuites(options.getCiphers());
    }
    if (options.getEnabledProtocols() != null) {
      spec.tlsVersions(options.getEnabledProtocols());
    }
    return spec.build();
  }
}
