package dev.steadfast.retry.journal.dbscheduler;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SchedulerName;
import com.github.kagkarlsson.scheduler.task.helper.CustomTask;
import com.github.kagkarlsson.scheduler.task.helper.OneTimeTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import com.sun.net.httpserver.HttpServer;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.IdempotencyKeys;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.httpclient.RetryingHttpClient;
import dev.steadfast.retry.journal.JdbcJournal;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.sql.DataSource;

/**
 * How many operations a second are delivered, beside tasks of db-scheduler that make the same HTTP
 * call and three bare committed updates. Prints the medians of alternating runs on the same pooled,
 * durable database, each with its own scheduler and a full backlog at its start.
 */
final class DeliveryCost {
  private static final int THREADS = 10; // db-scheduler's default
  private static final int ROUNDS = Integer.getInteger("rounds", 7);
  private static final int OPERATIONS = Integer.getInteger("operations", 2_000);

  private final DataSource pool;
  private final URI server;
  private final HttpClient plain =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private volatile CountDownLatch answered = new CountDownLatch(0);

  private DeliveryCost(DataSource pool, HttpServer server) {
    this.pool = pool;
    this.server = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/charge");
    server.createContext(
        "/charge",
        exchange -> {
          try (exchange) {
            exchange.getRequestBody().readAllBytes();
            exchange.sendResponseHeaders(201, -1);
          }
          answered.countDown();
        });
  }

  public static void main(String[] args) throws Exception {
    System.setProperty("sun.net.httpserver.nodelay", "true"); // otherwise answers wait for an ACK
    HttpServer http =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    http.setExecutor(threads);
    try (TestDatabase database = new TestDatabase()) {
      DeliveryCost cost = new DeliveryCost(database.source(), http);
      http.start();
      cost.run();
    } finally {
      http.stop(0);
      threads.shutdownNow();
    }
  }

  private void run() throws Exception {
    JdbcJournal journal = JdbcJournal.builder(pool).build();
    execute("create table bare (id integer primary key, body bytea, state varchar(9))");
    double[] bare = new double[ROUNDS];
    double[] ours = new double[ROUNDS];
    bare();
    delivered(journal);
    for (int i = 0; i < ROUNDS; i++) {
      bare[i] = bare();
      ours[i] = delivered(journal);
      System.out.printf("round %d: bare %.0f/s, delivered %.0f/s%n", i, bare[i], ours[i]);
    }
    double base = median(bare);
    System.out.printf("tasks with three bare updates  %8.0f / s%n", base);
    System.out.printf(
        "delivered operations           %8.0f / s  %.0f %%%n",
        median(ours), 100 * median(ours) / base);
  }

  private static double median(double[] rates) {
    double[] sorted = rates.clone();
    Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }

  private double bare() throws Exception {
    execute("delete from bare");
    OneTimeTask<Void> task =
        Tasks.oneTime("bare")
            .execute((instance, context) -> bare(Integer.parseInt(instance.getId())));
    Scheduler client = Scheduler.create(pool, task).build();
    try (Connection connection = pool.getConnection();
        PreparedStatement insert =
            connection.prepareStatement(
                "insert into bare (id, body, state) values (?, ?, 'ready')")) {
      for (int i = 0; i < OPERATIONS; i++) {
        insert.setInt(1, i);
        insert.setBytes(2, new byte[8]);
        insert.executeUpdate();
        client.schedule(task.schedulableInstance(Integer.toString(i)));
      }
    }
    client.stop();
    return rate(task);
  }

  private void bare(int id) {
    try {
      update(id, "claimed");
      update(id, "sent");
      HttpRequest request =
          HttpRequest.newBuilder(server)
              .header("Idempotency-Key", UUID.randomUUID().toString())
              .POST(BodyPublishers.ofString("charge 5"))
              .build();
      plain.send(request, BodyHandlers.discarding());
      update(id, "done");
    } catch (Exception failed) {
      throw new IllegalStateException(failed);
    }
  }

  private void update(int id, String state) throws SQLException {
    try (Connection connection = pool.getConnection();
        PreparedStatement update =
            connection.prepareStatement("update bare set state = ? where id = ?")) {
      update.setString(1, state);
      update.setInt(2, id);
      update.executeUpdate();
    }
  }

  private double delivered(JdbcJournal journal) throws Exception {
    execute("delete from steadfast_operation");
    HttpRetry retry =
        HttpRetry.builder()
            .journal(journal)
            .idempotencyKeys(IdempotencyKeys.randomUuid().retention(Duration.ofHours(24)))
            .build();
    RetryingHttpClient client = RetryingHttpClient.wrap(plain, retry);
    JournalDelivery delivery = JournalDelivery.over(journal, client.sender());
    HttpRequest request =
        HttpRequest.newBuilder(server).POST(BodyPublishers.ofString("charge 5")).build();
    try (Connection connection = pool.getConnection()) {
      connection.setAutoCommit(false);
      for (int i = 0; i < OPERATIONS; i++) {
        RetryOptions charge = RetryOptions.builder().journaled("charge", "order-" + i).build();
        delivery.enlist(connection, client.with(charge).intent(request));
        connection.commit();
      }
    }
    return rate(delivery.task());
  }

  private double rate(OneTimeTask<Void> task) throws Exception {
    return rate(
        new com.github.kagkarlsson.scheduler.SchedulerBuilder(pool, java.util.List.of(task)));
  }

  private double rate(CustomTask<Void> task) throws Exception {
    return rate(Scheduler.create(pool).startTasks(task));
  }

  private double rate(com.github.kagkarlsson.scheduler.SchedulerBuilder builder) throws Exception {
    execute("checkpoint");
    answered = new CountDownLatch(OPERATIONS);
    Scheduler scheduler =
        builder
            .threads(THREADS)
            .pollUsingLockAndFetch(0.5, 4.0)
            .pollingInterval(Duration.ofMillis(100))
            .heartbeatInterval(Duration.ofSeconds(1))
            .schedulerName(new SchedulerName.Fixed("cost"))
            .build();
    long begin = System.nanoTime();
    scheduler.start();
    answered.await();
    while (left() > 0) {
      Thread.onSpinWait();
    }
    long nanos = System.nanoTime() - begin;
    scheduler.stop();
    return OPERATIONS * 1e9 / nanos;
  }

  private int left() throws SQLException {
    String sql = "select count(*) from scheduled_tasks where task_instance <> 'sweep'";
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getInt(1);
    }
  }

  private void execute(String sql) throws SQLException {
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
