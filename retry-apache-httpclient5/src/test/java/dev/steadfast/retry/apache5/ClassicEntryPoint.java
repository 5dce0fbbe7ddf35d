package dev.steadfast.retry.apache5;

import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.tck.Client;
import dev.steadfast.retry.tck.EntryPoint;
import dev.steadfast.retry.tck.Follows;
import dev.steadfast.retry.tck.Interference;
import dev.steadfast.retry.tck.Trait;
import java.util.EnumSet;
import java.util.Set;
import org.apache.hc.client5.http.auth.AuthScope;
import org.apache.hc.client5.http.auth.UsernamePasswordCredentials;
import org.apache.hc.client5.http.impl.auth.BasicCredentialsProvider;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClientBuilder;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManager;

/** The classic client, in the words of the scenario table. */
final class ClassicEntryPoint implements EntryPoint {
  private static final Set<Trait> TRAITS =
      EnumSet.of(
          Trait.BODY_AFTER_CALL,
          Trait.UNINTERRUPTIBLE_READS,
          Trait.DROPS_HEADERS_ON_GET,
          Trait.READS_PAST_GARBAGE);

  @Override
  public String name() {
    return "HttpClient 5 classic";
  }

  @Override
  public Set<Trait> traits() {
    return TRAITS;
  }

  @Override
  public Client open(HttpRetry retry) {
    return open(retry, Follows.NOTHING, Interference.NONE);
  }

  @Override
  public boolean canFollow() {
    return true;
  }

  @Override
  public Client open(HttpRetry retry, Follows follows) {
    return open(retry, follows, Interference.NONE);
  }

  @Override
  public boolean takesInterceptors() {
    return true;
  }

  @Override
  public Client open(HttpRetry retry, Interference interference) {
    return open(retry, Follows.NOTHING, interference);
  }

  private static Client open(HttpRetry retry, Follows follows, Interference interference) {
    PoolingHttpClientConnectionManager pool = new PoolingHttpClientConnectionManager();
    HttpClientBuilder builder = HttpClients.custom().setConnectionManager(pool);
    if (follows != Follows.REDIRECTS) {
      builder.disableRedirectHandling();
    }
    if (follows == Follows.CHALLENGES) {
      BasicCredentialsProvider credentials = new BasicCredentialsProvider();
      credentials.setCredentials(
          new AuthScope(null, -1), new UsernamePasswordCredentials("u", "p".toCharArray()));
      builder.setDefaultCredentialsProvider(credentials);
    }
    CloseableHttpClient plain =
        HttpClients.custom().setConnectionManager(pool).disableAutomaticRetries().build();
    if (interference != Interference.NONE) {
      builder.addExecInterceptorFirst("users", new Interfering(plain, interference));
    }
    return new ClassicUnderTest(Apache5Retry.addTo(builder, retry).build(), plain, pool);
  }
}
