package dev.steadfast.retry.torture;

import java.time.Duration;

/** The kinds of operations. Each kind has a client configuration and a principal of its own. */
enum Mix {
  /** A key on the wire, which the server keeps for longer than the run. */
  KEYED("pay", "usual", Duration.ofHours(1), Duration.ofHours(1)),
  /** A key in the journal, and none on the wire. */
  KEYLESS("pay-once", "usual", null, Duration.ofHours(1)),
  /**
   * The server keeps the key for less time than a restart takes.
   *
   * <p>The client counts on less than that: the server counts from the time of the effect, and a
   * request can still be on its way for a while after its client has given it up.
   */
  SHORT("pay-short", "short", Duration.ofMillis(1_500), Duration.ofSeconds(2));

  private final String operation;
  private final String principal;
  private final Duration counted;
  private final Duration kept;

  Mix(String operation, String principal, Duration counted, Duration kept) {
    this.operation = operation;
    this.principal = principal;
    this.counted = counted;
    this.kept = kept;
  }

  /** The name of its operations in the journal. */
  String operation() {
    return operation;
  }

  /** Who pays. */
  String principal() {
    return principal;
  }

  boolean keyed() {
    return counted != null;
  }

  /** How long the client counts on the key; null for none. */
  Duration counted() {
    return counted;
  }

  /** How long the server keeps a key of that principal. */
  static Duration keptFor(String principal) {
    return principal.equals(SHORT.principal) ? SHORT.kept : KEYED.kept;
  }

  static Mix ofOperation(String name) {
    for (Mix mix : values()) {
      if (mix.operation.equals(name)) {
        return mix;
      }
    }
    throw new IllegalArgumentException("operation: " + name);
  }
}
