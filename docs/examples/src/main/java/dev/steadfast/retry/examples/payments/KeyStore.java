package dev.steadfast.retry.examples.payments;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;
import java.util.UUID;

/**
 * The table of keys. Each method works on a connection of the caller's, and so in the caller's
 * transaction.
 *
 * <p>All times are those of the database. The clocks of two machines disagree, and then a lease
 * would end earlier on one of them.
 */
final class KeyStore {
  enum State {
    /** Claimed by a request that is at work, or died. */
    IN_PROGRESS,
    /** Carried out; the answer is stored. */
    DONE,
    /** Refused for good. */
    FENCED
  }

  /** A row. It is over when its lease or its retention has ended. */
  record Entry(State state, String requestHash, Answer answer, boolean over) {}

  private static final String FIND =
      """
      select state, request_hash, status, body, valid_until <= clock_timestamp() as over
        from payment_keys where principal = ? and key = ?
      """;
  private static final String INSERT =
      """
      insert into payment_keys
          (principal, key, intent, request_hash, state, executor, valid_until)
        values (?, ?, ?, ?, 'IN_PROGRESS', ?, clock_timestamp() + ? * interval '1 ms')
        on conflict do nothing
      """;
  private static final String FINISH =
      """
      update payment_keys
        set state = 'DONE', executor = null, status = ?, body = ?,
            valid_until = clock_timestamp() + ? * interval '1 ms'
        where principal = ? and key = ? and executor = ?
      """;
  private static final String GIVE_BACK =
      "delete from payment_keys where principal = ? and key = ? and executor = ?";
  private static final String SWEEP =
      """
      delete from payment_keys where (principal, key) in (
        select principal, key from payment_keys
          where valid_until <= clock_timestamp() and %s
          for update skip locked)
      """; // a locked row is just being finished
  private static final String SWEEP_ONE = SWEEP.formatted("principal = ? and key = ?");
  private static final String SWEEP_ALL = SWEEP.formatted("true");
  private static final String FENCE =
      """
      insert into payment_keys (principal, key, intent, request_hash, state, valid_until)
        values (?, ?, ?, '', 'FENCED', 'infinity')
        on conflict (principal, key) do update
          set state = 'FENCED', executor = null, valid_until = 'infinity'
          where payment_keys.intent = excluded.intent
      """;

  private final Settings settings;

  KeyStore(Settings settings) {
    this.settings = settings;
  }

  /**
   * Claims the key of a request.
   *
   * @param connection one that commits each statement, so that others see the claim at once
   * @return the row that was there before; empty if the executor has claimed the key
   */
  // region server-claim
  Optional<Entry> claim(
      Connection connection, PaymentRequest request, PaymentKey key, UUID executor)
      throws SQLException {
    while (true) {
      // Look before inserting: a look never waits, and an insert of a key that is there waits for
      // the transaction that finishes it.
      Optional<Entry> entry = find(connection, key);
      if (entry.isEmpty() && insert(connection, request, key, executor)) {
        return Optional.empty();
      }
      if (entry.isPresent() && !(entry.get().over() && sweep(connection, key))) {
        return entry;
      }
    }
  }

  // endregion

  private static Optional<Entry> find(Connection connection, PaymentKey key) throws SQLException {
    return Sql.first(connection, KeyStore::entry, FIND, key.principal(), key.value());
  }

  private static Entry entry(ResultSet row) throws SQLException {
    Answer answer = Answer.of(row.getInt("status"), row.getString("body"));
    State state = State.valueOf(row.getString("state"));
    return new Entry(state, row.getString("request_hash"), answer, row.getBoolean("over"));
  }

  /** Of several requests at once, one inserts. */
  private boolean insert(
      Connection connection, PaymentRequest request, PaymentKey key, UUID executor)
      throws SQLException {
    long lease = settings.lease().toMillis();
    Object[] row = {
      key.principal(), key.value(), request.intent(), request.hash(), executor, lease
    };
    return Sql.update(connection, INSERT, row) == 1;
  }

  /** Stores the answer, in the transaction of the effect; false if another has the key now. */
  boolean finish(Connection connection, PaymentKey key, UUID executor, Answer answer)
      throws SQLException {
    long retention = settings.retention().apply(key.principal()).toMillis();
    Object[] row = {
      answer.status(), answer.body(), retention, key.principal(), key.value(), executor
    };
    return Sql.update(connection, FINISH, row) == 1;
  }

  /** Frees a key whose request has failed, unless it has been finished after all. */
  static void giveBack(Connection connection, PaymentKey key, UUID executor) throws SQLException {
    Sql.update(connection, GIVE_BACK, key.principal(), key.value(), executor);
  }

  /** Frees a key whose request has died, or whose answer is no longer kept. */
  private static boolean sweep(Connection connection, PaymentKey key) throws SQLException {
    return Sql.update(connection, SWEEP_ONE, key.principal(), key.value()) == 1;
  }

  /** Frees all such keys. */
  static void sweep(Connection connection) throws SQLException {
    Sql.update(connection, SWEEP_ALL);
  }

  /**
   * Has a key refused for good. A request that works on it cannot finish any more; one that is just
   * committing is waited for.
   *
   * @return false if the key belongs to another intent
   */
  static boolean fence(Connection connection, PaymentKey key, String intent) throws SQLException {
    return Sql.update(connection, FENCE, key.principal(), key.value(), intent) == 1;
  }
}
