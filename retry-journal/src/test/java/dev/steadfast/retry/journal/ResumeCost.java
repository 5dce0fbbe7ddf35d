package dev.steadfast.retry.journal;

import com.sun.net.httpserver.HttpServer;
import com.zaxxer.hikari.HikariDataSource;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.IdempotencyKeys;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.httpclient.RetryingHttpClient;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.sql.DataSource;

/**
 * Measures how fast due operations are resumed, beside a hand-written loop that makes the same HTTP
 * calls and three bare committed updates each. Both use one thread, the same pool and the same
 * server. Prints the medians of alternating rounds.
 */
final class ResumeCost {
  private static final int OPERATIONS = 1_000;
  private static final int ROUNDS = 5;
  private static final int CONNECTIONS = 4;

  private final DataSource pool;
  private final HttpClient plain;
  private final RetryingHttpClient client;
  private final JdbcJournal journal;
  private final HttpRequest request;

  private ResumeCost(DataSource pool, URI server) throws IOException {
    this.pool = pool;
    this.journal = JdbcJournal.builder(pool).build();
    this.plain = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    this.client =
        RetryingHttpClient.wrap(
            plain,
            HttpRetry.builder()
                .journal(journal)
                .idempotencyKeys(IdempotencyKeys.randomUuid())
                .build());
    this.request =
        HttpRequest.newBuilder(server)
            .header("Content-Type", "text/plain")
            .POST(BodyPublishers.ofString("charge 5"))
            .build();
  }

  public static void main(String[] args) throws Exception {
    System.setProperty("sun.net.httpserver.nodelay", "true"); // otherwise answers wait for an ACK
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    ExecutorService threads = Executors.newCachedThreadPool();
    server.setExecutor(threads);
    server.createContext(
        "/",
        exchange -> {
          exchange.getRequestBody().readAllBytes();
          exchange.sendResponseHeaders(201, -1);
          exchange.close();
        });
    server.start();
    try (TestDatabase database = TestDatabase.postgres();
        HikariDataSource pool = new HikariDataSource()) {
      pool.setDataSource(database.source());
      pool.setMaximumPoolSize(CONNECTIONS);
      database.execute("create table bare (id integer primary key, state varchar(9))");
      URI uri = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/");
      new ResumeCost(pool, uri).run();
    } finally {
      server.stop(0);
      threads.shutdownNow();
    }
  }

  private void run() throws Exception {
    double[] loop = new double[ROUNDS];
    double[] resumed = new double[ROUNDS];
    for (int round = -1; round < ROUNDS; round++) { // the first one warms up
      int at = Math.max(0, round);
      loop[at] = loop(round);
      resumed[at] = resume(round);
    }
    System.out.printf("hand-written loop  %7.0f per second%n", median(loop));
    System.out.printf(
        "journal.resume     %7.0f per second, %.2f x%n",
        median(resumed), median(resumed) / median(loop));
  }

  private double loop(int round) throws Exception {
    int first = (round + 1) * OPERATIONS;
    for (int i = 0; i < OPERATIONS; i++) {
      update("insert into bare (id, state) values (?, 'ready')", first + i);
    }
    long begin = System.nanoTime();
    for (int i = 0; i < OPERATIONS; i++) {
      update("update bare set state = 'claimed' where id = ?", first + i);
      update("update bare set state = 'sent' where id = ?", first + i);
      plain.send(request, BodyHandlers.ofString());
      update("update bare set state = 'done' where id = ?", first + i);
    }
    return rate(begin);
  }

  private void update(String sql, int id) throws SQLException {
    try (Connection connection = pool.getConnection();
        PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setInt(1, id);
      statement.executeUpdate();
    }
  }

  private double resume(int round) throws Exception {
    for (int i = 0; i < OPERATIONS; i++) {
      enlist("order-" + round + "-" + i);
    }
    long begin = System.nanoTime();
    int sent = journal.resume(client.sender(), JdbcJournal.Which.DUE, OPERATIONS);
    double rate = rate(begin);
    if (sent != OPERATIONS) {
      throw new IllegalStateException(sent + " operations were sent");
    }
    return rate;
  }

  private void enlist(String order) throws IOException, SQLException {
    RetryOptions charge = RetryOptions.builder().journaled("charge", order).build();
    try (Connection connection = pool.getConnection()) {
      connection.setAutoCommit(false);
      journal.enlist(connection, client.with(charge).intent(request));
      connection.commit();
    }
  }

  private static double rate(long begin) {
    return OPERATIONS * 1e9 / (System.nanoTime() - begin);
  }

  private static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }
}
