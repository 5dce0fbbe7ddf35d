package dev.steadfast.retry.okhttp;

import java.io.IOException;
import java.net.ProtocolException;

/**
 * An exception that OkHttp does not recover from: its recovery sends the request again on any
 * {@link IOException} but a few, of which {@link ProtocolException} is one. An interceptor that was
 * added after the {@link RetryInterceptor} sees it; so it tells what the real one tells.
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
