package dev.steadfast.retry.httpclient;

/**
 * What a body yielded so far. Immutable.
 *
 * @param bytes how many bytes
 * @param crc their CRC32C
 * @param whole whether the body ended there
 */
record Fingerprint(long bytes, int crc, boolean whole) {
  static final Fingerprint NONE = new Fingerprint(0, 0, false);

  /** The one that says more. */
  static Fingerprint longer(Fingerprint one, Fingerprint other) {
    if (one.whole || one.bytes > other.bytes) {
      return one;
    }
    return other;
  }
}
