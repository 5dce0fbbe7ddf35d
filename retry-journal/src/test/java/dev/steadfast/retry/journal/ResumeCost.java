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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import javax.sql.DataSource;

/**
 * Measures how fast due operations are resumed, beside a hand-written loop that makes the same HTTP
 * calls and three bare committed updates each. Both use one thread, the same pool and the same
 * server. An argument has several instances of either do so at once, each with a journal, a client,
 * a pool and a thread of its own. Prints the medians of alternating rounds.
 */
final class ResumeCost {
  private static final int OPERATIONS = Integer.getInteger("operations", 1_000);
  private static final int ROUNDS = 5;
  private static final int CONNECTIONS = 4;

  private final HikariDataSource pool;
  private final HttpClient plain;
  private final RetryingHttpClient client;
  private final JdbcJournal journal;
  private final HttpRequest request;

  private ResumeCost(HikariDataSource pool, URI server) throws IOException {
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
    int number = args.length == 0 ? 1 : Integer.parseInt(args[0]);
    List<ResumeCost> instances = new ArrayList<>();
    try (TestDatabase database = TestDatabase.postgres()) {
      database.execute("create table bare (id integer primary key, state varchar(9))");
      URI uri = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/");
      for (int i = 0; i < number; i++) {
        instances.add(new ResumeCost(pool(database.source()), uri));
      }
      run(instances);
    } finally {
      instances.forEach(each -> each.pool.close());
      server.stop(0);
      threads.shutdownNow();
    }
  }

  private static HikariDataSource pool(DataSource source) {
    HikariDataSource pool = new HikariDataSource();
    pool.setDataSource(source);
    pool.setMaximumPoolSize(CONNECTIONS);
    return pool;
  }

  private static void run(List<ResumeCost> instances) throws Exception {
    double[] loop = new double[ROUNDS];
    double[] resumed = new double[ROUNDS];
    for (int round = -1; round < ROUNDS; round++) { // the first one warms up
      int at = Math.max(0, round);
      int now = round;
      for (int i = 0; i < instances.size(); i++) {
        instances.get(i).insert(now, i);
      }
      loop[at] = rate(instances, i -> instances.get(i).loop(now, i));
      for (int i = 0; i < instances.size(); i++) {
        instances.get(i).enlistAll(now, i);
      }
      resumed[at] = rate(instances, i -> instances.get(i).resume());
    }
    System.out.printf("hand-written loop  %7.0f per second%n", median(loop));
    System.out.printf(
        "journal.resume     %7.0f per second, %.2f x%n",
        median(resumed), median(resumed) / median(loop));
  }

  /** The work of one instance. */
  private interface Work {
    int run(int instance) throws Exception;
  }

  /** Has all instances work at once; how many operations a second are done by all together. */
  private static double rate(List<ResumeCost> instances, Work work) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(instances.size());
    try {
      long begin = System.nanoTime();
      List<Future<Integer>> running = new ArrayList<>();
      for (int i = 0; i < instances.size(); i++) {
        int instance = i;
        running.add(threads.submit(() -> work.run(instance)));
      }
      int done = 0;
      for (Future<Integer> each : running) {
        done += each.get();
      }
      double rate = done * 1e9 / (System.nanoTime() - begin);
      if (done != OPERATIONS * instances.size()) {
        throw new IllegalStateException(done + " operations were sent");
      }
      return rate;
    } finally {
      threads.shutdown();
    }
  }

  private static int first(int round, int instance) {
    return (round + 1) * 1_000_000 + instance * OPERATIONS;
  }

  private void insert(int round, int instance) throws SQLException {
    for (int i = 0; i < OPERATIONS; i++) {
      update("insert into bare (id, state) values (?, 'ready')", first(round, instance) + i);
    }
  }

  private int loop(int round, int instance) throws Exception {
    int first = first(round, instance);
    for (int i = 0; i < OPERATIONS; i++) {
      update("update bare set state = 'claimed' where id = ?", first + i);
      update("update bare set state = 'sent' where id = ?", first + i);
      plain.send(request, BodyHandlers.ofString());
      update("update bare set state = 'done' where id = ?", first + i);
    }
    return OPERATIONS;
  }

  private void update(String sql, int id) throws SQLException {
    try (Connection connection = pool.getConnection();
        PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setInt(1, id);
      statement.executeUpdate();
    }
  }

  private void enlistAll(int round, int instance) throws Exception {
    for (int i = 0; i < OPERATIONS; i++) {
      enlist("order-" + (first(round, instance) + i));
    }
  }

  // Until nothing is left: an instance that finds all reserved by others looks again.
  private int resume() throws Exception {
    int sent = 0;
    int some;
    do {
      some = journal.resume(client.sender(), JdbcJournal.Which.DUE, OPERATIONS);
      sent += some;
    } while (some > 0);
    return sent;
  }

  private void enlist(String order) throws IOException, SQLException {
    RetryOptions charge = RetryOptions.builder().journaled("charge", order).build();
    try (Connection connection = pool.getConnection()) {
      connection.setAutoCommit(false);
      journal.enlist(connection, client.with(charge).intent(request));
      connection.commit();
    }
  }

  private static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }
}
