package dev.steadfast.retry.torture;

import dev.steadfast.retry.examples.payments.Faults;
import dev.steadfast.retry.examples.payments.PaymentsServer;
import dev.steadfast.retry.examples.payments.Settings;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;

/** The payments service as a process of its own: {@code ServerMain <history> <jdbcUrl>}. */
final class ServerMain {
  private static final int CONNECTIONS = 16;

  // A request that cannot begin at once is refused: it must not have its effect after the retention
  // that its client declares.
  private static final long MOST_WAIT_MILLIS = 250;

  private static final Duration LEASE = Duration.ofSeconds(2);
  private static final Duration SWEEP = Duration.ofSeconds(1);

  private ServerMain() {}

  /** Prints the port when it listens, and runs until it is killed. */
  public static void main(String[] args) throws Exception {
    System.setProperty("sun.net.httpserver.nodelay", "true"); // otherwise answers wait for an ACK
    FaultySource database = new FaultySource(Pool.real(args[1]), Mutation.NONE);
    DataSource pool = Pool.of(database, CONNECTIONS, MOST_WAIT_MILLIS);
    Faults faults = new ServerFaults(new History(Path.of(args[0])), database);
    PaymentsServer server = start(pool, faults);
    System.out.println("listening " + server.uri().getPort());
  }

  // The start creates tables, and the database may be down at this moment.
  private static PaymentsServer start(DataSource pool, Faults faults)
      throws IOException, InterruptedException {
    while (true) {
      try {
        return PaymentsServer.start(
            pool, new Settings(LEASE, OperationKind::keptFor, SWEEP), faults, 0);
      } catch (SQLException down) {
        System.err.println(down); // for readers of the history
        Thread.sleep(100);
      }
    }
  }
}
