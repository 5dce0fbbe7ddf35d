package dev.steadfast.retry.examples.servers;

import dev.steadfast.retry.examples.payments.Answer;
import java.sql.SQLException;
import java.util.Optional;
import java.util.UUID;

/**
 * Inserts the key, the answer and the payment at once, unless the key is there: the conditional
 * insert of a wide-column store.
 *
 * <p>The answer is decided before it is known whether the payment is made. There is no transaction
 * in which it could be read.
 */
final class ConditionalInsert implements Service {
  private final WideColumns store;

  ConditionalInsert(WideColumns store) {
    this.store = store;
  }

  @Override
  public String tables() {
    return WideColumns.TABLES;
  }

  @Override
  public Answer answer(Request request) throws SQLException {
    return switch (request.route()) {
      case "POST /payments" -> pay(request);
      default -> Answer.problem(404, "no such resource");
    };
  }

  private Answer pay(Request request) throws SQLException {
    String answer = "{\"payment\":\"" + UUID.randomUUID() + "\"}";
    WideColumns.Row row =
        new WideColumns.Row(request.header("Idempotency-Key"), request.content(), answer);
    Optional<WideColumns.Row> earlier = store.insertIfAbsent(row, request.payment());
    if (earlier.isEmpty()) {
      return Answer.of(201, answer);
    }
    return earlier.get().request().equals(request.content())
        ? Answer.of(201, earlier.get().answer()).with("Idempotent-Replayed", "true")
        : Answer.problem(422, "this key was used for another request");
  }
}
