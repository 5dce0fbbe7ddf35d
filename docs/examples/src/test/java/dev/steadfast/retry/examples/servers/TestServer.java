package dev.steadfast.retry.examples.servers;

import dev.steadfast.retry.RetryListener;
import dev.steadfast.retry.examples.payments.ArmedFaults;
import dev.steadfast.retry.examples.payments.Faults;
import dev.steadfast.retry.examples.payments.Faults.Point;
import dev.steadfast.retry.examples.payments.Sql;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.testkit.FakeTime;
import java.io.IOException;
import java.net.URI;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;

/** One of the services with its tables empty, on a real PostgreSQL, and clients in virtual time. */
final class TestServer implements AutoCloseable {
  static final Duration WINDOW = Duration.ofMinutes(5);

  /** Makes a service. */
  @FunctionalInterface
  interface Kind {
    Service service(DataSource dataSource, Ledger ledger, Faults faults);
  }

  private final Database database = new Database();
  private final String table;
  private final ArmedFaults faults = new ArmedFaults();
  private final ServiceServer server;
  private final FakeTime time = new FakeTime();

  TestServer(Kind kind) throws IOException, SQLException {
    this(kind, "payments");
  }

  /** The table is the one in which payments are counted. */
  private TestServer(Kind kind, String table) throws IOException, SQLException {
    this.table = table;
    DataSource dataSource = database.dataSource();
    Service service = kind.service(dataSource, new Ledger(faults), faults);
    server = ServiceServer.start(dataSource, service, faults);
  }

  // ---- the services

  static TestServer duplicateFilter() throws IOException, SQLException {
    return new TestServer((db, ledger, faults) -> new DuplicateFilter(db, ledger, WINDOW));
  }

  static TestServer redisLock(RedisServer redis) throws IOException, SQLException {
    RedisLock.Times times = new RedisLock.Times(Duration.ofMinutes(1), WINDOW);
    return new TestServer((db, ledger, faults) -> new RedisLock(db, ledger, redis.port(), times));
  }

  static TestServer naturalKey() throws IOException, SQLException {
    return new TestServer((db, ledger, faults) -> new NaturalKey(db, ledger));
  }

  static TestServer optimisticVersion() throws IOException, SQLException {
    TestServer server = new TestServer((db, ledger, faults) -> new OptimisticVersion(db));
    server.execute("insert into accounts values ('acme', 100, 1)");
    return server;
  }

  static TestServer oneTimeToken() throws IOException, SQLException {
    return new TestServer((db, ledger, faults) -> new OneTimeToken(db, ledger, WINDOW));
  }

  static TestServer operationLog() throws IOException, SQLException {
    return new TestServer((db, ledger, faults) -> new OperationLog(db), "operation_log");
  }

  static TestServer conditionalInsert() throws IOException, SQLException {
    return new TestServer(
        (db, ledger, faults) -> new ConditionalInsert(new WideColumns(db, WINDOW, faults)));
  }

  // ---- requests

  URI uri(String path) {
    return server.uri(path);
  }

  /** A payment of 100 for the intent. */
  Call payment(String intent) {
    return Call.post(uri("/payments"), "intent=" + intent + "&amount=100");
  }

  Told send(Client client, Call call) throws InterruptedException {
    return send(client, call, HttpRetry.builder());
  }

  Told send(Client client, Call call, HttpRetry.Builder retry) throws InterruptedException {
    return client.send(call, inVirtualTime(retry));
  }

  /** For clients that do not wait. */
  HttpRetry inVirtualTime() {
    return inVirtualTime(HttpRetry.builder());
  }

  private HttpRetry inVirtualTime(HttpRetry.Builder retry) {
    return retry.environment(time.environment()).listener(time.skipWaits()).build();
  }

  /** Sends the call while a listener watches, which may let something happen during a wait. */
  Told send(Client client, Call call, RetryListener listener) throws InterruptedException {
    return send(client, call, HttpRetry.builder().listener(listener));
  }

  // ---- faults and the database

  ArmedFaults faults() {
    return faults;
  }

  /** The next request is carried out, and its answer does not arrive. */
  void loseAnswer() {
    faults.crash(Point.AFTER_COMMIT);
  }

  /** The next commit is carried out, and the service does not hear of it. */
  void loseCommit() {
    database.loseCommit();
  }

  long number(String sql, Object... values) throws SQLException {
    try (Connection connection = database.connect()) {
      return Sql.first(connection, row -> row.getLong(1), sql, values).orElseThrow();
    }
  }

  /** How often the payment was made. */
  long payments(String intent) throws SQLException {
    return number("select count(*) from " + table + " where intent = ?", intent);
  }

  /** Makes times pass that the database compares with its clock. */
  void execute(String sql) throws SQLException {
    database.execute(sql);
  }

  /** The same, where no exception can be thrown. */
  void somebodyElse(String sql) {
    try {
      execute(sql);
    } catch (SQLException failure) {
      throw new AssertionError(failure);
    }
  }

  @Override
  public void close() {
    server.close();
  }
}
