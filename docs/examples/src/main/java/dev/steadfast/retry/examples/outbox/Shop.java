package dev.steadfast.retry.examples.outbox;

import com.zaxxer.hikari.HikariDataSource;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.examples.payments.Sql;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.IdempotencyKeys;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.journal.JdbcJournal;
import dev.steadfast.retry.journal.dbscheduler.JournalDelivery;
import dev.steadfast.retry.okhttp.RetryingCallFactory;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import javax.sql.DataSource;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;

/**
 * Takes orders. An order and the intent to pay for it are committed together, and the {@link Relay}
 * makes the payment afterwards. Safe for use by many threads.
 */
final class Shop implements AutoCloseable {
  /** The payments service keeps keys for 24 hours; an hour is left for what is on its way. */
  static final Duration WINDOW = Duration.ofHours(23);

  private static final String INSERT_ORDER =
      "insert into orders (id, account, amount) values (?, ?, ?)";
  private static final MediaType FORM = MediaType.get("application/x-www-form-urlencoded");

  private final HikariDataSource database = new HikariDataSource();
  private final JdbcJournal journal;
  private final RetryingCallFactory calls;
  private final JournalDelivery delivery;

  private Shop(String jdbcUrl, Duration window) throws IOException, SQLException {
    database.setJdbcUrl(jdbcUrl);
    database.setMaximumPoolSize(16); // the scheduler has 10 threads
    createTables("orders.sql");
    createTables("scheduled_tasks.sql"); // of db-scheduler
    journal = JdbcJournal.builder(database).createTables().build();
    calls = client(journal, window);
    delivery = JournalDelivery.over(journal, calls.sender());
  }

  /**
   * Opens the shop, and makes the tables if there are none.
   *
   * @param window how long a payment may be sent again, shorter than the service keeps its key
   */
  static Shop open(String jdbcUrl, Duration window) throws IOException, SQLException {
    return new Shop(jdbcUrl, window);
  }

  private void createTables(String script) throws IOException, SQLException {
    try (InputStream sql = Shop.class.getResourceAsStream(script);
        Connection connection = database.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(new String(sql.readAllBytes(), StandardCharsets.UTF_8));
    }
  }

  private static RetryingCallFactory client(JdbcJournal journal, Duration window) {
    // The journal keeps no credentials, so the client of the relay adds them.
    OkHttpClient plain =
        new OkHttpClient.Builder()
            .addInterceptor(chain ->
                chain.proceed(
                    chain.request().newBuilder().header("Authorization", "Bearer shop").build()))
            .build();
    HttpRetry retry =
        HttpRetry.builder()
            .journal(journal)
            .idempotencyKeys(IdempotencyKeys.randomUuid().withRetention(window))
            .policy(RetryPolicy.builder().totalTimeout(Duration.ofSeconds(3)).build())
            .build();
    return RetryingCallFactory.wrap(plain, retry);
  }

  /** Places an order that is to be paid at this payments service. */
  void place(Order order, URI payments) throws SQLException, IOException {
    try (Connection connection = database.getConnection()) {
      connection.setAutoCommit(false);
      place(connection, order, payments);
      connection.commit(); // without it, the pool rolls both rows back
    }
  }

  /** The same in a transaction of the caller's. */
  void place(Connection connection, Order order, URI payments) throws SQLException, IOException {
    // region outbox-enlist
    Sql.update(connection, INSERT_ORDER, order.id(), order.account(), order.amount());
    RetryOptions charge = RetryOptions.builder().journaled("charge", order.id()).build();
    Request request = payment(order, payments).tag(RetryOptions.class, charge).build();
    delivery.enlist(connection, calls.intent(request));
    // endregion
  }

  private static Request.Builder payment(Order order, URI payments) {
    String form =
        "intent=" + order.id() + "&account=" + order.account() + "&amount=" + order.amount();
    return new Request.Builder().url(payments.toString()).post(RequestBody.create(form, FORM));
  }

  DataSource database() {
    return database;
  }

  JdbcJournal journal() {
    return journal;
  }

  JournalDelivery delivery() {
    return delivery;
  }

  @Override
  public void close() {
    database.close();
  }
}
