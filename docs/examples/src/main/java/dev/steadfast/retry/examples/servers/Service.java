package dev.steadfast.retry.examples.servers;

import dev.steadfast.retry.examples.payments.Answer;
import java.sql.SQLException;

/** One way to answer requests of which some come twice. */
interface Service {
  /** The statements that make its tables, besides the ledger's. */
  String tables();

  /**
   * Carries a request out, or finds that it came before.
   *
   * @throws Answer.Refusal if it ends with an error
   */
  Answer answer(Request request) throws SQLException;
}
