package dev.steadfast.retry;

import java.io.IOException;

/** Stands for an answer that tells of a failure, where a {@link Guard} wants an exception. */
public final class UnsuccessfulAttemptException extends IOException {
  private static final long serialVersionUID = 1;

  /** The kind of the failure. */
  private final FailureKind kind;

  /**
   * The constructor for authors of adapters and tests.
   *
   * @param kind what went wrong
   */
  public UnsuccessfulAttemptException(FailureKind kind) {
    super("unsuccessful attempt: " + kind);
    this.kind = kind;
  }

  /** {@return the kind of the failure} */
  public FailureKind kind() {
    return kind;
  }

  /**
   * Records no stack: one exception is made for each failed attempt, and it is never thrown.
   *
   * @return this
   */
  @Override
  public Throwable fillInStackTrace() {
    return this;
  }
}
