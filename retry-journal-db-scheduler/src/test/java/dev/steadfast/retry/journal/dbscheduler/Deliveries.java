package dev.steadfast.retry.journal.dbscheduler;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.github.kagkarlsson.scheduler.PollingStrategyConfig;
import com.github.kagkarlsson.scheduler.testhelper.ManualScheduler;
import com.github.kagkarlsson.scheduler.testhelper.SettableClock;
import com.github.kagkarlsson.scheduler.testhelper.TestHelper;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.IdempotencyKeys;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.httpclient.RetryingHttpClient;
import dev.steadfast.retry.journal.JdbcJournal;
import dev.steadfast.retry.operations.OperationJournal.Intent;
import dev.steadfast.retry.tck.Received;
import dev.steadfast.retry.tck.ScriptedServer;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/** A journal in an empty database, a server, and clients whose operations are delivered. */
final class Deliveries implements AutoCloseable {
  final ScriptedServer server = ScriptedServer.start();
  final JdbcJournal journal;

  private final DataSource source;

  Deliveries(TestDatabase database) throws IOException, SQLException {
    source = database.source();
    journal = JdbcJournal.builder(source).build();
    execute("truncate steadfast_operation, steadfast_sequence, scheduled_tasks");
    execute("drop table if exists orders, elsewhere");
    execute("create table orders (id varchar(20) primary key)");
  }

  DataSource source() {
    return source;
  }

  HttpRetry.Builder retry() {
    return HttpRetry.builder()
        .policy(RetryPolicy.builder().maxAttempts(1).totalTimeout(Duration.ofSeconds(30)).build())
        .journal(journal);
  }

  /** Sends with keys, and does not retry by itself. */
  RetryingHttpClient keyed() {
    return client(
        retry().idempotencyKeys(IdempotencyKeys.randomUuid().withRetention(Duration.ofHours(24))));
  }

  RetryingHttpClient client(HttpRetry.Builder retry) {
    HttpClient plain = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    return RetryingHttpClient.wrap(plain, retry.build());
  }

  JournalDelivery delivery() {
    return JournalDelivery.over(journal, keyed().sender());
  }

  Intent intent(RetryingHttpClient client, String key) {
    return Intent.of(client.with(options(key)).intent(request(key)));
  }

  static RetryOptions options(String key) {
    return RetryOptions.builder().journaled("charge", key).build();
  }

  HttpRequest request(String key) {
    return HttpRequest.newBuilder(server.uri("/charge"))
        .header("Content-Type", "text/plain")
        .POST(BodyPublishers.ofString(key))
        .build();
  }

  void enlist(JournalDelivery delivery, String key) throws Exception {
    try (Connection connection = transaction()) {
      assertTrue(delivery.enlist(connection, intent(keyed(), key)));
      connection.commit();
    }
  }

  void enlist(JournalDelivery delivery, String sequence, String... keys) throws Exception {
    try (Connection connection = transaction()) {
      for (String key : keys) {
        assertTrue(delivery.enlist(connection, intent(keyed(), key), sequence));
      }
      connection.commit();
    }
  }

  Connection transaction() throws SQLException {
    Connection connection = source.getConnection();
    connection.setAutoCommit(false);
    return connection;
  }

  /**
   * A scheduler that runs what is due when it is told to, on the calling thread.
   *
   * @param ahead how far its clock is ahead of the database's
   */
  ManualScheduler manual(JournalDelivery delivery, Duration ahead) {
    SettableClock clock = new SettableClock();
    clock.set(Instant.now().plus(ahead));
    return TestHelper.createManualScheduler(source)
        .clock(clock)
        .startTasks(List.of(delivery.task()))
        .pollingStrategy(
            new PollingStrategyConfig(PollingStrategyConfig.Type.LOCK_AND_FETCH, 0.5, 10))
        .build();
  }

  /** Runs what is due now, at a time that is after all that has been written so far. */
  static void run(ManualScheduler scheduler) {
    scheduler.tick(Duration.ofMinutes(1));
    scheduler.runAnyDueExecutions();
  }

  /** What the server got, in order. */
  List<String> received() {
    return server.requests().stream().map(Received::bodyText).toList();
  }

  /** The keys that the server got. */
  List<String> keys() {
    return server.requests().stream()
        .map(each -> each.header("Idempotency-Key").orElse("none"))
        .distinct()
        .toList();
  }

  String state(String key) throws SQLException {
    return lines("select state from steadfast_operation where op_key = '" + key + "'").get(0);
  }

  /** The wake-ups that are kept, without that of the sweep. */
  List<String> wakeups() throws SQLException {
    return lines(
        "select task_instance from scheduled_tasks where task_instance <> 'sweep'"
            + " order by task_instance");
  }

  /** When a wake-up comes, from some time on. */
  Duration wakeupAfter(Instant time) throws SQLException {
    String sql = "select max(execution_time) from scheduled_tasks where task_instance <> 'sweep'";
    try (Connection connection = source.getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return Duration.between(time, row.getTimestamp(1).toInstant());
    }
  }

  List<String> lines(String sql) throws SQLException {
    List<String> lines = new ArrayList<>();
    try (Connection connection = source.getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      while (row.next()) {
        lines.add(row.getString(1));
      }
    }
    return lines;
  }

  void execute(String sql) throws SQLException {
    try (Connection connection = source.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** What was to happen later is due now. */
  void passTime() throws SQLException {
    execute("update steadfast_operation set due_at = clock_timestamp() where due_at is not null");
    execute(
        "update steadfast_operation set lease_until = clock_timestamp() where state = 'in_flight'");
  }

  @Override
  public void close() {
    server.close();
  }
}
