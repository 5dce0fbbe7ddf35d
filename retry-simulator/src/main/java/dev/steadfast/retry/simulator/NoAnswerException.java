package dev.steadfast.retry.simulator;

/** An attempt without an answer. It has no stack and trace, so that millions of them are cheap. */
final class NoAnswerException extends Exception {
  private static final long serialVersionUID = 1;

  NoAnswerException() {
    super("no answer", null, false, false);
  }
}
