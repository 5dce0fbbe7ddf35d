package dev.steadfast.retry.http;

import dev.steadfast.retry.internal.Checks;

/**
 * What a classifier knows of the operation. Immutable.
 *
 * @param request the request
 * @param keyed whether it carries an idempotency key
 */
public record OperationView(RequestView request, boolean keyed) {
  /**
   * Checks that nothing is missing.
   *
   * @throws NullPointerException if the request is null
   */
  public OperationView {
    Checks.notNull("request", request);
  }

  /** Method, origin and path: what logs may show. */
  String label() {
    return Origins.label(request);
  }

  // The view of a client's request may print its headers, and with them the key.
  @Override
  public String toString() {
    return label() + " keyed=" + keyed;
  }
}
