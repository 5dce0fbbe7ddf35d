package dev.steadfast.retry.examples.outage;

import java.util.Locale;

/**
 * What a server does in one run.
 *
 * @param kind how it fails
 * @param queue its queue, used by this server alone
 * @param refusing when it answers 503 at once instead
 */
record World(Kind kind, FifoQueue queue, Stall refusing) {

  /** How a server fails. */
  enum Kind {
    /** Its workers stand still, and its queue grows. */
    STALL("a stall of %d s at %d %% load"),
    /** It answers 503 at once, so that nothing is queued. */
    FAIL_FAST("%d s of answers that fail at once, at %d %% load");

    private final String title;

    Kind(String title) {
      this.title = title;
    }

    String title() {
      return String.format(Locale.ROOT, title, Scenario.STALL, Scenario.LOAD);
    }

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }
}
