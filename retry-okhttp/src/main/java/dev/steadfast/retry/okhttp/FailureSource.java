package dev.steadfast.retry.okhttp;

/** Where a failure comes from. */
enum FailureSource {
  /** From beyond the probe: the wire. */
  WIRE,
  /** From OkHttp itself: no route, no connection, a redirect that cannot be followed. */
  OKHTTP,
  /** From an interceptor, or from whatever it calls. */
  INTERCEPTOR
}
