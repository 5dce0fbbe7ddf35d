package dev.steadfast.retry.okhttp;

/** Where a failure comes from. */
enum FailureSource {
  // Why it is like this: docs/decisions/evidence.md
  /** From beyond the probe: the wire. */
  WIRE,
  /** From OkHttp itself: no route, no connection, a redirect that cannot be followed. */
  OKHTTP,
  /** From an interceptor, or from whatever it calls. */
  INTERCEPTOR
}
