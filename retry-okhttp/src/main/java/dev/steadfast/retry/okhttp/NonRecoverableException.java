package dev.steadfast.retry.okhttp;

import java.io.IOException;
import java.net.ProtocolException;

/**
 * An exception that OkHttp does not recover from: it sends a request again after any {@link
 * IOException} except a few, and {@link ProtocolException} is one of them. An interceptor that was
 * added after the {@link RetryInterceptor} sees this exception, so it has the message of the real
 * one.
 */
final class NonRecoverableException extends ProtocolException {
  private static final long serialVersionUID = 1;

  /** The real one. */
  private final IOException reason;

  NonRecoverableException(IOException reason) {
    super(reason.getMessage());
    this.reason = reason;
    initCause(reason);
    setStackTrace(reason.getStackTrace());
  }

  /** The real one, with what OkHttp added to this one: the failures that it recovered from. */
  IOException opened() {
    for (Throwable recovered : getSuppressed()) {
      reason.addSuppressed(recovered);
    }
    return reason;
  }

  @Override
  public Throwable fillInStackTrace() {
    return this;
  }
}
