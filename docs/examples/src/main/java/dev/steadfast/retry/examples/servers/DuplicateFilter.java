package dev.steadfast.retry.examples.servers;

import dev.steadfast.retry.examples.payments.Answer;
import dev.steadfast.retry.examples.payments.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;

/**
 * Refuses a request that is equal to one of the last minutes, as some gateways do.
 *
 * <p>The request is noted before it is carried out, and no answer is kept. So a 429 says that an
 * equal request has come, and nothing about what became of it.
 */
final class DuplicateFilter implements Service {
  // One statement, so that of two equal requests at once only one passes.
  private static final String NOTE =
      """
      insert into recent_requests (hash, forgotten_at)
        values (sha256(convert_to(?, 'UTF8')), clock_timestamp() + ? * interval '1 ms')
        on conflict (hash) do update set forgotten_at = excluded.forgotten_at
          where recent_requests.forgotten_at <= clock_timestamp()
      """;

  private final DataSource dataSource;
  private final Ledger ledger;
  private final Duration window;

  /** Remembers each request for so long. */
  DuplicateFilter(DataSource dataSource, Ledger ledger, Duration window) {
    this.dataSource = dataSource;
    this.ledger = ledger;
    this.window = window;
  }

  @Override
  public String tables() {
    return """
    create table if not exists recent_requests (
      hash         bytea primary key,
      forgotten_at timestamptz not null
    );
    """;
  }

  @Override
  public Answer answer(Request request) throws SQLException {
    return switch (request.route()) {
      case "POST /payments" -> pay(request);
      default -> Answer.problem(404, "no such resource");
    };
  }

  private Answer pay(Request request) throws SQLException {
    Payment payment = request.payment();
    try (Connection connection = dataSource.getConnection()) {
      if (Sql.update(connection, NOTE, request.content(), window.toMillis()) == 0) {
        return Answer.problem(429, "duplicate request");
      }
    }
    return Sql.transaction(dataSource, connection -> ledger.pay(connection, payment));
  }
}
