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
import org.apache.hc.client5.http.impl.async.CloseableHttpAsyncClient;
import org.apache.hc.client5.http.impl.async.HttpAsyncClientBuilder;
import org.apache.hc.client5.http.impl.async.HttpAsyncClients;
import org.apache.hc.client5.http.impl.auth.BasicCredentialsProvider;
import org.apache.hc.client5.http.impl.nio.PoolingAsyncClientConnectionManager;

/** The asynchronous client, in the words of the scenario table. */
final class AsyncEntryPoint implements EntryPoint {
  private static final Set<Trait> TRAITS =
      EnumSet.of(
          Trait.ASYNC,
          Trait.LATE_CANCEL,
          Trait.CANCEL_WITHOUT_REPORT,
          Trait.BODY_AFTER_CALL,
          Trait.HIDES_STALE_CONNECTIONS,
          Trait.NOTICES_CLOSING_BY_CHANCE,
          Trait.DROPS_HEADERS_ON_GET);

  @Override
  public String name() {
    return "HttpClient 5 async";
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
    PoolingAsyncClientConnectionManager pool = new PoolingAsyncClientConnectionManager();
    HttpAsyncClientBuilder builder = HttpAsyncClients.custom().setConnectionManager(pool);
    if (follows != Follows.REDIRECTS) {
      builder.disableRedirectHandling();
    }
    if (follows == Follows.CHALLENGES) {
      BasicCredentialsProvider credentials = new BasicCredentialsProvider();
      credentials.setCredentials(
          new AuthScope(null, -1), new UsernamePasswordCredentials("u", "p".toCharArray()));
      builder.setDefaultCredentialsProvider(credentials);
    }
    CloseableHttpAsyncClient plain =
        HttpAsyncClients.custom()
            .setConnectionManager(pool)
            .setConnectionManagerShared(true)
            .disableAutomaticRetries()
            .build();
    plain.start();
    if (interference != Interference.NONE) {
      builder.addExecInterceptorFirst(
          "users", new AsyncInterfering(plain, () -> Parts.awaitNoLease(pool), interference));
    }
    CloseableHttpAsyncClient client = Apache5Retry.addTo(builder, retry).build();
    client.start();
    return new AsyncUnderTest(client, plain, pool);
  }
}
