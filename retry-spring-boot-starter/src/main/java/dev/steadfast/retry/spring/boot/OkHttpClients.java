package dev.steadfast.retry.spring.boot;

import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.spring.RetryingOkHttpRequestFactory;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.stream.Stream;
import javax.net.ssl.X509TrustManager;
import okhttp3.ConnectionSpec;
import okhttp3.Dns;
import okhttp3.OkHttpClient;
import org.springframework.boot.http.client.HttpClientSettings;
import org.springframework.boot.http.client.HttpRedirects;
import org.springframework.boot.http.client.InetAddressFilter;
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
    if (settings.redirects() == HttpRedirects.DONT_FOLLOW) {
      builder.followRedirects(false);
    }
    if (settings.sslBundle() != null) {
      secure(builder, settings.sslBundle());
    }
    if (settings.inetAddressFilter() != null) {
      builder.dns(new FilteredDns(base.dns(), settings.inetAddressFilter()));
    }
    return RetryingOkHttpRequestFactory.wrap(builder.build(), retry);
  }

  private static void secure(OkHttpClient.Builder builder, SslBundle bundle) {
    X509TrustManager trust =
        Stream.of(bundle.getManagers().getTrustManagers())
            .filter(X509TrustManager.class::isInstance)
            .map(X509TrustManager.class::cast)
            .findFirst()
            .orElseThrow(() -> new IllegalStateException("no X.509 trust manager in " + bundle));
    builder.sslSocketFactory(bundle.createSslContext().getSocketFactory(), trust);
    SslOptions options = bundle.getOptions();
    if (options.isSpecified()) {
      ConnectionSpec.Builder spec = new ConnectionSpec.Builder(ConnectionSpec.MODERN_TLS);
      if (options.getCiphers() != null) {
        spec.cipherSuites(options.getCiphers());
      }
      if (options.getEnabledProtocols() != null) {
        spec.tlsVersions(options.getEnabledProtocols());
      }
      builder.connectionSpecs(List.of(spec.build(), ConnectionSpec.CLEARTEXT));
    }
  }

  /** The addresses that the application lets its clients call. */
  private record FilteredDns(Dns all, InetAddressFilter allowed) implements Dns {
    @Override
    public List<InetAddress> lookup(String host) throws UnknownHostException {
      List<InetAddress> found = all.lookup(host).stream().filter(allowed::matches).toList();
      if (found.isEmpty()) {
        throw new UnknownHostException(host + " has no address that may be called");
      }
      return found;
    }
  }
}
