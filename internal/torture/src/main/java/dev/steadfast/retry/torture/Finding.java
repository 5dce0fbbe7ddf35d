package dev.steadfast.retry.torture;

import java.util.Locale;

/**
 * An operation of which something is not as it must be.
 *
 * @param what says it
 * @param facts what the history has of it
 */
record Finding(Kind kind, String what, Facts facts) {
  /** What is not as it must be. */
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
        + facts.operation().mix()
        + " "
        + facts.operation().mode()
        + " fault="
        + facts.operation().fault()
        + " row="
        + facts.row()
        + " effects="
        + facts.effects()
        + " settled="
        + facts.settled()
        + " events="
        + facts.events();
  }
}
