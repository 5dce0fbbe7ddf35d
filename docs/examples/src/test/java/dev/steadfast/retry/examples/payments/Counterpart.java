package dev.steadfast.retry.examples.payments;

import dev.steadfast.retry.examples.payments.ArmedFaults.Stall;
import dev.steadfast.retry.examples.payments.Faults.Point;
import dev.steadfast.retry.postgres.PostgresServer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import javax.sql.DataSource;

/**
 * The payments service on a real PostgreSQL, with a client that does not retry.
 *
 * <p>No test waits for a lease or a retention: {@link #passTime} moves all times in the database
 * into the past.
 */
public final class Counterpart implements AutoCloseable {
  static final Duration LEASE = Duration.ofMinutes(5);

  private static PostgresServer postgres;

  private final ArmedFaults faults = new ArmedFaults();
  private final PaymentsServer server;
  private final HttpClient http = HttpClient.newHttpClient();

  Counterpart() throws IOException, SQLException {
    this(LEASE, Settings.defaults().sweepEvery());
  }

  /** The retention is 24 hours, and a minute for the principal {@code short}. */
  Counterpart(Duration lease, Duration sweepEvery) throws IOException, SQLException {
    Settings settings =
        new Settings(
            lease,
            principal -> principal.equals("short") ? Duration.ofMinutes(1) : Duration.ofHours(24),
            sweepEvery);
    server = PaymentsServer.start(database().dataSource(), settings, faults, 0);
    execute("truncate payment_keys, ledger");
  }

  /** One server for all tests of this JVM, which stops with it. */
  public static synchronized PostgresServer database() throws IOException {
    if (postgres == null) {
      postgres = PostgresServer.temporary();
    }
    return postgres;
  }

  // ---- faults

  /** The next request that comes to this point meets the fault. */
  void arm(Point point, Runnable fault) {
    faults.arm(point, fault);
  }

  Stall stall(Point point) {
    return faults.stall(point);
  }

  void status(Point point, int status) {
    faults.status(point, status);
  }

  void crash(Point point) {
    faults.crash(point);
  }

  // ---- requests

  URI uri() {
    return server.uri();
  }

  static String form(String intent, long amount) {
    return "intent=" + intent + "&account=acme&amount=" + amount;
  }

  HttpRequest.Builder request(String principal, String path) {
    return HttpRequest.newBuilder(URI.create(server.uri() + path))
        .header("Authorization", "Bearer " + principal)
        .timeout(Duration.ofSeconds(30));
  }

  HttpRequest payment(String principal, String key, String form) {
    return request(principal, "")
        .header("Idempotency-Key", key)
        .POST(BodyPublishers.ofString(form))
        .build();
  }

  HttpResponse<String> send(HttpRequest request) throws IOException, InterruptedException {
    return http.send(request, BodyHandlers.ofString());
  }

  HttpResponse<String> pay(String key, String intent) throws IOException, InterruptedException {
    return send(payment("alice", key, form(intent, 100)));
  }

  CompletableFuture<HttpResponse<String>> paying(String key, String intent) {
    return http.sendAsync(payment("alice", key, form(intent, 100)), BodyHandlers.ofString());
  }

  HttpResponse<String> fence(String key, String intent) throws IOException, InterruptedException {
    return send(
        request("alice", "/" + intent + "/fence")
            .header("Idempotency-Key", key)
            .POST(BodyPublishers.noBody())
            .build());
  }

  HttpResponse<String> lookUp(String intent) throws IOException, InterruptedException {
    return send(request("alice", "/" + intent).build());
  }

  // ---- database

  /** How often an intent was carried out. */
  static long effects(String intent) throws IOException, SQLException {
    return number("select count(*) from ledger where intent = '" + intent + "'");
  }

  static long keys() throws IOException, SQLException {
    return number("select count(*) from payment_keys");
  }

  /** Moves all leases and retentions closer by this much. */
  static void passTime(Duration time) throws IOException, SQLException {
    execute(
        "update payment_keys set valid_until = valid_until - interval '%d s'"
            .formatted(time.toSeconds()));
  }

  private static void execute(String sql) throws IOException, SQLException {
    DataSource dataSource = database().dataSource();
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static long number(String sql) throws IOException, SQLException {
    DataSource dataSource = database().dataSource();
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getLong(1);
    }
  }

  @Override
  public void close() {
    server.close();
  }
}
