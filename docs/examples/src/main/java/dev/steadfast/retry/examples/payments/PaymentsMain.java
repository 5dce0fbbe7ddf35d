package dev.steadfast.retry.examples.payments;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;

/**
 * The service as a process of its own: {@code PaymentsMain jdbc:postgresql:... [port]}.
 *
 * <p>It prints {@code listening} and its port. System properties: {@code payments.lease}, {@code
 * payments.retention} and {@code payments.retention.<principal>}, {@code payments.sweep} (durations
 * such as {@code PT30S}), {@code payments.connections}, and {@code payments.faults} (a class).
 */
public final class PaymentsMain {
  private PaymentsMain() {}

  /** Runs until the process is ended. */
  public static void main(String[] args) throws Exception {
    System.setProperty("sun.net.httpserver.nodelay", "true"); // else an answer may wait for an ACK
    HikariConfig pool = new HikariConfig();
    pool.setJdbcUrl(args[0]);
    pool.setMaximumPoolSize(Integer.getInteger("payments.connections", 16));
    pool.setConnectionTimeout(2_000);
    int port = args.length > 1 ? Integer.parseInt(args[1]) : 0;
    PaymentsServer server =
        PaymentsServer.start(new HikariDataSource(pool), settings(), faults(), port);
    System.out.println("listening " + server.uri().getPort());
  }

  private static Settings settings() {
    Settings defaults = Settings.defaults();
    Duration retention = duration("payments.retention", Duration.ofHours(24));
    return new Settings(
        duration("payments.lease", defaults.lease()),
        principal -> duration("payments.retention." + principal, retention),
        duration("payments.sweep", defaults.sweepEvery()));
  }

  private static Duration duration(String property, Duration otherwise) {
    String value = System.getProperty(property);
    return value == null ? otherwise : Duration.parse(value);
  }

  private static Faults faults() throws ReflectiveOperationException {
    String name = System.getProperty("payments.faults");
    return name == null
        ? Faults.NONE
        : Class.forName(name).asSubclass(Faults.class).getDeclaredConstructor().newInstance();
  }
}
