package dev.steadfast.retry.examples.payments;

/**
 * What goes wrong at named points of a payment, so that tests can break the service where it hurts.
 * A fault may block, end the process, or throw what one of the methods makes. It is not part of the
 * lesson; a real service has no such thing.
 */
@FunctionalInterface
public interface Faults {
  /** The points, in the order in which a payment passes them. */
  enum Point {
    /** Nothing has happened. */
    BEFORE_KEY,
    /** The key is claimed, and this is committed. */
    AFTER_KEY,
    /** The payment and its answer are written; nothing of them is committed. */
    IN_TRANSACTION,
    /** All is committed, and the client has heard nothing. */
    AFTER_COMMIT
  }

  /** No faults. */
  Faults NONE = (point, intent) -> {};

  /** Called by the thread that handles the request, with the intent in the request. */
  void at(Point point, String intent);

  /** To be thrown: the client gets this status. */
  static RuntimeException status(int status) {
    return Answer.refusal(status, "fault");
  }

  /** To be thrown: the request dies on the spot, and its connection is closed without an answer. */
  static Error crash() {
    return new Crash();
  }

  /** No exception, so that nobody cleans up after it. */
  final class Crash extends Error {
    private static final long serialVersionUID = 1L;

    private Crash() {}
  }
}
