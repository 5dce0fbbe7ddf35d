package dev.steadfast.retry.postgres;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A real PostgreSQL on loopback, which keeps what it has committed: also when it is stopped as by a
 * crash. Each start checks that the settings which this needs are in force.
 *
 * <p>It can be stopped and started again, on the same port and data. Safe for use by many threads.
 */
public final class PostgresServer implements AutoCloseable {
  /** Settings without which a committed transaction can be lost, or a page torn. */
  static final List<String> DURABILITY = List.of("fsync", "synchronous_commit", "full_page_writes");

  // Below the ports that systems give to outgoing connections: none of those takes the port of a
  // server that is down for a while.
  private static final int FIRST_PORT = 15_000;
  private static final int END_OF_PORTS = 30_000;

  private static final Set<PostgresServer> OPEN = ConcurrentHashMap.newKeySet();

  private final Path data;
  private final boolean temporary;
  private final int port;
  private boolean running;

  private PostgresServer(Path data, boolean temporary) throws IOException {
    this.data = data.toAbsolutePath();
    this.temporary = temporary;
    this.port = freePort();
  }

  /** Starts a server with a data directory that {@link #close} deletes. */
  public static PostgresServer temporary() throws IOException {
    return started(new PostgresServer(Files.createTempDirectory("steadfast-postgres-"), true));
  }

  /**
   * Starts a server on a data directory of the caller's, which is kept.
   *
   * @param data a directory that is empty, or missing, or was made by an earlier server
   */
  public static PostgresServer on(Path data) throws IOException {
    return started(new PostgresServer(data, false));
  }

  /**
   * A server on a data directory of the caller's, which is kept. It does not run before {@link
   * #start} or {@link #follow}.
   *
   * @param data as for {@link #on}; for {@code follow} it may hold anything, which is deleted
   */
  public static PostgresServer stopped(Path data) throws IOException {
    PostgresServer server = new PostgresServer(data, false);
    OPEN.add(server);
    return server;
  }

  private static PostgresServer started(PostgresServer server) throws IOException {
    OPEN.add(server);
    try {
      server.start();
      return server;
    } catch (IOException | RuntimeException e) {
      server.close();
      throw e;
    }
  }

  /** Starts the server again; returns when it takes connections, so after its recovery. */
  public synchronized void start() throws IOException {
    if (running) {
      throw new IllegalStateException("start() of a server that runs on port " + port);
    }
    if (!Files.exists(data.resolve("PG_VERSION"))) {
      FreshData.copyTo(data);
    }
    Path log = data.resolve("server.log");
    List<String> arguments =
        List.of("start", "-w", "-D", data.toString(), "-l", log.toString(), "-o", options());
    try {
      Programs.runPostgres("pg_ctl", arguments);
    } catch (IOException e) {
      throw new IOException(Files.exists(log) ? Files.readString(log) : "no log", e);
    }
    running = true;
    checkDurability();
  }

  private String options() {
    return "-p "
        + port
        + " -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c timezone=UTC "
        + DURABILITY.stream().map(name -> "-c " + name + "=on").collect(Collectors.joining(" "));
  }

  private void checkDurability() {
    try (Connection connection = dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      for (String name : DURABILITY) {
        try (ResultSet shown = statement.executeQuery("show " + name)) {
          shown.next();
          if (!shown.getString(1).equals("on")) {
            throw new IllegalStateException(name + ": " + shown.getString(1) + " (expected: on)");
          }
        }
      }
    } catch (SQLException e) {
      throw new IllegalStateException("the server on port " + port + " does not answer", e);
    }
  }

  /**
   * Starts this server as a standby of another one, with a copy of its data. What this server had
   * before is lost.
   *
   * @param primary a server that runs
   */
  public synchronized void follow(PostgresServer primary) throws IOException {
    if (running) {
      throw new IllegalStateException("follow() of a server that runs on port " + port);
    }
    if (Files.exists(data)) {
      PostgresBinaries.delete(data);
    }
    Standby.copy(primary, primary.data, data);
    start();
  }

  /** Has a standby take over: it follows no more, and takes changes when this returns. */
  public void promote() throws IOException {
    execute("select pg_promote(true, 60)");
  }

  /**
   * Sets whether a commit of this server waits until a standby has it on its disk.
   *
   * @param waits if true, this returns when a standby is there to be waited for
   */
  public void waitForStandby(boolean waits) throws IOException {
    execute("alter system set synchronous_standby_names = '" + (waits ? "*" : "") + "'");
    execute("select pg_reload_conf()");
    if (waits) {
      execute(
          "do 'begin while not exists (select from pg_stat_replication where sync_state = ''sync'')"
              + " loop perform pg_sleep(0.02); perform pg_stat_clear_snapshot(); end loop; end'");
    }
  }

  private void execute(String sql) throws IOException {
    try (Connection connection = dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new IOException(sql + " on port " + port, e);
    }
  }

  /** The URL of whichever of two servers takes changes. */
  public static String jdbcUrl(PostgresServer one, PostgresServer other) {
    return "jdbc:postgresql://127.0.0.1:%d,127.0.0.1:%d/postgres?user=postgres"
            .formatted(one.port, other.port)
        + "&targetServerType=primary";
  }

  /** The port, the same after each start. */
  public int port() {
    return port;
  }

  /** The URL of the database {@code postgres} for its user {@code postgres}, without a password. */
  public String jdbcUrl() {
    return "jdbc:postgresql://127.0.0.1:" + port + "/postgres?user=postgres";
  }

  /** Opens a new connection each time. */
  public DataSource dataSource() {
    PGSimpleDataSource dataSource = new PGSimpleDataSource();
    dataSource.setUrl(jdbcUrl());
    return dataSource;
  }

  /** Stops the server in good order; transactions under way are rolled back. */
  public void stop() throws IOException {
    stop("fast");
  }

  /** Stops the server as a crash does: it writes nothing more, and the next start recovers. */
  public void stopImmediately() throws IOException {
    stop("immediate");
  }

  private synchronized void stop(String mode) throws IOException {
    if (!running) {
      throw new IllegalStateException("stop() of a server that does not run");
    }
    Programs.runPostgres("pg_ctl", List.of("stop", "-w", "-m", mode, "-D", data.toString()));
    running = false;
  }

  /** Stops the server if it runs, and deletes a temporary data directory. */
  @Override
  public synchronized void close() {
    if (!OPEN.remove(this)) {
      return;
    }
    try {
      if (running) {
        stop();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    if (temporary) {
      PostgresBinaries.delete(data);
    }
  }

  /** Runs while the JVM ends, when a failure can only be printed. */
  static void closeAll() {
    for (PostgresServer server : List.copyOf(OPEN)) {
      try {
        server.close();
      } catch (RuntimeException e) {
        System.err.println("PostgreSQL on port " + server.port + ": " + e);
      }
    }
  }

  private static int freePort() throws IOException {
    InetAddress loopback = InetAddress.getLoopbackAddress();
    while (true) {
      int port = ThreadLocalRandom.current().nextInt(FIRST_PORT, END_OF_PORTS);
      try (ServerSocket probe = new ServerSocket()) {
        probe.bind(new InetSocketAddress(loopback, port));
        return port;
      } catch (BindException taken) {
        // the next one may be free
      }
    }
  }
}
