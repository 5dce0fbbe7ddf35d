package dev.steadfast.retry.examples.servers;

import dev.steadfast.retry.examples.payments.Answer;
import dev.steadfast.retry.examples.payments.Sql;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import javax.sql.DataSource;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.params.SetParams;

/**
 * Locks each key in Redis while the payment is made, and then keeps the answer in the place of the
 * lock.
 *
 * <p>Redis and the ledger have no transaction in common. So a payment is made again under the same
 * key if the lock expires before the payment is made, if the process dies or loses the answer to
 * its commit before the payment's answer is kept, or if Redis loses its data.
 */
final class RedisLock implements Service {
  private static final String LOCKED = "locked ";

  // A script, so that nobody else's lock or answer is replaced.
  private static final String KEEP_ANSWER =
      """
      if redis.call('get', KEYS[1]) == ARGV[1] then
        redis.call('set', KEYS[1], ARGV[2], 'px', ARGV[3])
      end
      """;

  /**
   * Its times.
   *
   * @param lock how long a lock holds: well above the longest that a payment takes
   * @param retention how long an answer is kept
   */
  record Times(Duration lock, Duration retention) {}

  private final DataSource dataSource;
  private final Ledger ledger;
  private final int redisPort;
  private final Times times;

  RedisLock(DataSource dataSource, Ledger ledger, int redisPort, Times times) {
    this.dataSource = dataSource;
    this.ledger = ledger;
    this.redisPort = redisPort;
    this.times = times;
  }

  @Override
  public String tables() {
    return "";
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
    String key = "payment:" + request.header("Idempotency-Key");
    String lock = LOCKED + UUID.randomUUID();
    SetParams ifAbsent = SetParams.setParams().nx().px(times.lock.toMillis());
    try (Jedis redis = connect()) {
      if (redis.set(key, lock, ifAbsent) == null) {
        return repeat(request, Optional.ofNullable(redis.get(key)));
      }
    } catch (JedisException gone) {
      // Nothing is paid without a lock.
      return Answer.problem(503, "the locks cannot be reached").with("Retry-After", "1");
    }
    // If this fails, the lock stays: a lost commit may have been carried out.
    Answer answer = Sql.transaction(dataSource, connection -> ledger.pay(connection, payment));
    keep(key, lock, answer.body() + "\n" + request.content());
    return answer;
  }

  private Jedis connect() {
    int timeoutMillis = 10_000; // the default of 2 s is short for a machine under load
    return new Jedis("127.0.0.1", redisPort, timeoutMillis);
  }

  private static Answer repeat(Request request, Optional<String> earlier) {
    if (earlier.isEmpty() || earlier.get().startsWith(LOCKED)) {
      return Answer.inProgress(); // or the lock has expired just now
    }
    String[] stored = earlier.get().split("\n", 2); // the answer, and what it answers
    return stored[1].equals(request.content())
        ? Answer.of(201, stored[0]).with("Idempotent-Replayed", "true")
        : Answer.problem(422, "this key was used for another request");
  }

  private void keep(String key, String lock, String stored) {
    String retention = String.valueOf(times.retention.toMillis());
    try (Jedis redis = connect()) {
      redis.eval(KEEP_ANSWER, List.of(key), List.of(lock, stored, retention));
    } catch (JedisException gone) {
      // The payment is made, and the client should hear so.
    }
  }
}
