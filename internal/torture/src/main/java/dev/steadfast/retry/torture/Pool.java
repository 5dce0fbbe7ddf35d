package dev.steadfast.retry.torture;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/** Creates connection pools. */
final class Pool {
  private static final int SECONDS = 5; // of silence of a database

  private Pool() {}

  static DataSource real(String jdbcUrl) {
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setUrl(jdbcUrl);
    source.setSocketTimeout(SECONDS);
    source.setLoginTimeout(SECONDS);
    return source;
  }

  /**
   * A pool on a database whose commits can be made to fail.
   *
   * @param waitMillis how long to wait for a connection
   */
  static DataSource of(FaultySource source, int connections, long waitMillis) {
    HikariConfig pool = new HikariConfig();
    pool.setDataSource(source.dataSource());
    pool.setMaximumPoolSize(connections);
    pool.setMinimumIdle(1);
    pool.setConnectionTimeout(waitMillis);
    pool.setInitializationFailTimeout(-1); // the database may be down just now
    // Otherwise the pool asks its first connection for it, and never recovers if that one breaks.
    pool.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
    return new HikariDataSource(pool);
  }
}
