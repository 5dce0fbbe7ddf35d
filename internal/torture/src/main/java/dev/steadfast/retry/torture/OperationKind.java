package dev.steadfast.retry.torture;

import java.time.Duration;

/** The kinds of operations. Each has its own client configuration. */
enum OperationKind {
  /** A key on the wire, which the server keeps longer than the run lasts. */
  KEYED("pay", "usual", Duration.ofHours(1), Duration.ofHours(1)),
  /** A key in the journal, and none on the wire. */
  KEYLESS("pay-once", "usual", null, Duration.ofHours(1)),
  /**
   * The server keeps the key for less time than a restart takes.
   *
   * <p>The client declares a shorter retention than the server has, because the server counts from
   * the effect and a request can still be on its way after its client has given it up.
   */
  SHORT("pay-short", "short", Duration.ofMillis(1_500), Duration.ofSeconds(2));

  private final String operation;
  private final String principal;
  private final Duration declared;
  private final Duration kept;

  OperationKind(String operation, String principal, Duration declared, Duration kept) {
    this.operation = operation;
    this.principal = principal;
    this.declared = declared;
    this.kept = kept;
  }

  /** The operation name in the journal. */
  String operation() {
    return operation;
  }

  /** The principal who pays. */
  String principal() {
    return principal;
  }

  boolean keyed() {
    return declared != null;
  }

  /** The retention that the client declares; null without a key on the wire. */
  Duration declared() {
    return declared;
  }

  /** How long the server keeps a key of that principal. */
  static Duration keptFor(String principal) {
    return principal.equals(SHORT.principal) ? SHORT.kept : KEYED.kept;
  }

  static OperationKind ofOperation(String name) {
    for (OperationKind kind : values()) {
      if (kind.operation.equals(name)) {
        return kind;
      }
    }
    throw new IllegalArgumentException("operation: " + name);
  }
}
