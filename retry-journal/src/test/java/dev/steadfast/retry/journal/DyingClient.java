package dev.steadfast.retry.journal;

import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.IdempotencyKeys;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.httpclient.RetryingHttpClient;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/** A client in a process of its own, which the test kills. */
final class DyingClient {
  private DyingClient() {}

  static RetryingHttpClient client(DataSource source, boolean keyed) throws IOException {
    HttpRetry.Builder retry = HttpRetry.builder().journal(JdbcJournal.builder(source).build());
    if (keyed) {
      retry.idempotencyKeys(IdempotencyKeys.randomUuid().withRetention(Duration.ofHours(1)));
    }
    HttpClient plain = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    return RetryingHttpClient.wrap(plain, retry.build());
  }

  static HttpRequest charge(URI server) {
    return HttpRequest.newBuilder(server)
        .header("Content-Type", "text/plain")
        .POST(BodyPublishers.ofString("charge 5"))
        .build();
  }

  static RetryOptions options() {
    return RetryOptions.builder().journaled("charge", "order-1").build();
  }

  /** Begins the operation; it is killed before the answer comes. */
  static Process start(String jdbcUrl, URI server, boolean keyed) throws IOException {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    return new ProcessBuilder(
            java,
            "-cp",
            System.getProperty("java.class.path"),
            DyingClient.class.getName(),
            jdbcUrl,
            server.toString(),
            Boolean.toString(keyed))
        .redirectErrorStream(true)
        .redirectOutput(new File("target", "dying-client.txt"))
        .start();
  }

  public static void main(String[] args) throws Exception {
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setUrl(args[0]);
    client(source, Boolean.parseBoolean(args[2]))
        .with(options())
        .send(charge(URI.create(args[1])), BodyHandlers.ofString());
  }
}
