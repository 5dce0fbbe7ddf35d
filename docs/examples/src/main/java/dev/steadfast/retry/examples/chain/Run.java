package dev.steadfast.retry.examples.chain;

/**
 * The outcome of one run.
 *
 * @param top the requests that the driver was asked to make
 * @param bottom the requests that arrived at the bottom
 * @param seconds the time that it took
 */
record Run(int top, long bottom, double seconds) {
  double amplification() {
    return (double) bottom / top;
  }
}
