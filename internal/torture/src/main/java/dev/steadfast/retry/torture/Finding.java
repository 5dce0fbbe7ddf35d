package dev.steadfast.retry.torture;

import java.util.Locale;

/**
 * Something wrong with an operation.
 *
 * @param what describes it
 * @param facts what the history says about the operation
 */
record Finding(Kind kind, String what, Facts facts) {
  /** The kinds of findings. */
  enum Kind {
    /** It was done more than once. */
    DUPLICATE,
    /** It was promised and not done, or begun and never settled. */
    LOST,
    /** What callers were told, the journal and the ledger disagree. */
    WRONG
  }

  @Override
  public String toString() {
    return kind.name().toLowerCase(Locale.ROOT)
        + ": "
        + facts.operation().intent()
        + " "
        + what
        + "; "
        + facts.operation().kind()
        + " "
        + facts.operation().mode()
        + " fault="
        + facts.operation().fault()
        + " row="
        + facts.row()
        + " payments="
        + facts.payments()
        + " settled="
        + facts.settled()
        + " events="
        + facts.events()
        + " others="
        + facts.others();
  }
}
