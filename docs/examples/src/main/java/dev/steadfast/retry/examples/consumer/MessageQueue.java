package dev.steadfast.retry.examples.consumer;

import dev.steadfast.retry.examples.payments.Sql;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Optional;
import javax.sql.DataSource;

/**
 * A table of messages, each of which is delivered at least once. Safe for use by many threads and
 * processes.
 *
 * <p>A delivery hides its message for a while. If the message is not acknowledged by then, it is
 * delivered again. So nobody holds a lock or a connection while a message is handled.
 */
final class MessageQueue {
  private static final String SEND =
      "insert into messages (account, amount) values (?, ?) returning id";

  private static final String RECEIVE =
      """
      update messages
        set visible_at = clock_timestamp() + ? * interval '1 ms',
            first_delivery = coalesce(first_delivery, clock_timestamp()),
            deliveries = deliveries + 1
        where id = (
          select id from messages
            where outcome is null
              and visible_at <= clock_timestamp()
              and (first_delivery is null
                or first_delivery > clock_timestamp() - ? * interval '1 ms')
            order by visible_at
            limit 1
            for update skip locked)
        returning id, account, amount
      """;

  private static final String ACKNOWLEDGE =
      "update messages set outcome = ? where id = ? and outcome is null";

  /**
   * Times of a queue, by the clock of the database.
   *
   * @param hidden for how long a delivery hides its message; longer than handling it takes
   * @param window for how long a message is delivered again, counted from its first delivery;
   *     shorter than the payments service keeps its key. Afterwards a person has to look at it
   */
  record Times(Duration hidden, Duration window) {
    /** Hidden for a minute, and delivered for 23 hours, for a service that keeps keys for 24. */
    static Times defaults() {
      return new Times(Duration.ofMinutes(1), Duration.ofHours(23));
    }
  }

  private final DataSource database;
  private final Times times;

  private MessageQueue(DataSource database, Times times) {
    this.database = database;
    this.times = times;
  }

  /** Opens the queue, and makes its table if there is none. */
  static MessageQueue open(DataSource database, Times times) throws IOException, SQLException {
    try (InputStream schema = MessageQueue.class.getResourceAsStream("schema.sql");
        Connection connection = database.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(new String(schema.readAllBytes(), StandardCharsets.UTF_8));
    }
    return new MessageQueue(database, times);
  }

  /** Sends a message, and returns its number. */
  long send(String account, long amount) throws SQLException {
    try (Connection connection = database.getConnection()) {
      return Sql.first(connection, row -> row.getLong(1), SEND, account, amount).orElseThrow();
    }
  }

  /** The message that has waited for longest, if one is to be delivered. */
  Optional<Message> receive() throws SQLException {
    try (Connection connection = database.getConnection()) {
      return Sql.first(
          connection,
          row -> new Message(row.getLong("id"), row.getString("account"), row.getLong("amount")),
          RECEIVE,
          times.hidden().toMillis(),
          times.window().toMillis());
    }
  }

  /** Has a message not delivered any more. Does nothing if that was done before. */
  void acknowledge(Message message, String outcome) throws SQLException {
    try (Connection connection = database.getConnection()) {
      Sql.update(connection, ACKNOWLEDGE, outcome, message.id());
    }
  }
}
