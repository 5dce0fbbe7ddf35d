package dev.steadfast.retry.okhttp;

/** The place that a failure comes from. */
enum FailureSource {
  // Why it is like this: docs/decisions/evidence.md
  /** The wire, beyond the probe. */
  WIRE,
  /** OkHttp itself: no route, no connection, a redirect that cannot be followed. */
  OKHTTP,
  /** An interceptor, or whatever it calls. */
  INTERCEPTOR
}
