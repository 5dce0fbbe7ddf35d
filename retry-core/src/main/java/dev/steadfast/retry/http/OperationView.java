package dev.steadfast.retry.http;

import dev.steadfast.retry.internal.Checks;

/**
 * What a classifier knows of the operation. Immutable.
 *
 * @param request the request
 * @param replayable whether repeating it adds no effect: by its method, by a key that the user
 *     vouched for, or because the user says so
 * @param keyed whether it carries an idempotency key
 */
public record OperationView(RequestView request, boolean replayable, boolean keyed) {
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
    return label() + " replayable=" + replayable + " keyed=" + keyed;
  }
}
