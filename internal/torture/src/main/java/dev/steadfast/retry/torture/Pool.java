package dev.steadfast.retry.torture;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/** Makes the pools of connections. */
final class Pool {
  private static final int SECONDS = 5; // that a database may be silent

  private Pool() {}

  static DataSource real(String jdbcUrl) {
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setUrl(jdbcUrl);
    source.setSocketTimeout(SECONDS);
    source.setLoginTimeout(SECONDS);
    return source;
  }

  /**
   * A pool whose commits can be made to fail.
   *
   * @param waitMillis how long to wait for a connection
   */
  static HikariDataSource of(FaultySource source, int connections, long waitMillis) {
    HikariConfig pool = new HikariConfig();
    pool.setDataSource(source.dataSource());
    pool.setMaximumPoolSize(connections);
    pool.setMinimumIdle(1);
    pool.setConnectionTimeout(waitMillis);
    pool.setInitializationFailTimeout(-1); // the database may be down just now
    // Else the pool asks its first connection. If that one breaks, it never has another.
    pool.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
    return new HikariDataSource(pool);
  }
}
