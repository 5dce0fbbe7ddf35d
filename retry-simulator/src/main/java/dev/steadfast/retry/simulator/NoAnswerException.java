package dev.steadfast.retry.simulator;

/** An attempt without an answer. One instance serves all, for it keeps no trace of its use. */
final class NoAnswerException extends Exception {
  static final NoAnswerException INSTANCE = new NoAnswerException();
  private static final long serialVersionUID = 1;

  private NoAnswerException() {
    super("no answer", null, false, false);
  }
}
